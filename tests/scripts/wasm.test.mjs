/** What the release build does to the wasm's names, on files of a few bytes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { withShortNames, withoutUnused } from "../../scripts/lib/wasm-seam.mjs";
import {
  KIND, SECTION, exportSection, exportsOf, importSection, importsOf, sectionsOf, wasmOf,
} from "../../scripts/lib/wasm-sections.mjs";

const TYPE = { id: 1, content: Buffer.from([1, 0x60, 0, 0]) };

function wasm(imports, exports) {
  const made = imports.map((name) => ({ module: "./js", name, kind: KIND.function, type: Buffer.from([0]) }));
  return wasmOf([
    TYPE,
    { id: SECTION.import, content: importSection(made) },
    { id: SECTION.export, content: exportSection(exports.map((name) => ({ name, kind: KIND.function, index: 0 }))) },
  ]);
}

const contentOf = (file, wanted) => sectionsOf(file).find(({ id }) => id === wanted).content;

test("imports get short names on both sides, and still find each other", async () => {
  const long = wasm(["__wbg_add_1", "__wbg_add_12"], ["run"]);
  const script = 'imports = { "./js": { __wbg_add_12: () => 12, __wbg_add_1: () => 1 } }';
  const short = withShortNames(long, script);
  assert.ok(short.wasm.length < long.length && short.javascript.length < script.length);
  const imports = new Function(`let imports; ${short.javascript}; return imports`)();
  await WebAssembly.instantiate(short.wasm, imports);
  const called = importsOf(contentOf(short.wasm, SECTION.import)).map(({ name }) => imports["./js"][name]());
  assert.deepEqual(called, [1, 12]);
});

test("an import that the JavaScript lacks, or has twice, stops the build", () => {
  const file = wasm(["__wbg_add_1"], []);
  assert.throws(() => withShortNames(file, "imports = {}"), /lacks the imports __wbg_add_1/);
  assert.throws(() => withShortNames(file, "[__wbg_add_1, __wbg_add_1]"), /twice/);
});

test("methods of types that are never made are left out, and a type that is made after all stops the build", () => {
  const left = withoutUnused(wasm(["__wbg_add_1"], ["fetch", "r2range_x", "__wbg_get_r2range_offset", "__wbg_r2range_free"]));
  assert.deepEqual(exportsOf(contentOf(left, SECTION.export)).map(({ name }) => name), ["fetch"]);
  assert.throws(() => withoutUnused(wasm(["__wbg_r2range_new"], ["fetch"])), /__wbg_r2range_new/);
});
