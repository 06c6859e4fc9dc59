import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { load } from './load.mjs';

const { conversations } = await load('memory/unzip.ts');

const number = (value, bytes) => Buffer.from(Array.from({ length: bytes }, (_, at) => (value >>> (8 * at)) & 255));

/** An archive of these files, each packed by its method. */
function archive(files, comment = '') {
  const [bodies, entries] = [[], []];
  let at = 0;
  for (const [name, text, method = 8] of files) {
    const packed = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const common = Buffer.concat([number(20, 2), number(0, 2), number(method, 2), number(0, 8), number(packed.length, 4),
      number(Buffer.byteLength(text), 4), number(Buffer.byteLength(name), 2)]);
    const body = Buffer.concat([number(0x04034b50, 4), common, number(4, 2), Buffer.from(name), number(0, 4), packed]);
    entries.push(Buffer.concat([number(0x02014b50, 4), number(20, 2), common, number(0, 12), number(at, 4), Buffer.from(name)]));
    bodies.push(body);
    at += body.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.concat([number(0x06054b50, 4), number(0, 4), number(files.length, 2), number(files.length, 2),
    number(directory.length, 4), number(at, 4), number(comment.length, 2), Buffer.from(comment)]);
  return new Blob([...bodies, directory, end]);
}

const said = JSON.stringify([{ title: '犬の話', text: 'x'.repeat(100_000) }]);

test('the conversations of an export are taken out of its archive, wherever they are in it', async () => {
  for (const name of ['conversations.json', 'export-2026/conversations.json']) {
    for (const method of [0, 8]) {
      const file = archive([['chat.html', '<p>'], [name, said, method], ['写真.png', 'png', 0]], 'made by a test');
      assert.equal(await (await conversations(file)).text(), said);
    }
  }
});

test('a file that is no archive is sent as it is', async () => {
  for (const text of ['', '[]', `{"a":1}\n${'{"b":2}\n'.repeat(9)}`]) {
    const file = new Blob([text]);
    assert.equal(await conversations(file), file);
  }
});

test('an archive without conversations, or one that is broken, is said to have none', async () => {
  const whole = archive([['conversations.json', said]]);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const flipped = Buffer.from(bytes);
  flipped.fill(255, 60, 80);
  for (const file of [
    archive([['other.json', '[]'], ['conversations.json.txt', '[]']]),
    archive([['conversations.json', said, 99]]),
    new Blob([bytes.subarray(0, bytes.length - 30)]),
    new Blob([bytes.subarray(0, 40)]),
    new Blob([flipped]),
  ]) {
    assert.equal(await conversations(file), null);
  }
});
