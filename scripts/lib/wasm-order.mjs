/**
 * Puts alike functions side by side, because gzip finds what repeats only within 32 KB.
 *
 * A generic function is in the wasm once for every type, and the copies lie far apart. Starting anywhere, the next
 * function is always the one that shares most with those just placed. The order is a matter of size alone, and is the
 * same for the same file.
 */

import { KIND, SECTION, importsOf, leb, readLeb, sectionsOf, text, wasmOf } from "./wasm-sections.mjs";

/** So many bytes in a row are one thing that functions can share. */
const SHARED_BYTES = 8;

/** What more functions than this contain says nothing about which are alike. */
const COMMON = 100;

/** How far back gzip looks, with room for the function that is being looked at. */
const WINDOW = 30_000;

const NAME_FUNCTIONS = 1;

/**
 * The wasm with names for its functions that sort as they should lie, for `wasm-opt --reorder-functions-by-name`.
 * Expects a file without a name section.
 */
export function nameInOrder(wasm) {
  const sections = sectionsOf(wasm);
  const contentOf = (wanted) => sections.find(({ id }) => id === wanted).content;
  const imported = importsOf(contentOf(SECTION.import)).filter(({ kind }) => kind === KIND.function).length;
  const names = [...orderOf(readBodies(contentOf(SECTION.code))).entries()]
    .map(([rank, body]) => [imported + body, String(rank).padStart(6, "0")])
    .sort(([a], [b]) => a - b);
  const list = Buffer.concat([
    leb(names.length), ...names.map(([index, name]) => Buffer.concat([leb(index), text(name)])),
  ]);
  const content = Buffer.concat([text("name"), Buffer.from([NAME_FUNCTIONS]), leb(list.length), list]);
  return wasmOf([...sections, { id: SECTION.custom, content }]);
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

function readBodies(code) {
  let [count, at] = readLeb(code, 0);
  const bodies = [];
  for (; count > 0; count--) {
    const [length, body] = readLeb(code, at);
    bodies.push(code.subarray(body, at = body + length));
  }
  return bodies;
}
