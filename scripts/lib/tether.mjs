/**
 * `node tether.mjs COMMAND ARGS…`: runs a command that ends with whoever started it, also when that one is killed
 * and gets to say nothing.
 *
 * Its standard input is a pipe that the starter holds open and never writes to: the end of the pipe is the end of the
 * starter. It leads a process group of its own, and ends all of it.
 */
import { spawn } from "node:child_process";

/** How long the group may take to end after SIGTERM; shorter than the starter's own patience. */
const GRACE_MS = 4000;

const [command, ...args] = process.argv.slice(2);
let isEnding = false;
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });

// The group is signalled as a whole, this process included, which outlives it to tell how it ended.
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});

child.once("error", (error) => {
  console.error(`${command} could not be started: ${error.code ?? error.message}`);
  process.exit(127);
});
child.once("close", (code, signal) => {
  // What it started and left behind has lost its reason to be.
  if (isEnding) process.kill(0, "SIGKILL");
  if (!signal) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // A signal that doesn't end a process.
  setTimeout(() => process.exit(1), 1000);
});

process.stdin.on("error", endAll).on("end", endAll).on("close", endAll).resume();

function endAll() {
  if (isEnding) return;
  isEnding = true;
  process.kill(0, "SIGTERM");
  setTimeout(() => process.kill(0, "SIGKILL"), GRACE_MS);
}
