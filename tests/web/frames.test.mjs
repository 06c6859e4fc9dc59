import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from './load.mjs';

const { readFrame, readFact, readMe, readPage, readFactPage, readEntry, readThread, readReceipt, readMirrors } = await load('read.ts');
const GOLDEN = new URL('../golden/frames/', import.meta.url);
/** `ClientFrame` of `wire.ts`; the browser tests refuse what a page sends in any other form. */
const CLIENT = new Map([
  ['send', { type: 'string', id: 'string', text: 'string' }],
  ['stop', { type: 'string', turn: 'string' }],
  ['retry', { type: 'string', turn: 'string' }],
  ['resume', { type: 'string', turn: 'string', after: 'number' }],
]);

const golden = readdirSync(GOLDEN).filter((name) => name.endsWith('.json')).sort()
  .map((name) => ({ name, frame: JSON.parse(readFileSync(new URL(name, GOLDEN), 'utf8')) }));

/** What the pages have no use for. */
const UNUSED = new Set(['external_id', 'reply']);

/** Every value that `sent` names is in `read`, under the same name. */
function holds(read, sent, path) {
  if (Array.isArray(sent)) {
    assert.equal(read?.length, sent.length, path);
    sent.forEach((item, index) => holds(read[index], item, `${path}[${index}]`));
  } else if (typeof sent === 'object' && sent !== null) {
    for (const [key, value] of Object.entries(sent)) if (!UNUSED.has(key)) holds(read?.[key], value, `${path}.${key}`);
  } else {
    assert.deepEqual(read, sent, path);
  }
}

test('there are golden frames of every type', () => {
  const types = new Set(golden.map(({ frame }) => frame.type));
  assert.deepEqual([...types].sort(), [
    'accepted', 'delta', 'done', 'error', 'failed', 'folded', 'ready', 'recalled', 'remembered', 'resume', 'retry', 'send', 'stop', 'stopped', 'user',
  ]);
});

for (const { name, frame } of golden.filter((it) => !CLIENT.has(it.frame.type))) {
  test(`${name} is understood, with nothing lost that it says`, () => {
    const read = readFrame(JSON.stringify(frame));
    // The facts that were recalled are chips: their id and text; the rest is asked for when one is opened.
    const chips = frame.type === 'recalled' && {
      facts: frame.facts.map(({ id, text, score }) => ({ id, text, score })),
      passages: frame.passages.map(({ score, ...rest }) => rest),
    };
    holds(read, { ...frame, ...chips }, name);
    if (frame.type === 'failed') holds(read.kept, frame.reply ?? null, `${name}: reply`);
  });
}

for (const { name, frame } of golden.filter((it) => CLIENT.has(it.frame.type))) {
  test(`${name} has exactly the fields that the pages send`, () => {
    assert.deepEqual(Object.fromEntries(Object.entries(frame).map(([key, value]) => [key, typeof value])), CLIENT.get(frame.type));
  });
}

test('what is no frame is ignored, whatever it is', () => {
  for (const raw of ['', 'pong', '{', 'null', '[]', '1', '"ready"', '{"type":"ready"}', '{"type":"delta","turn":"t","seq":"1","text":"x"}',
    '{"type":"done","turn":"t"}', '{"type":"accepted","id":1,"turn":"t"}', '{"type":"later","turn":"t"}']) {
    assert.equal(readFrame(raw), null, raw);
  }
});

test('a frame with unknown and missing parts gets neutral values', () => {
  const ready = readFrame('{"type":"ready","protocol":1,"thread":"main","recent":[{"id":"m"},{"id":"m_1","role":"user","text":"茶"}],"new":1}');
  assert.equal(ready.recent.length, 1);
  assert.equal(ready.recent[0].text, '茶');
  assert.deepEqual(ready.open_turns, []);
  assert.equal(ready.memory_mode, 'on');
});

test('a failure keeps what was said before it', () => {
  const failed = readFrame('{"type":"failed","turn":"t","code":"model_cut_short","message":"It broke off.","retryable":true,"reply":{"id":"m","role":"assistant","text":"half"}}');
  assert.equal(failed.kept.text, 'half');
  assert.equal(failed.message, 'It broke off.');
});

