import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { load } from './load.mjs';

const { conversations, Unreadable } = await load('memory/unzip.ts');

const number = (value, bytes) => Buffer.from(Array.from({ length: bytes }, (_, at) => Number((BigInt(value) >> BigInt(8 * at)) & 255n)));
const LONG = 0xffffffff;

/** An archive of these files, each packed by its method; `long` as archives beyond four gigabytes are written. */
function archive(files, { comment = '', long = false, disk = 0, flags = 0 } = {}) {
  const [bodies, entries] = [[], []];
  let at = 0;
  for (const [name, text, method = 8] of files) {
    const packed = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const common = (packedBytes, bytes) => Buffer.concat([number(20, 2), number(flags, 2), number(method, 2), number(0, 8),
      number(packedBytes, 4), number(bytes, 4), number(Buffer.byteLength(name), 2)]);
    const body = Buffer.concat([number(0x04034b50, 4), common(packed.length, Buffer.byteLength(text)), number(4, 2), Buffer.from(name), number(0, 4), packed]);
    const own = long
      ? Buffer.concat([number(0x5455, 2), number(5, 2), number(0, 5), number(1, 2), number(24, 2),
        number(Buffer.byteLength(text), 8), number(packed.length, 8), number(at, 8)])
      : Buffer.alloc(0);
    entries.push(Buffer.concat([number(0x02014b50, 4), number(20, 2), long ? common(LONG, LONG) : common(packed.length, Buffer.byteLength(text)),
      number(own.length, 2), number(0, 10), number(long ? LONG : at, 4), Buffer.from(name), own]));
    bodies.push(body);
    at += body.length;
  }
  const directory = Buffer.concat(entries);
  const far = long
    ? [number(0x06064b50, 4), number(44, 8), number(45, 2), number(45, 2), number(disk, 4), number(disk, 4), number(files.length, 8),
      number(files.length, 8), number(directory.length, 8), number(at, 8),
      number(0x07064b50, 4), number(disk, 4), number(at + directory.length, 8), number(disk + 1, 4)]
    : [];
  const end = Buffer.concat([...far, number(0x06054b50, 4), number(long ? 0xffff : disk, 2), number(long ? 0xffff : disk, 2),
    number(files.length, 2), number(files.length, 2), number(long ? LONG : directory.length, 4), number(long ? LONG : at, 4),
    number(comment.length, 2), Buffer.from(comment)]);
  return new Blob([...bodies, directory, end]);
}

const said = JSON.stringify([{ title: '犬の話', text: 'x'.repeat(100_000) }]);

test('the conversations of an export are taken out of its archive, wherever they are in it', async () => {
  for (const name of ['conversations.json', 'export-2026/conversations.json']) {
    for (const method of [0, 8]) {
      for (const long of [false, true]) {
        const files = [['chat.html', '<p>'], [name, said, method], ['写真.png', 'png', 0]];
        const file = archive(files, { comment: 'made by a test', long });
        assert.equal(await (await conversations(file)).text(), said);
      }
    }
  }
});

test('a file that is no archive is sent as it is', async () => {
  for (const text of ['', '[]', `{"a":1}\n${'{"b":2}\n'.repeat(9)}`]) {
    const file = new Blob([text]);
    assert.equal(await conversations(file), file);
  }
});

test('conversations in several numbered files are all taken, in their order', async () => {
  const files = [10, 2, 1].map((part) => [`conversations-${part}.json`, JSON.stringify([{ title: `${part}つ目の話` }])]);
  const taken = await (await conversations(archive([['user.json', '{}'], ...files]))).text();
  const titles = taken.trim().split('\n').map((list) => JSON.parse(list)[0].title);
  assert.deepEqual(titles, ['1つ目の話', '2つ目の話', '10つ目の話']);
});

test('an archive that nothing can be read of is refused, and why is said', async () => {
  const bytes = Buffer.from(await archive([['conversations.json', said]]).arrayBuffer());
  const long = Buffer.from(await archive([['conversations.json', said]], { long: true }).arrayBuffer());
  const flipped = Buffer.from(bytes);
  flipped.fill(255, 60, 80);
  const flat = (from, to) => {
    const changed = Buffer.from(long);
    changed.fill(255, changed.length - from, changed.length - to);
    return changed;
  };
  for (const [trouble, ...files] of [
    ['none', archive([['other.json', '[]'], ['conversations.json.txt', '[]'], ['会話.json', '[]']])],
    ['split', archive([['conversations.json', said]], { disk: 1 }), archive([['conversations.json', said]], { disk: 1, long: true }),
      new Blob([number(0x08074b50, 4), bytes])],
    ['locked', archive([['conversations.json', said]], { flags: 1 })],
    ['broken', archive([['conversations.json', said, 99]]), new Blob([bytes.subarray(0, bytes.length - 30)]),
      new Blob([bytes.subarray(0, 40)]), new Blob([flipped]),
      // The place of the far end, its own mark, and the numbers behind the name.
      new Blob([flat(34, 26)]), new Blob([flat(42, 38)]), new Blob([flat(98, 94)]), new Blob([flat(122, 98)])],
  ]) {
    for (const [at, file] of files.entries()) {
      await assert.rejects(conversations(file), (problem) => problem instanceof Unreadable && problem.trouble === trouble, `${trouble} ${at}`);
    }
  }
});
