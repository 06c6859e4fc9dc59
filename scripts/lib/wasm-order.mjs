/**
 * Puts alike functions side by side, because gzip finds what repeats only within 32 KB.
 *
 * A generic function is in the wasm once for every type, and the copies lie far apart. Starting anywhere, the next
 * function is always the one that shares most with those just placed. The order is a matter of size alone, and is the
 * same for the same file.
 */

/** So many bytes in a row are one thing that functions can share. */
const SHARED_BYTES = 8;

/** What more functions than this contain says nothing about which are alike. */
const COMMON = 100;

/** How far back gzip looks, with room for the function that is being looked at. */
const WINDOW = 30_000;

const SECTION = { custom: 0, import: 2, code: 10 };
const KIND_FUNCTION = 0;
const NAME_FUNCTIONS = 1;

/**
 * The wasm with names for its functions that sort as they should lie, for `wasm-opt --reorder-functions-by-name`.
 * Expects a file without a name section.
 */
export function nameInOrder(wasm) {
  const { bodies, imported } = readFunctions(wasm);
  const names = [...orderOf(bodies).entries()]
    .map(([rank, body]) => [imported + body, String(rank).padStart(6, "0")])
    .sort(([a], [b]) => a - b);
  const list = Buffer.concat([
    leb(names.length), ...names.map(([index, name]) => Buffer.concat([leb(index), text(name)])),
  ]);
  const section = Buffer.concat([text("name"), Buffer.from([NAME_FUNCTIONS]), leb(list.length), list]);
  return Buffer.concat([wasm, Buffer.from([SECTION.custom]), leb(section.length), section]);
}

/** The places of `bodies`, each after those it is like. */
export function orderOf(bodies) {
  const { parts, holders } = sharedParts(bodies);
  const shares = new Uint32Array(bodies.length);
  const weight = bodies.map((body) => (body.length + 30) ** -0.7);
  const near = new Uint16Array(holders.length);
  const left = new Set(bodies.keys());
  const order = [];
  const recent = [];
  let recentBytes = 0;
  while (left.size > 0) {
    let next = -1;
    let best = -1;
    for (const at of left) {
      const score = shares[at] * weight[at];
      if (score > best) [next, best] = [at, score];
    }
    left.delete(next);
    order.push(next);
    recent.push(next);
    recentBytes += bodies[next].length;
    for (const part of parts[next]) if (near[part]++ === 0) for (const at of holders[part]) shares[at]++;
    while (recentBytes > WINDOW && recent.length > 1) {
      const gone = recent.shift();
      recentBytes -= bodies[gone].length;
      for (const part of parts[gone]) if (--near[part] === 0) for (const at of holders[part]) shares[at]--;
    }
  }
  return order;
}

/** For each function the numbers of the byte strings it shares with a few others, and for each number who they are. */
function sharedParts(bodies) {
  const numbers = new Map();
  const all = bodies.map((body) => {
    const own = new Set();
    for (let at = 0; at + SHARED_BYTES <= body.length; at++) {
      const key = hash(body, at);
      let number = numbers.get(key);
      if (number === undefined) numbers.set(key, number = numbers.size);
      own.add(number);
    }
    return own;
  });
  const holders = Array.from({ length: numbers.size }, () => []);
  all.forEach((own, at) => own.forEach((number) => holders[number].push(at)));
  const telling = (number) => holders[number].length > 1 && holders[number].length <= COMMON;
  return { parts: all.map((own) => [...own].filter(telling)), holders };
}

/** A hash of the bytes from `at` on. Two that collide only cost a little size. */
function hash(body, at) {
  let sum = 0;
  for (let offset = 0; offset < SHARED_BYTES; offset++) sum = Math.imul(sum, 31) + body[at + offset] | 0;
  return Math.imul(sum ^ sum >>> 15, 0x2c1b3c6d);
}

/** The functions' bodies and how many functions are imported before them. */
function readFunctions(wasm) {
  let at = 8;
  let imported = 0;
  let bodies = [];
  while (at < wasm.length) {
    const id = wasm[at];
    const [length, start] = readLeb(wasm, at + 1);
    if (id === SECTION.import) imported = countImported(wasm, start);
    if (id === SECTION.code) bodies = readBodies(wasm, start);
    at = start + length;
  }
  return { bodies, imported };
}

function readBodies(wasm, start) {
  let [count, at] = readLeb(wasm, start);
  const bodies = [];
  for (; count > 0; count--) {
    const [length, body] = readLeb(wasm, at);
    bodies.push(wasm.subarray(at, at = body + length));
  }
  return bodies;
}

function countImported(wasm, start) {
  let [count, at] = readLeb(wasm, start);
  const skipNumber = () => [, at] = readLeb(wasm, at);
  const skipText = () => {
    const [length, next] = readLeb(wasm, at);
    at = next + length;
  };
  const skipLimits = () => {
    const flags = wasm[at++];
    skipNumber();
    if (flags & 1) skipNumber();
  };
  let functions = 0;
  for (; count > 0; count--) {
    skipText();
    skipText();
    switch (wasm[at++]) {
      case KIND_FUNCTION: functions++; skipNumber(); break;
      case 1: at++; skipLimits(); break;
      case 2: skipLimits(); break;
      case 3: at += 2; break;
      default: at++; skipNumber();
    }
  }
  return functions;
}

function readLeb(bytes, at) {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * factor;
    if (byte < 128) return [value, at];
  }
}

function leb(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push(value % 128 + 128);
  return Buffer.from([...bytes, value]);
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([leb(bytes.length), bytes]);
}
