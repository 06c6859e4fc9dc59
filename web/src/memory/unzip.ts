/**
 * The conversations out of an export that came as a ZIP archive.
 *
 * Only the directory at the archive's end and the files themselves are read, and what was packed streams through the
 * browser's own inflation, so pictures in an export cost nothing. Large exports have archives of the long form (ZIP64)
 * and their conversations in several numbered files.
 */

const END = 0x06054b50;
const END_BYTES = 22;
const LONG_END = 0x06064b50;
const LONG_END_BYTES = 56;
const LONG_PLACE = 0x07064b50;
const LONG_PLACE_BYTES = 20;
const LONGEST_COMMENT = 0xffff;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
/** How the first of several pieces of an archive begins. */
const SPLIT = 0x08074b50;
/** Instead of a number that is in the long form. */
const [LONG_16, LONG_32] = [0xffff, 0xffffffff];
const LONG_EXTRA = 1;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
const WANTED = /(^|\/)conversations(-\d+)?\.json$/;

/** Why nothing can be read of an archive. */
export type Trouble = 'none' | 'broken' | 'split' | 'locked';

export class Unreadable extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble);
    this.trouble = trouble;
  }
}

interface Entry {
  name: string;
  flags: number;
  method: number;
  bytes: number;
  from: number;
}

/** The file as it is; of an archive its conversations, one list after the other. */
export async function conversations(file: Blob): Promise<Blob> {
  const begins = file.size < END_BYTES ? 0 : (await view(file, 0, 4)).getUint32(0, true);
  if (begins === SPLIT) throw new Unreadable('split');
  if (begins !== LOCAL) return file;
  const wanted = entries(await directoryOf(file)).filter(({ name }) => WANTED.test(name));
  if (wanted.length === 0) throw new Unreadable('none');
  wanted.sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
  const parts: Blob[] = [];
  for (const entry of wanted) parts.push(await unpacked(file, entry));
  return parts.length === 1 && parts[0] ? parts[0] : new Blob(parts.flatMap((part) => [part, '\n']));
}

async function view(file: Blob, from: number, to: number): Promise<DataView> {
  if (from < 0 || to > file.size) throw new Unreadable('broken');
  return new DataView(await file.slice(from, to).arrayBuffer());
}

/** The list of what is in the archive. */
async function directoryOf(file: Blob): Promise<DataView> {
  const begins = Math.max(0, file.size - END_BYTES - LONGEST_COMMENT);
  const tail = await view(file, begins, file.size);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    let [disk, bytes, from] = [tail.getUint16(at + 4, true), tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)];
    if (disk === LONG_16 || bytes === LONG_32 || from === LONG_32) {
      const place = await view(file, begins + at - LONG_PLACE_BYTES, begins + at);
      if (place.getUint32(0, true) !== LONG_PLACE) throw new Unreadable('broken');
      const long = await view(file, wide(place, 8), wide(place, 8) + LONG_END_BYTES);
      if (long.getUint32(0, true) !== LONG_END) throw new Unreadable('broken');
      [disk, bytes, from] = [long.getUint32(16, true), wide(long, 40), wide(long, 48)];
    }
    if (disk > 0) throw new Unreadable('split');
    return view(file, from, from + bytes);
  }
  throw new Unreadable('broken');
}

function entries(directory: DataView): Entry[] {
  const found: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.byteLength && directory.getUint32(at, true) === ENTRY;) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => directory.getUint16(at + offset, true)) as [number, number, number];
    const begins = at + ENTRY_BYTES;
    at = begins + name + extra + comment;
    if (at > directory.byteLength) throw new Unreadable('broken');
    const entry = begins - ENTRY_BYTES;
    const words = new Uint8Array(directory.buffer, directory.byteOffset + begins, name);
    const long = new DataView(directory.buffer, directory.byteOffset + begins + name, extra);
    const [bytes, from] = sizes(directory, entry, long);
    found.push({
      name: new TextDecoder().decode(words),
      flags: directory.getUint16(entry + 8, true),
      method: directory.getUint16(entry + 10, true),
      bytes,
      from,
    });
  }
  return found;
}

/** How many bytes an entry has, packed, and where they begin: in the long form those that don't fit stand behind its name. */
function sizes(directory: DataView, entry: number, extra: DataView): [number, number] {
  const [whole, packed, from] = [24, 20, 42].map((offset) => directory.getUint32(entry + offset, true)) as [number, number, number];
  let [at, end] = [0, 0];
  for (let next = 0; next + 4 <= extra.byteLength; next += 4 + extra.getUint16(next + 2, true)) {
    if (extra.getUint16(next, true) === LONG_EXTRA) [at, end] = [next + 4, next + 4 + extra.getUint16(next + 2, true)];
  }
  const read = (short: number): number => {
    if (short !== LONG_32) return short;
    at += 8;
    if (at > Math.min(end, extra.byteLength)) throw new Unreadable('broken');
    return wide(extra, at - 8);
  };
  read(whole);
  return [read(packed), read(from)];
}

function wide(bytes: DataView, at: number): number {
  return Number(bytes.getBigUint64(at, true));
}

/** A file of the archive. */
async function unpacked(file: Blob, { flags, from, bytes, method }: Entry): Promise<Blob> {
  if (flags & ENCRYPTED) throw new Unreadable('locked');
  const head = await view(file, from, from + LOCAL_BYTES);
  const begins = from + LOCAL_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(begins, begins + bytes);
  if (head.getUint32(0, true) !== LOCAL || packed.size !== bytes) throw new Unreadable('broken');
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw new Unreadable('broken');
  return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))).blob().catch(() => {
    throw new Unreadable('broken');
  });
}
