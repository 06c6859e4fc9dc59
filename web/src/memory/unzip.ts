/**
 * The conversations out of an export that came as a ZIP archive.
 *
 * Only the directory at the archive's end and the one file are read, and what was packed streams through the browser's
 * own inflation, so pictures in an export cost nothing.
 */

const END = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const WANTED = /(^|\/)conversations\.json$/;

/** The file as it is; of an archive its `conversations.json`; null of one that has none that can be read. */
export async function conversations(file: Blob): Promise<Blob | null> {
  if (file.size < END_BYTES || (await view(file, 0, 4)).getUint32(0, true) !== LOCAL) return file;
  const directory = await directoryOf(file);
  if (!directory) return null;
  for (let at = 0; at + ENTRY_BYTES <= directory.byteLength && directory.getUint32(at, true) === ENTRY;) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => directory.getUint16(at + offset, true)) as [number, number, number];
    const name = new Uint8Array(directory.buffer, directory.byteOffset + at + ENTRY_BYTES, Math.min(nameBytes, directory.byteLength - at - ENTRY_BYTES));
    if (WANTED.test(new TextDecoder().decode(name))) {
      return unpacked(file, directory.getUint32(at + 42, true), directory.getUint32(at + 20, true), directory.getUint16(at + 10, true));
    }
    at += ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
  }
  return null;
}

async function view(file: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

/** The list of what is in the archive. */
async function directoryOf(file: Blob): Promise<DataView | null> {
  const tail = await view(file, Math.max(0, file.size - END_BYTES - LONGEST_COMMENT), file.size);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    const [bytes, from] = [tail.getUint32(at + 12, true), tail.getUint32(at + 16, true)];
    return from + bytes <= file.size ? view(file, from, from + bytes) : null;
  }
  return null;
}

/** A file of the archive; null if it is packed in a way that isn't known here. */
async function unpacked(file: Blob, from: number, bytes: number, method: number): Promise<Blob | null> {
  if (from + LOCAL_BYTES > file.size) return null;
  const head = await view(file, from, from + LOCAL_BYTES);
  const begins = from + LOCAL_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(begins, begins + bytes);
  if (head.getUint32(0, true) !== LOCAL || packed.size !== bytes) return null;
  if (method === STORED) return packed;
  if (method !== DEFLATED) return null;
  return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))).blob().catch(() => null);
}
