/**
 * `npm test`: the same set-up as `npm start`, then every check in order. A failing step does not keep the later ones
 * from telling what they know; steps that need the wasm fail with it. The last line sums up the test runners.
 */
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildWasm, buildWeb } from "./lib/build.mjs";
import { reasonOf, roomIn } from "./lib/room.mjs";
import { Failure, ROOT, conduct, run, seconds } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

const totals = { passed: 0, failed: 0 };
const broken = [];

await conduct(async () => {
  const began = Date.now();
  await setUp();
  await check("format", () => run("cargo", ["fmt", "--all", "--check"]));
  await check("lint for this machine", () => run("cargo", ["clippy", "--all-targets", "--quiet", "--", "-D", "warnings"]));
  await check("lint for wasm", () =>
    run("cargo", ["clippy", "--lib", "--quiet", "--target", "wasm32-unknown-unknown", "--", "-D", "warnings"]));
  // A fixed seed: whether a commit passes must not depend on chance. PROPTEST_RNG_SEED and PROPTEST_CASES explore.
  await check("native tests", () => tests("cargo", ["test", "--quiet"], { PROPTEST_RNG_SEED: "1", ...process.env }));
  await check("web types", () => run("tsc", ["-p", "web", "--noEmit"]));
  await check("web tests", () => nodeTests("tests/web", 1));
  const built = await check("the released wasm and its size", async () => {
    await buildWeb();
    await buildWasm("release");
  });
  await check("script tests", () => nodeTests("tests/scripts", 2), built);
  await check("Miniflare tests", () => nodeTests("tests/e2e", 2), built);
  await check("browser tests", async () => nodeTests("tests/browser", 1, { CHROMIUM_PATH: chromium() }), built);

  console.log(`\nEverything took ${seconds(Date.now() - began)}.`);
  for (const name of broken) console.log(`✗ failed: ${name}`);
  console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
  return broken.length === 0 ? 0 : 1;
});

/** Runs one step under a heading with its duration; a failure is recorded under its name. */
async function check(name, action, possible = true) {
  const began = Date.now();
  const before = totals.failed;
  console.log(`\n── ${name} ──`);
  try {
    if (!possible) throw new Failure("needs the wasm, which was not built");
    await action();
    console.log(`✓ ${name}: ${seconds(Date.now() - began)}`);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.log(`✗ ${name}: ${error.message} (${seconds(Date.now() - began)})`);
    broken.push(name);
    // A step that fails without a failing test still counts, so that the last line never says "0 failed" falsely.
    if (totals.failed === before) totals.failed += 1;
    return false;
  }
}

/** Runs a test runner and adds up its closing lines; a runner that ran nothing has failed. */
async function tests(command, args, env) {
  const { code, output } = await run(command, args, { env, may_fail: true });
  const text = output.replace(/\u001b\[[0-9;]*m/g, "");
  let passed = 0;
  let failed = 0;
  for (const line of text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)) {
    passed += Number(line[1]);
    failed += Number(line[2]);
  }
  for (const [, what, count] of text.matchAll(/^(?:#|ℹ) (pass|fail|cancelled) (\d+)$/gm)) {
    if (what === "pass") passed += Number(count);
    else failed += Number(count);
  }
  totals.passed += passed;
  totals.failed += failed;
  if (code !== 0) throw new Failure(`${command} ended with exit code ${code}${reasonOf(roomIn(ROOT))}`);
  if (passed + failed === 0) throw new Failure("no test ran");
}

/**
 * `node --test` over a folder, against the released wasm. So many files run side by side: what mostly waits (for an outage
 * to pass, for a process to start) needn't wait in turn, and what is looked at in a browser has the machine to itself.
 */
function nodeTests(directory, sideBySide, env) {
  const path = join(ROOT, directory);
  const files = existsSync(path)
    ? readdirSync(path, { recursive: true }).filter((name) => name.endsWith(".test.mjs")).sort()
    : [];
  if (files.length === 0) throw new Failure(`${directory} has no tests`);
  return tests(
    "node",
    ["--test", "--test-reporter=spec", "--test-timeout=120000", `--test-concurrency=${sideBySide}`, ...files.map((name) => join(directory, name))],
    { KIOKU_BUILD: "release", ...env },
  );
}

/** The browser to test with; its absence is an error, because a skipped test passes for a passed one. */
function chromium() {
  const places = process.env.CHROMIUM_PATH
    ? [process.env.CHROMIUM_PATH]
    : process.env.PATH.split(delimiter).flatMap((folder) => [join(folder, "chromium"), join(folder, "chromium-browser")]);
  const found = places.find((path) => existsSync(path));
  if (!found) {
    throw new Failure("Chromium is needed: apt-get install chromium, or CHROMIUM_PATH=/path/to/chromium npm test");
  }
  return found;
}