test('a fact of an unknown kind is still shown', () => {
  const fact = readFact({ id: 'f_1', text: '猫が好き', kind: 'mood', status: 'odd', mirrors: { d1: 'synced', vectorize: 3 } });
  assert.equal(fact.kind, 'other');
  assert.equal(fact.status, 'current');
  assert.deepEqual(fact.mirrors, { d1: 'synced' });
  assert.equal(fact.source, null);
});

test('lists are read under their name, with the cursor', () => {
  assert.deepEqual(readPage({ threads: [{ id: 'main' }, 5], next_cursor: 'x' }, 'threads', readThread).next, 'x');
  assert.equal(readPage({ threads: [{ id: 'main' }, 5] }, 'threads', readThread).items.length, 1);
  assert.deepEqual(readPage(null, 'threads', readThread), { items: [], next: null });
});

test('who one is, and what that costs', () => {
  const me = readMe({ user: { name: 'Aoi' }, providers: { model: 'embedded' }, usage: { turns: 5, day: 'x' } });
  assert.deepEqual([me.user, me.name, me.providers.model], ['Aoi', 'Aoi', 'embedded']);
  assert.deepEqual(me.usage, { turns: 5 });
});

test('a receipt lists the stores it names', () => {
  assert.deepEqual(readReceipt({ forgotten: 'f_1', object: 'done', d1: 'pending' }).stores, [
    { store: 'object', state: 'done' }, { store: 'd1', state: 'pending' },
  ]);
  assert.equal(readReceipt({ id: 'f_1' }), null);
});

test('mirrors tell what waits, what failed, and how far forgetting everything is', () => {
  const { mirrors, jobs, archive, forgetting } = readMirrors({
    d1: { bound: true, pending: 2, parked: 1, unconfirmed: 0, oldest: null, lag_ms: 40, last_error: 'no such table', next_at: null },
    vectorize: { bound: false, pending: 0, parked: 0, lag_ms: null, last_error: null },
    jobs: [{ kind: 'extract', key: 'main', due_at: 'x', attempts: 3, error: 'model_busy', parked: false }],
    archive: { to_index: 12, to_extract: 3 },
    forgetting_everything: { d1: 'pending', vectorize: 'off' },
  });
  assert.deepEqual(mirrors, [
    { name: 'd1', bound: true, pending: 2, parked: 1, lag_ms: 40, last_error: 'no such table' },
    { name: 'vectorize', bound: false, pending: 0, parked: 0, lag_ms: null, last_error: null },
  ]);
  assert.deepEqual(jobs, [{ kind: 'extract', attempts: 3, error: 'model_busy', parked: false }]);
  assert.deepEqual(archive, { index: 12, extract: 3 });
  assert.deepEqual(forgetting.stores, [{ store: 'd1', state: 'pending' }, { store: 'vectorize', state: 'off' }]);
  assert.deepEqual(readMirrors(null), { mirrors: [], jobs: [], archive: { index: 0, extract: 0 }, forgetting: null });
});

test('work that only comes back tomorrow is none that waits, unless it failed', () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const job = (kind, due_at, error) => ({ kind, key: 'x', due_at, attempts: 0, error, parked: false });
  const { jobs } = readMirrors({ jobs: [
    job('clean', later, null), job('fold', later, 'model_busy'), job('extract', new Date().toISOString(), null),
  ] });
  assert.deepEqual(jobs.map(({ kind }) => kind), ['fold', 'extract']);
});

test('a line of the ledger has both sides of the change, and says whether there is a way back', () => {
  const fact = { id: 'f_1', text: '京都に住んでいる。' };
  const entry = readEntry({ id: 'c_1', op: 'superseded', fact: 'f_1', before: fact, after: null, reason: 'said again', at: 't', undone_by: null, undoable: true });
  assert.deepEqual([entry.before.text, entry.after, entry.undone, entry.undoable], ['京都に住んでいる。', null, false, true]);
  assert.equal(readEntry({ id: 'c_2', op: 'added', undone_by: 'c_3', undoable: false }).undone, true);
  assert.equal(readEntry({ op: 'added' }), null);
});

test('a list of facts says where it comes from', () => {
  assert.equal(readFactPage({ facts: [], next_cursor: null, source: 'd1' }).source, 'd1');
  assert.equal(readFactPage({ facts: [] }).source, '');
});
