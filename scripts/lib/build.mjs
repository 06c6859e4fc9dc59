/** Building the web pages and the wasm, and keeping the wasm small. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Failure, ROOT, run, step } from "./run.mjs";
import { TOOLS } from "./setup.mjs";
import { unlessFresh } from "./stamp.mjs";
import { nameInOrder } from "./wasm-order.mjs";
import { withShortNames, withoutUnused } from "./wasm-seam.mjs";

/** The released wasm's code may have this many bytes after gzip. */
// The aim is 400 KB; until then this keeps it from growing. See docs/decisions/small-wasm.md.
export const MAX_WASM_GZIP = 718 * 1024;

/** With the table that embeds without a model. */
export const MAX_WHOLE_GZIP = 2440 * 1024;

const RUST_INPUTS = ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "src", "text", "assets"];

export async function buildWeb() {
  if (!existsSync(join(ROOT, "web/build.mjs"))) return;
  await unlessFresh(
    { stamp: ".tools/stamps/web", inputs: webInputs(), outputs: ["web/dist"] },
    () => step("Building the web pages", "2 s", () => run("node", ["web/build.mjs"], { quiet: true })),
  );
}

/**
 * Builds `build/local` (fast to build) or `build/release` (small, what is deployed) and prints its size. Throws
 * when a release is over its bound.
 */
export async function buildWasm(profile) {
  const out = `build/${profile}`;
  const about = profile === "release" ? "2 min the first time" : "1 min the first time";
  await unlessFresh(
    {
      stamp: `.tools/stamps/wasm-${profile}`,
      inputs: [...RUST_INPUTS, "scripts/lib/build.mjs", "package-lock.json"],
      outputs: [`${out}/index.js`],
    },
    () => step(`Building the wasm (${profile})`, about, async () => {
      await run(join(ROOT, TOOLS, "bin/worker-build"), [
        ...(profile === "release" ? ["--release"] : ["--profile", profile]),
        "--no-opt", "--out-dir", out,
      ], { env: toolPaths(), quiet: true, online: "Building the wasm for the first time" });
      if (profile === "release") await shrink(join(ROOT, out, "index_bg.wasm"), join(ROOT, out, "index.js"));
    }),
  );
  return size(profile);
}

/**
 * What makes the download smaller. `-O` and `-Oz` make the file smaller and the download larger: after inlining and
 * with locals numbered anew, less repeats for gzip.
 */
const PASSES = [
  "strip-debug", "strip-producers",
  "duplicate-function-elimination", "remove-unused-module-elements", "remove-unused-brs", "merge-blocks", "precompute",
  "vacuum", "reorder-locals", "dce", "simplify-locals-nostructure", "optimize-instructions",
  "duplicate-function-elimination", "remove-unused-module-elements",
];

/** Makes the download small. Also removes the functions' names, an eighth of it, which worker-build always keeps. */
async function shrink(wasm, javascript) {
  const passes = (list) => run("wasm-opt", ["--enable-exception-handling", wasm, ...list.map((pass) => `--${pass}`), "-o", wasm], { quiet: true });
  writeFileSync(wasm, withoutUnused(readFileSync(wasm)));
  await passes(PASSES);
  writeFileSync(wasm, nameInOrder(readFileSync(wasm)));
  await passes(["reorder-functions-by-name", "strip-debug"]);
  const short = withShortNames(readFileSync(wasm), readFileSync(javascript, "utf8"));
  writeFileSync(wasm, short.wasm);
  writeFileSync(javascript, short.javascript);
}

/** Prints the wasm's size, raw and after gzip, with and without the embedding table, and enforces the bounds on releases. */
function size(profile) {
  const directory = join(ROOT, `build/${profile}`);
  const wasm = readdirSync(directory).filter((name) => name.endsWith(".wasm"));
  if (wasm.length === 0) throw new Failure(`build/${profile} has no wasm`);
  const contents = wasm.map((name) => readFileSync(join(directory, name)));
  const zipped = (content) => gzipSync(content, { level: 9 }).length;
  const sum = (list) => list.reduce((total, bytes) => total + bytes, 0);
  const table = zipped(readFileSync(join(ROOT, "assets/embedding.bin")));
  const raw = sum(contents.map((content) => content.length));
  const whole = sum(contents.map(zipped));
  const code = whole - table;
  const kb = (bytes) => `${Math.round(bytes / 1024)} KB`;
  const bound = profile === "release" ? `, of ${kb(MAX_WASM_GZIP)} allowed` : "";
  console.log(`• wasm (${profile}): ${kb(raw)} raw, ${kb(whole)} gzip; without the embedding table ${kb(code)} gzip${bound}`);
  if (profile === "release" && code > MAX_WASM_GZIP) {
    throw new Failure(`the released code has ${code} bytes after gzip; ${MAX_WASM_GZIP} are allowed`);
  }
  if (profile === "release" && whole > MAX_WHOLE_GZIP) {
    throw new Failure(`the released wasm has ${whole} bytes after gzip; ${MAX_WHOLE_GZIP} are allowed`);
  }
  return { raw, gzip: whole, code };
}

/** Absolute paths: worker-build does not search PATH, and fetches what it is not shown. */
function toolPaths() {
  return {
    WASM_BINDGEN_BIN: join(ROOT, TOOLS, "bin/wasm-bindgen"),
    ESBUILD_BIN: join(ROOT, "node_modules/.bin/esbuild"),
    WASM_OPT_BIN: join(ROOT, "node_modules/.bin/wasm-opt"),
  };
}

function webInputs() {
  const own = readdirSync(join(ROOT, "web")).filter((name) => name !== "dist").map((name) => `web/${name}`);
  return [...own, "package-lock.json"];
}
