import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { Outbox, newClientId } = await load('shared/outbox.ts');
const { pause } = await load('chat/connection.ts');
const { byMonth } = await load('memory/pictures.ts');
const { LANGUAGES } = await load('shared/strings.ts');
const { Format, isZone } = await load('shared/format.ts');
const { dropDrafts, dropEverything, isKeptFor } = await load('shared/session.ts');
const { validity } = await load('shared/fact.ts');
const { titleOf } = await load('chat/threads.ts');

class Shelf {
  items = new Map();
  getItem(key) { return this.items.get(key) ?? null; }
  setItem(key, value) { this.items.set(key, value); }
  removeItem(key) { this.items.delete(key); }
}

test('a message stays in the outbox until it is dropped, also across a reload', () => {
  const shelf = new Shelf();
  new Outbox(shelf, 'aoi').add({ id: 'c1', thread: 'main', text: 'やあ', at: '' });
  assert.deepEqual(new Outbox(shelf, 'aoi').due('main').map(({ text }) => text), ['やあ']);
  new Outbox(shelf, 'aoi').drop('c1');
  assert.deepEqual(new Outbox(shelf, 'aoi').all('main'), []);
});

test('nobody sends what another user of the browser wrote, and no thread what belongs to another', () => {
  const shelf = new Shelf();
  new Outbox(shelf, 'aoi').add({ id: 'c1', thread: 'th_1', text: 'x', at: '' });
  assert.deepEqual(new Outbox(shelf, 'ren').all('th_1'), []);
  assert.deepEqual(new Outbox(shelf, 'aoi').all('main'), []);
});

test('what waits for a conversation goes with it, and nothing else', () => {
  const outbox = new Outbox(new Shelf(), 'aoi');
  outbox.add({ id: 'c1', thread: 'th_1', text: 'やあ', at: '' });
  outbox.add({ id: 'c2', thread: 'main', text: 'hi', at: '' });
  outbox.dropThread('th_1');
  assert.deepEqual(outbox.all('th_1'), []);
  assert.equal(outbox.all('main').length, 1);
});

test('a refused message is kept but not sent by itself', () => {
  const outbox = new Outbox(new Shelf(), 'aoi');
  outbox.add({ id: 'c1', thread: 'main', text: 'x', at: '' });
  outbox.mark('c1', true);
  assert.equal(outbox.due('main').length, 0);
  assert.equal(outbox.all('main').length, 1);
});

test('a damaged or full storage is no reason to fail', () => {
  const shelf = new Shelf();
  shelf.setItem('kioku.outbox.aoi', '{"not":"a list"');
  assert.deepEqual(new Outbox(shelf, 'aoi').all('main'), []);
  shelf.setItem('kioku.outbox.aoi', '[1,null,{"id":"c"}]');
  assert.deepEqual(new Outbox(shelf, 'aoi').all('main'), []);
  shelf.setItem = () => { throw new Error('full'); };
  new Outbox(shelf, 'aoi').add({ id: 'c1', thread: 'main', text: 'x', at: '' });
});

test('client ids are what the protocol allows, and differ', () => {
  const ids = new Set();
  for (let n = 0; n < 200; n += 1) ids.add(newClientId(crypto.getRandomValues(new Uint8Array(16))));
  assert.equal(ids.size, 200);
  for (const id of ids) assert.match(id, /^[a-z2-7]{26}$/);
});

test('pauses grow, stay bounded and are spread', () => {
  assert.equal(pause(0, 0), 250);
  assert.equal(pause(0, 1), 500);
  assert.ok(pause(3, 0) > pause(2, 0));
  assert.equal(pause(99, 1), 30_000);
});

test('months without facts are part of the timeline', () => {
  assert.deepEqual(byMonth(['2026-01-05', '2025-11-30', '2026-01-09', ''], (it) => it), [
    { month: '2025-11', count: 1 }, { month: '2025-12', count: 0 }, { month: '2026-01', count: 2 },
  ]);
});

test('both languages say something for everything', () => {
  const walk = (value, path) => {
    if (typeof value === 'string') assert.notEqual(value.trim(), '', path);
    else if (typeof value === 'object') for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
  };
  const shape = (value) => (typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)])) : typeof value);
  for (const [language, { strings }] of Object.entries(LANGUAGES)) walk(strings, language);
  assert.deepEqual(shape(LANGUAGES.en.strings), shape(LANGUAGES.ja.strings));
});

