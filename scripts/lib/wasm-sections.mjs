/** Taking a wasm file apart into its sections and putting it together again. */

export const SECTION = { custom: 0, import: 2, export: 7, code: 10 };

/** What an import or an export is. */
export const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 };

/** The sections as `{ id, content }`, in order. */
export function sectionsOf(wasm) {
  const sections = [];
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at];
    const [length, start] = readLeb(wasm, at + 1);
    sections.push({ id, content: wasm.subarray(start, at = start + length) });
  }
  return sections;
}

/** The file of which these are the sections. */
export function wasmOf(sections) {
  const header = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  return Buffer.concat([
    header, ...sections.flatMap(({ id, content }) => [Buffer.from([id]), leb(content.length), content]),
  ]);
}

/** The imports as `{ module, name, kind, type }`, where `type` is the bytes that say what it is. */
export function importsOf(content) {
  let [count, at] = readLeb(content, 0);
  const imports = [];
  const skipNumber = () => [, at] = readLeb(content, at);
  const skipLimits = () => {
    const flags = content[at++];
    skipNumber();
    if (flags & 1) skipNumber();
  };
  for (; count > 0; count--) {
    let module, name;
    [module, at] = readText(content, at);
    [name, at] = readText(content, at);
    const kind = content[at++];
    const start = at;
    if (kind === KIND.table || kind === KIND.tag) at++;
    if (kind === KIND.global) at += 2;
    else if (kind === KIND.table || kind === KIND.memory) skipLimits();
    else skipNumber();
    imports.push({ module, name, kind, type: content.subarray(start, at) });
  }
  return imports;
}

export function importSection(imports) {
  return Buffer.concat([
    leb(imports.length),
    ...imports.flatMap(({ module, name, kind, type }) => [text(module), text(name), Buffer.from([kind]), type]),
  ]);
}

/** The exports as `{ name, kind, index }`. */
export function exportsOf(content) {
  let [count, at] = readLeb(content, 0);
  const exports = [];
  for (; count > 0; count--) {
    let name, index;
    [name, at] = readText(content, at);
    const kind = content[at++];
    [index, at] = readLeb(content, at);
    exports.push({ name, kind, index });
  }
  return exports;
}

export function exportSection(exports) {
  return Buffer.concat([
    leb(exports.length),
    ...exports.flatMap(({ name, kind, index }) => [text(name), Buffer.from([kind]), leb(index)]),
  ]);
}

export function readLeb(bytes, at) {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * factor;
    if (byte < 128) return [value, at];
  }
}

export function leb(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push(value % 128 + 128);
  return Buffer.from([...bytes, value]);
}

export function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([leb(bytes.length), bytes]);
}

function readText(bytes, at) {
  const [length, start] = readLeb(bytes, at);
  return [bytes.toString("utf8", start, start + length), start + length];
}
