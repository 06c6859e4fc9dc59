import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from './load.mjs';

const { readFrame, readFact, readMe, readPage, readThread, readReceipt, readMirrors } = await load('read.ts');
const GOLDEN = new URL('../golden/frames/', import.meta.url);
const CLIENT = new Set(['send', 'stop', 'retry', 'resume']);

test('every golden frame of the server is understood, with nothing lost that it names', () => {
  for (const name of existsSync(GOLDEN) ? readdirSync(GOLDEN).filter((it) => it.endsWith('.json')) : []) {
    const golden = JSON.parse(readFileSync(new URL(name, GOLDEN), 'utf8'));
    for (const frame of Array.isArray(golden) ? golden : [golden]) {
      if (CLIENT.has(frame.type)) continue;
      const read = readFrame(JSON.stringify(frame));
      assert.ok(read, `${name} is not understood`);
      for (const [key, value] of Object.entries(frame)) {
        if (value === null) continue;
        if (Array.isArray(value)) assert.equal(read[key]?.length, value.length, `${name}: ${key}`);
        else if (typeof value !== 'object' && key !== 'reply') assert.equal(read[key], value, `${name}: ${key}`);
      }
    }
  }
});

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

test('who one is, is found wherever the server puts it', () => {
  const me = readMe({ user: { id: 'u1', name: 'Aoi' }, providers: { chat: { provider: 'embedded' } }, usage: { tokens: 5, day: 'x' } });
  assert.equal(me.user, 'u1');
  assert.equal(me.providers['chat.provider'], 'embedded');
  assert.deepEqual(me.usage, { tokens: 5 });
});

test('a receipt lists the stores it names', () => {
  assert.deepEqual(readReceipt({ forgotten: 'f_1', object: 'done', d1: 'pending' }).stores, [
    { store: 'object', state: 'done' }, { store: 'd1', state: 'pending' },
  ]);
  assert.equal(readReceipt({ id: 'f_1' }), null);
  assert.deepEqual(readMirrors({ d1: { pending: 2 }, jobs: [] }).map(({ name, pending }) => [name, pending]), [['d1', 2]]);
});
