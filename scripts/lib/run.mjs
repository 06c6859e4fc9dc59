/** Running programs: every child belongs to this process and ends with it, however this process ends. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { reasonOf, roomIn } from "./room.mjs";

/** The repository's root. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A step that failed for a reason the reader can act on: printed without a stack. */
export class Failure extends Error {}

const children = new Set();

/** What programs say when names can't be resolved or nothing answers. */
const OFFLINE = /EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED|ETIMEDOUT|could not resolve|couldn't resolve|network is unreachable|dns error|failed to lookup address/i;

const TETHER = fileURLToPath(new URL("tether.mjs", import.meta.url));
/** How often it is looked whether npm is still there. */
const WATCH_MS = 1000;

/** How long a child may take to end after SIGTERM. */
const GRACE_MS = 5000;

/**
 * The environment of every child: tools of this repository first, no telemetry, no questions.
 * npm puts its own settings into the environment of scripts; cargo and wrangler do not need them.
 */
function environment(more) {
  return {
    ...process.env,
    PATH: `${ROOT}node_modules/.bin:${process.env.PATH}`,
    WRANGLER_SEND_METRICS: "false",
    ...more,
  };
}

/**
 * Runs `command` in the root and resolves to its output; rejects with a `Failure` that names it. With `quiet` the
 * output is only shown on failure; with `watch`, each piece of output is passed on as well as shown; `online` names what
 * needs the network, so that its absence is one line.
 */
export function run(command, args, { env, quiet = false, watch, may_fail = false, online } = {}) {
  return new Promise((resolve, reject) => {
    const child = start(command, args, { env });
    let output = "";
    let stdout = "";
    for (const [stream, sink] of [[child.stdout, process.stdout], [child.stderr, process.stderr]]) {
      stream.setEncoding("utf8");
      stream.on("data", (data) => {
        output += data;
        if (stream === child.stdout) stdout += data;
        if (!quiet) sink.write(data);
        watch?.(data);
      });
    }
    child.once("error", (error) => reject(new Failure(`${command} could not be started: ${error.message}`)));
    child.once("close", (code, signal) => {
      if (code === NOT_STARTED && output.includes(`${command} could not be started`)) {
        return reject(new Failure(output.trim()));
      }
      if (code === 0 || may_fail) return resolve({ code, output, stdout });
      if (online && OFFLINE.test(output)) {
        return reject(new Failure(`${online} needs the network, which can't be reached; with it, the same command goes on from here`));
      }
      if (quiet) process.stderr.write(output);
      reject(new Failure(`\`${[command, ...args].join(" ")}\` ended with ${signal ?? `exit code ${code}`}${reasonOf(roomIn(ROOT))}`));
    });
  });
}

/** The exit code of a tether whose command doesn't exist. */
const NOT_STARTED = 127;

/**
 * Starts `command` in a process group of its own, so that what it starts can be ended with it, and on a tether, so
 * that all of it ends when this process is killed.
 */
export function start(command, args, { env } = {}) {
  const child = spawn(process.execPath, [TETHER, command, ...args], {
    cwd: ROOT, env: environment(env), stdio: ["pipe", "pipe", "pipe"], detached: true,
  });
  // The pipe is only there to end.
  child.stdin.on("error", () => {});
  children.add(child);
  child.once("close", () => children.delete(child));
  return child;
}

/** Ends `child` and all it started: politely, then for good. */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return signal(child, "SIGKILL");
  const closed = new Promise((resolve) => child.once("close", resolve));
  signal(child, "SIGTERM");
  const timer = setTimeout(() => signal(child, "SIGKILL"), GRACE_MS);
  await closed;
  clearTimeout(timer);
  // The leader is gone; whatever is left in its group has lost its reason to be.
  signal(child, "SIGKILL");
}

function signal(child, name) {
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group has already ended.
  }
}

/** Runs `main`; on a signal or an error all children end first. The exit code says how it went. */
export async function conduct(main) {
  for (const [name, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]]) {
    process.once(name, async () => {
      await Promise.all([...children].map(end));
      process.exit(code);
    });
  }
  process.once("exit", () => children.forEach((child) => signal(child, "SIGKILL")));
  endWithNpm();
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(`\n✗ ${error instanceof Failure ? error.message : error.stack}`);
    process.exitCode = 1;
  }
  await Promise.all([...children].map(end));
}

/**
 * Ends this process when the npm that runs it is gone: npm doesn't pass signals on through the shell between them, and
 * a killed npm passes nothing on. Without npm nothing is watched, so that a server may outlive the shell it was
 * started from.
 */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event || process.platform === "win32") return;
  const parent = process.ppid;
  // Some shells become the program that they run; then the parent is npm itself, and npm's parent no concern of ours.
  const npm = isShell(parent) ? parentOf(parent) : undefined;
  const timer = setInterval(() => {
    // A process whose parent ends gets another one.
    if (process.ppid === parent && (npm === undefined || parentOf(parent) === npm)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, WATCH_MS);
  timer.unref();
}

function isShell(pid) {
  try {
    const name = existsSync("/proc/self/comm") ? readFileSync(`/proc/${pid}/comm`, "utf8") : ps(pid, "comm");
    return /^-?(sh|bash|dash|ash|zsh|ksh|busybox)$/.test(basename(name.trim()));
  } catch {
    return false;
  }
}

/** The parent of a process; undefined where that can't be told. */
function parentOf(pid) {
  try {
    if (!existsSync("/proc/self/stat")) return Number(ps(pid, "ppid"));
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is a name in brackets, which may hold anything.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

/** One field of a process, where there is no /proc. */
function ps(pid, field) {
  return execFileSync("ps", ["-o", `${field}=`, "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** Prints what is being done and about how long it takes, does it, prints how long it took. */
export async function step(what, about, action) {
  const began = Date.now();
  console.log(`• ${what}${about ? ` (about ${about})` : ""} …`);
  const result = await action();
  console.log(`✓ ${what}: ${seconds(Date.now() - began)}`);
  return result;
}

export function seconds(ms) {
  const total = Math.round(ms / 100) / 10;
  return total < 60 ? `${total} s` : `${Math.floor(total / 60)} min ${Math.round(total % 60)} s`;
}
