/** Makes what stands between the wasm and its JavaScript small: the names, and entries that nobody calls. */

import { Failure } from "./run.mjs";
import { SECTION, exportSection, exportsOf, importSection, importsOf, sectionsOf, wasmOf } from "./wasm-sections.mjs";

/** Types of the `worker` crate that are never made here. Their methods would keep code alive. */
const NEVER_MADE = ["containerstartupoptions", "intounderlyingbytesource", "intounderlyingsink", "r2range"];

/** The wasm without the methods of types that are never made. Throws where one of the types can be made after all. */
export function withoutUnused(wasm) {
  const sections = sectionsOf(wasm);
  const made = importsOf(contentOf(sections, SECTION.import))
    .filter(({ name }) => NEVER_MADE.some((type) => name.startsWith(`__wbg_${type}_new`)));
  if (made.length > 0) throw new Failure(`the wasm makes ${made.map(({ name }) => name).join(", ")}; see NEVER_MADE`);
  const unused = new RegExp(`^(__wbg_|__wbg_[gs]et_)?(${NEVER_MADE.join("|")})_`);
  return replaced(sections, SECTION.export, (content) =>
    exportSection(exportsOf(content).filter(({ name }) => !unused.test(name))));
}

/** The wasm and its JavaScript with short names for what the wasm imports. */
export function withShortNames(wasm, javascript) {
  const sections = sectionsOf(wasm);
  const short = new Map(importsOf(contentOf(sections, SECTION.import)).map(({ name }, at) => [name, `i${at.toString(36)}`]));
  const found = new Set();
  const script = javascript.replace(/[\w$]+/g, (word) => {
    if (!short.has(word)) return word;
    if (found.has(word)) throw new Failure(`the JavaScript has the import ${word} twice`);
    found.add(word);
    return short.get(word);
  });
  const lost = [...short.keys()].filter((name) => !found.has(name));
  if (lost.length > 0) throw new Failure(`the JavaScript lacks the imports ${lost.join(", ")}`);
  const renamed = replaced(sections, SECTION.import, (content) =>
    importSection(importsOf(content).map((one) => ({ ...one, name: short.get(one.name) }))));
  return { wasm: renamed, javascript: script };
}

function contentOf(sections, wanted) {
  return sections.find(({ id }) => id === wanted).content;
}

function replaced(sections, wanted, change) {
  return wasmOf(sections.map(({ id, content }) => ({ id, content: id === wanted ? change(content) : content })));
}