test('a day begins where its zone says, also when clocks change', () => {
  const begins = (zone, day, later = 0) => new Format('en', zone).startOfDay(day, later);
  assert.equal(begins('Asia/Tokyo', '2026-11-30'), '2026-11-29T15:00:00.000Z');
  assert.equal(begins('Asia/Tokyo', '2026-11-30', 1), '2026-11-30T15:00:00.000Z');
  assert.equal(begins('Europe/Berlin', '2026-03-29'), '2026-03-28T23:00:00.000Z');
  assert.equal(begins('Europe/Berlin', '2026-03-29', 1), '2026-03-29T22:00:00.000Z');
  assert.equal(begins('America/New_York', '2026-11-01', 1), '2026-11-02T05:00:00.000Z');
  assert.equal(begins('UTC', 'never'), null);
});

test('days are those of the zone', () => {
  const tokyo = new Format('ja', 'Asia/Tokyo');
  assert.equal(tokyo.dayKey('2026-11-29T15:30:00Z'), '2026-11-30');
  assert.equal(new Format('en', 'America/New_York').dayKey('2026-11-30T02:00:00Z'), '2026-11-29');
  assert.equal(tokyo.dayKey('never'), '');
  assert.equal(tokyo.partial('2015-04'), '2015年4月');
  assert.equal(tokyo.partial('someday'), 'someday');
  assert.equal(isZone('Mars/Olympus'), false);
});

test('a title is the first line, cut between characters', () => {
  assert.equal(titleOf('  hello\nworld'), 'hello');
  assert.equal([...titleOf('🐈'.repeat(80))].length, 40);
});

test('plans and events show their date, states when they began', () => {
  for (const [language, date, since] of [['en', 'December 9, 2026', 'since December 9, 2026'], ['ja', '2026年12月9日', '2026年12月9日から']]) {
    const session = { strings: LANGUAGES[language].strings, format: new Format(language, 'UTC') };
    const shown = (kind) => validity({ kind, valid_from: '2026-12-09', valid_until: null }, session);
    assert.equal(shown('plan'), date);
    assert.equal(shown('event'), date);
    assert.equal(shown('work'), since);
  }
});

test('what is kept for one user is told from what is kept for others of the browser', () => {
  const kept = (user) => [`kioku.outbox.${user}`, `kioku.draft.${user}.main`, `kioku.draft.${user}.th_1`, `kioku.zone.${user}`];
  const users = ['Aoi', 'Aoi2', '花', '花子', 'o', 'a', 'a.b'];
  for (const user of users) {
    for (const other of users) {
      for (const key of kept(other)) assert.equal(isKeptFor(user, key), user === other, `${user}: ${key}`);
    }
    assert.equal(isKeptFor(user, 'kioku.language'), false);
  }
});

test('what was written and not sent goes with its conversation or with everything, and leaves no name', () => {
  const items = { 'kioku.draft.花.th_1': 'あ', 'kioku.draft.花.main': 'い', 'kioku.draft.花子.main': 'う' };
  const shelf = { ...items, getItem(key) { return this[key] ?? null; }, setItem(key, value) { this[key] = value; }, removeItem(key) { delete this[key]; } };
  for (const name of ['getItem', 'setItem', 'removeItem']) Object.defineProperty(shelf, name, { enumerable: false });
  globalThis.localStorage = shelf;
  const outbox = new Outbox(shelf, '花');
  outbox.add({ id: 'c1', thread: 'th_1', text: 'x', at: '' });
  outbox.add({ id: 'c2', thread: 'main', text: 'y', at: '' });
  dropDrafts({ user: '花' }, 'th_1');
  assert.deepEqual(outbox.all('th_1'), []);
  assert.equal(outbox.all('main').length, 1);
  assert.deepEqual(Object.keys(shelf).sort(), ['kioku.draft.花.main', 'kioku.draft.花子.main', 'kioku.outbox.花']);
  dropEverything({ user: '花' });
  assert.deepEqual(Object.keys(shelf), ['kioku.draft.花子.main']);
  delete globalThis.localStorage;
});
