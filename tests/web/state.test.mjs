import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { emptyThread, step } = await load('chat/state.ts');

/** A thread that hears events and keeps what it would send. */
class Tab {
  view = emptyThread('main');
  sent = [];
  do(event) {
    const { view, frames } = step(this.view, event);
    this.view = view;
    this.sent.push(...frames);
    return this;
  }
  hear(frame) {
    return this.do({ type: 'frame', frame });
  }
  ready(recent = [], open_turns = []) {
    return this.hear({ type: 'ready', protocol: 1, thread: 'main', recent, summary: null, open_turns, memory_mode: 'on' });
  }
  delta(seq, text, turn = 't1') {
    return this.hear({ type: 'delta', turn, seq, text });
  }
  get lines() {
    return this.view.turns.map((turn) => `${turn.user?.text ?? '?'} → ${turn.answer?.text ?? ''} [${turn.state}]`);
  }
}

const message = (id, role, text, turn, at = '2026-11-30T00:00:00Z') =>
  ({ id, role, text, created_at: at, turn, status: null, excluded: false });
const accepted = (id, turn, over = {}) => ({ type: 'accepted', id, turn, thread: 'main', position: 0, repeated: false, ...over });
const done = (turn, text) => ({ type: 'done', turn, message: message('m9', 'assistant', text, turn), usage: null, timing: null });

test('a message is shown at once, then accepted, answered and done, under one key', () => {
  const tab = new Tab().ready().do({ type: 'queued', id: 'c1', text: 'tea?', at: '' });
  const { key } = tab.view.turns[0];
  assert.deepEqual(tab.lines, ['tea? →  [unsent]']);
  tab.hear(accepted('c1', 't1', { position: 2 }));
  assert.equal(tab.view.turns[0].position, 2);
  tab.delta(1, 'Yes').delta(2, ', please.').hear(done('t1', 'Yes, please.'));
  assert.deepEqual(tab.lines, ['tea? → Yes, please. [done]']);
  assert.equal(tab.view.turns[0].key, key);
});

test('a message that is sent again is not shown twice', () => {
  const tab = new Tab().do({ type: 'queued', id: 'c1', text: 'tea?', at: '' });
  tab.ready([message('m1', 'user', 'tea?', 't1')], [{ turn: 't1', id: 'c1', state: 'running', seq: 0 }]);
  tab.hear(accepted('c1', 't1', { repeated: true }));
  assert.deepEqual(tab.lines, ['tea? →  [running]']);
});

test('a message that was answered while its acceptance was lost joins its turn', () => {
  const tab = new Tab().do({ type: 'queued', id: 'c1', text: 'tea?', at: '' });
  tab.ready([message('m1', 'user', 'tea?', 't1'), message('m2', 'assistant', 'Yes.', 't1')]);
  assert.equal(tab.lines.length, 2);
  tab.hear(accepted('c1', 't1', { repeated: true })).hear(done('t1', 'Yes.'));
  assert.deepEqual(tab.lines, ['tea? → Yes. [done]']);
});

test('a gap asks once for the rest and shows nothing out of order', () => {
  const tab = new Tab().ready().hear({ type: 'user', turn: 't1', message: message('m1', 'user', 'q', 't1') });
  tab.delta(1, 'a').delta(3, 'c').delta(4, 'd');
  assert.deepEqual(tab.sent, [{ type: 'resume', turn: 't1', after: 1 }]);
  assert.equal(tab.view.turns[0].answer.text, 'a');
  tab.delta(2, 'b').delta(3, 'c').delta(4, 'd');
  assert.equal(tab.view.turns[0].answer.text, 'abcd');
});

test('a delta that comes twice is shown once', () => {
  const tab = new Tab().ready().delta(1, 'a').delta(1, 'a').delta(2, 'b').delta(2, 'b');
  assert.equal(tab.view.turns[0].answer.text, 'ab');
});

test('after a reconnect the answer goes on where it was', () => {
  const tab = new Tab().ready().hear({ type: 'user', turn: 't1', message: message('m1', 'user', 'q', 't1') }).delta(1, 'a').delta(2, 'b');
  tab.ready([message('m1', 'user', 'q', 't1')], [{ turn: 't1', id: 'c1', state: 'running', seq: 4 }]);
  assert.deepEqual(tab.sent, [{ type: 'resume', turn: 't1', after: 2 }]);
  tab.delta(3, 'c').delta(4, 'd').hear(done('t1', 'abcd'));
  assert.deepEqual(tab.lines, ['q → abcd [done]']);
});

test('a turn that ended while away is asked for too', () => {
  const tab = new Tab().ready().hear({ type: 'user', turn: 't1', message: message('m1', 'user', 'q', 't1') }).delta(1, 'a');
  tab.ready([message('m1', 'user', 'q', 't1')], []);
  assert.deepEqual(tab.sent, [{ type: 'resume', turn: 't1', after: 1 }]);
});

test('an answer that began again after a restart replaces the half one', () => {
  const tab = new Tab().ready().delta(1, 'ol').delta(2, 'd');
  tab.delta(1, 'new');
  assert.equal(tab.view.turns[0].answer.text, 'new');
  tab.delta(2, 'er').ready([], [{ turn: 't1', id: 'c', state: 'queued', seq: 0 }]);
  assert.equal(tab.view.turns[0].answer, null);
  assert.deepEqual(tab.sent.at(-1), { type: 'resume', turn: 't1', after: 0 });
});

