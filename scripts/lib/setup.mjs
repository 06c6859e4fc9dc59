/** What has to be there before anything can be built: npm packages, the wasm target, the build tools. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { warningOf, roomIn } from "./room.mjs";
import { Failure, ROOT, run, step } from "./run.mjs";
import { unlessFresh } from "./stamp.mjs";

const WORKER_BUILD = "0.8.7";
const TARGET = "wasm32-unknown-unknown";

/** Where the build tools are, relative to the root. Never committed. */
export const TOOLS = ".tools";

/** Installs what is missing: npm packages beside the Rust tools. In seconds when nothing is. */
export async function setUp() {
  await Promise.all([npmPackages(), wasmTarget().then(buildTools)]);
}

async function npmPackages() {
  await unlessFresh(
    { stamp: "node_modules/.kioku-stamp", inputs: ["package-lock.json"], outputs: ["node_modules/.bin/wrangler"] },
    () => step("Installing npm packages", "20 s", () =>
      run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"],
        { quiet: true, online: "Installing npm packages" })),
  );
}

/** Asks for toolchain and target by name: rustup may have been told not to install on its own. */
async function wasmTarget() {
  const wanted = readFileSync(join(ROOT, "rust-toolchain.toml"), "utf8").match(/channel = "([^"]+)"/)[1];
  const ask = () => run("rustc", ["--print", "sysroot"], { quiet: true, may_fail: true });
  let rustc = await ask().catch(() => {
    throw new Failure("Rust is needed: install rustup (rustup.rs or your system's package), then try again");
  });
  if (rustc.code !== 0) {
    await step(`Installing Rust ${wanted}`, "1 min", () =>
      run("rustup", ["toolchain", "install", wanted, "--profile", "minimal", "-c", "clippy", "-c", "rustfmt"],
        { quiet: true, online: `Installing Rust ${wanted}` }));
    rustc = await ask();
  }
  const sysroot = rustc.output.trim().split("\n").at(-1);
  if (existsSync(join(sysroot, "lib/rustlib", TARGET))) return;
  await step(`Adding the Rust target ${TARGET}`, "5 s", () =>
    run("rustup", ["target", "add", "--toolchain", wanted, TARGET], { quiet: true, online: `Adding the Rust target ${TARGET}` }));
}

/**
 * worker-build and the wasm-bindgen command line, built from source: nothing is fetched but crates. Without
 * optimisation they build several times faster, and they are run for seconds. They share one target folder because
 * many of their dependencies are the same.
 */
async function buildTools() {
  const bindgen = lockedVersion("wasm-bindgen");
  const worker = { name: "worker-build", version: WORKER_BUILD, bin: "worker-build" };
  const tools = [worker, { name: "wasm-bindgen-cli", version: bindgen, bin: "wasm-bindgen" }];
  const missing = tools.filter(({ name, version, bin }) =>
    !existsSync(join(ROOT, TOOLS, `${name}-${version}`)) || !existsSync(join(ROOT, TOOLS, "bin", bin)));
  if (missing.length === 0) return;
  const warning = warningOf(roomIn(ROOT));
  if (warning) console.log(`! ${warning}`);
  mkdirSync(join(ROOT, TOOLS), { recursive: true });
  const target = join(ROOT, TOOLS, "target");
  await step(`Building ${missing.map(({ name, version }) => `${name} ${version}`).join(" and ")}, once`, "3 min", async () => {
    for (const tool of missing) await cargoInstall(tool, target);
    rmSync(target, { recursive: true, force: true });
  });
}

async function cargoInstall({ name, version, bin }, target) {
  const env = {
    CARGO_TARGET_DIR: target,
    CARGO_PROFILE_DEV_DEBUG: "0",
    CARGO_PROFILE_DEV_STRIP: "symbols",
  };
  const args = ["install", name, "--version", version, "--bin", bin, "--debug", "--root", join(ROOT, TOOLS), "--force"];
  // A locked install can fail where the registry's index lags behind the lock file; an unlocked one then works.
  const locked = await run("cargo", [...args, "--locked"], { env, quiet: true, may_fail: true });
  if (locked.code !== 0) await run("cargo", args, { env, quiet: true, online: `Building ${name}` });
  mkdirSync(join(ROOT, TOOLS, `${name}-${version}`), { recursive: true });
}

/** A package's version in Cargo.lock: the command line must be exactly that of the crate. */
function lockedVersion(name) {
  const lock = readFileSync(join(ROOT, "Cargo.lock"), "utf8");
  const found = lock.match(new RegExp(`name = "${name}"\\nversion = "([^"]+)"`));
  if (!found) throw new Failure(`Cargo.lock has no ${name}`);
  return found[1];
}
