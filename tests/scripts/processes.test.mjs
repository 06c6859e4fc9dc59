/** What the scripts start ends with them, however they end. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const RUN = pathToFileURL(fileURLToPath(new URL("../../scripts/lib/run.mjs", import.meta.url))).href;
const WITHIN_MS = 20_000;
const folder = mkdtempSync(join(tmpdir(), "kioku-processes-"));
const SERVER = join(folder, "server.mjs");
after(() => rmSync(folder, { recursive: true, force: true }));

// A program that starts another, as wrangler starts workerd; both say who they are and then wait.
writeFileSync(SERVER, `
  import { spawn } from "node:child_process";
  console.log("pid", process.pid);
  if (process.argv[2] === "parent") spawn(process.execPath, [process.argv[1], "child"], { stdio: "inherit" });
  if (process.argv[3] === "deaf") process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
`);
writeFileSync(join(folder, "script.mjs"), `
  import { conduct, run } from ${JSON.stringify(RUN)};
  await conduct(async () => {
    const { code } = await run(process.argv[2], process.argv.slice(3), { may_fail: true });
    console.log("code", code);
  });
`);
writeFileSync(join(folder, "package.json"), JSON.stringify({
  private: true, scripts: { serve: `node script.mjs ${JSON.stringify(process.execPath)} ${JSON.stringify(SERVER)} parent` },
}));

/** Starts a command and waits for the two programs; `pids` are theirs. */
async function started(command, args) {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => { child.said = output += data; });
  const pids = () => [...output.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
  await until(() => pids().length === 2, () => `two programs: ${output}`);
  return { child, pids: pids() };
}

/** Whether a process runs; one that only waits to be counted does not. */
function runs(pid) {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch (error) {
    // Where there is no /proc, the signal that arrived is the answer.
    return error.code === "ENOENT";
  }
}

async function until(holds, what) {
  const deadline = Date.now() + WITHIN_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`not within ${WITHIN_MS} ms: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const script = (...args) => [join(folder, "script.mjs"), ...args];

describe("what a script starts", () => {
  for (const signal of ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]) {
    test(`ends when the script gets ${signal}`, async () => {
      const { child, pids } = await started(process.execPath, script(process.execPath, SERVER, "parent"));
      child.kill(signal);
      await until(() => !pids.some(runs), () => `${pids} to end`);
    });
  }

  test("ends even if it doesn't listen", async () => {
    const { child, pids } = await started(process.execPath, script(process.execPath, SERVER, "parent", "deaf"));
    child.kill("SIGKILL");
    await until(() => !pids.some(runs), () => `${pids} to end`);
  });

  for (const signal of ["SIGKILL", "SIGTERM"]) {
    test(`ends when the npm that runs the script gets ${signal}`, async () => {
      const { child, pids } = await started("npm", ["run", "serve"]);
      child.kill(signal);
      await until(() => !pids.some(runs), () => `${pids} to end`);
    });
  }

  test("goes on without the shell that npm was started from", async () => {
    const { child, pids } = await started("sh", ["-c", "npm run serve & echo npm $!; wait"]);
    const npm = Number(child.said.match(/^npm (\d+)$/m)[1]);
    child.kill("SIGKILL");
    // Longer than it takes to see that npm is gone.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.ok(pids.every(runs));
    process.kill(npm, "SIGKILL");
    await until(() => !pids.some(runs), () => `${pids} to end`);
  });

  test("tells how it ended, and that it isn't there", async () => {
    const ended = async (...args) => {
      const child = spawn(process.execPath, script(...args), { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => { output += data; });
      const [code] = await once(child, "close");
      return { code, output };
    };
    assert.match((await ended(process.execPath, "-e", "process.exit(3)")).output, /code 3/);
    assert.match((await ended(process.execPath, "-e", "process.kill(process.pid, 'SIGKILL')")).output, /code null/);
    const missing = await ended("no-such-program-anywhere");
    assert.equal(missing.code, 1);
    assert.match(missing.output, /✗ no-such-program-anywhere could not be started/);
    assert.doesNotMatch(missing.output, /at .*mjs:\d+/, "one line, no stack");
  });
});