test('a failed turn keeps its words, and a retry begins without them', () => {
  const tab = new Tab().ready().delta(1, 'ha').delta(2, 'lf');
  tab.hear({ type: 'failed', turn: 't1', code: 'model_stalled', message: '', kept: null, retryable: true });
  assert.deepEqual(tab.lines, ['? → half [failed]']);
  tab.do({ type: 'retrying', turn: 't1' });
  assert.deepEqual(tab.lines, ['? →  [waiting]']);
  tab.delta(1, 'whole').hear(done('t1', 'whole'));
  assert.deepEqual(tab.lines, ['? → whole [done]']);
});

test('a retry in another tab is followed here', () => {
  const tab = new Tab().ready().delta(1, 'x').hear({ type: 'stopped', turn: 't1', message: null });
  tab.delta(1, 'again');
  assert.deepEqual(tab.lines, ['? → again [running]']);
});

test('what is done is not taken back by a late delta', () => {
  const tab = new Tab().ready().delta(1, 'a').hear(done('t1', 'all')).delta(1, 'a').delta(2, 'b');
  assert.deepEqual(tab.lines, ['? → all [done]']);
});

test('messages of other tabs come before what still waits here', () => {
  const tab = new Tab().ready().do({ type: 'queued', id: 'c1', text: 'mine', at: '' });
  tab.hear({ type: 'user', turn: 't2', message: message('m5', 'user', 'theirs', 't2') });
  assert.deepEqual(tab.lines.map((line) => line.split(' ')[0]), ['theirs', 'mine']);
});

test('older pages go above, in order, and overlap is shown once', () => {
  const tab = new Tab().ready([message('m3', 'user', 'c', 't3', '2026-11-30T03:00:00Z')]);
  const page = [
    message('m3', 'user', 'c', 't3', '2026-11-30T03:00:00Z'), message('m2b', 'assistant', 'B', 't2', '2026-11-30T02:00:01Z'),
    message('m2', 'user', 'b', 't2', '2026-11-30T02:00:00Z'), message('m1', 'user', 'a', null, '2026-11-30T01:00:00Z'),
  ];
  tab.do({ type: 'page', page: { items: page, next: null } });
  assert.deepEqual(tab.lines, ['a →  [done]', 'b → B [done]', 'c →  [done]']);
  assert.equal(tab.view.older, null);
});

test('after a long absence the unknown middle is loaded instead of skipped', () => {
  const tab = new Tab().ready([message('m1', 'user', 'old', 't1')]).do({ type: 'page', page: { items: [], next: null } });
  tab.ready([message('m50', 'user', 'new', 't50')]);
  assert.deepEqual(tab.lines, ['new →  [done]']);
  assert.equal(tab.view.older, undefined);
});

test('a refused message keeps its text and tells why', () => {
  const tab = new Tab().ready().do({ type: 'queued', id: 'c1', text: 'long', at: '' });
  tab.hear({ type: 'error', code: 'message_too_long', message: '', id: 'c1' });
  assert.equal(tab.view.turns[0].state, 'refused');
  assert.equal(tab.view.turns[0].failure.code, 'message_too_long');
  tab.do({ type: 'dropped', id: 'c1' });
  assert.deepEqual(tab.lines, []);
});

test('memory work is shown under its turn and can be undone', () => {
  const change = { change: 'c_1', op: 'added', fact: null, reason: null, at: null, undone: false };
  const tab = new Tab().ready().hear(done('t1', 'ok')).hear({ type: 'remembered', turn: 't1', changes: [change] });
  tab.hear({ type: 'remembered', turn: 't1', changes: [change] });
  assert.equal(tab.view.turns[0].changes.length, 1);
  tab.do({ type: 'settled', change: 'c_1', undone: true });
  assert.equal(tab.view.turns[0].changes[0].undone, true);
});

test('any order and repetition of deltas, with the rest sent when asked, gives the whole text', () => {
  const pieces = [...'記憶はデータ'];
  for (let seed = 1; seed <= 200; seed += 1) {
    let state = seed;
    const chance = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const tab = new Tab().ready();
    const hearFrom = (after) => pieces.slice(after).forEach((text, index) => tab.delta(after + index + 1, text));
    for (let sent = 0; sent < pieces.length; sent += 1) {
      if (chance() < 0.3) continue;
      tab.delta(sent + 1, pieces[sent]);
      if (sent > 0 && chance() < 0.2) tab.delta(sent + 1, pieces[sent]);
      for (const { after } of tab.sent.splice(0)) hearFrom(after);
    }
    tab.ready([], [{ turn: 't1', id: 'c', state: 'running', seq: pieces.length }]);
    for (const { after } of tab.sent.splice(0)) hearFrom(after);
    assert.equal(tab.view.turns[0].answer.text, pieces.join(''), `seed ${seed}`);
  }
});

test('an answer that was loaded gets its chips from its trace, and what frames told stays', () => {
  const change = (id, undone = false) => ({ change: id, op: 'added', fact: null, reason: null, undone });
  const trace = {
    recalled: { query: { original: '', searched: '' }, facts: [{ id: 'f1', text: 'Likes tea.', score: 1 }], passages: [] },
    changes: [change('c1'), change('c2')], usage: { prompt_tokens: 9, completion_tokens: 1, estimated: false }, timing: null,
  };
  const tab = new Tab().ready([message('m1', 'user', 'tea?', 't1'), message('m2', 'assistant', 'お茶', 't1')]);
  tab.hear({ type: 'remembered', turn: 't1', changes: [change('c2', true)] }).do({ type: 'trace', turn: 't1', trace });
  const [turn] = tab.view.turns;
  assert.equal(turn.recalled.facts[0].text, 'Likes tea.');
  assert.deepEqual(turn.changes.map((it) => [it.change, it.undone]), [['c1', false], ['c2', true]]);
  assert.equal(turn.usage.prompt_tokens, 9);
  tab.do({ type: 'trace', turn: 'unknown', trace });
  assert.equal(tab.view.turns.length, 1);
});
