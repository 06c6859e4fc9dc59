/** `npm start` as a person runs it: a process of its own, on a port and a folder of its own, that can be killed. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../scripts/lib/free-port.mjs";
import { ROOT, Site, eventually } from "./harness.mjs";

/** Set-up and build are done before; what is left is starting wrangler, on a machine that may have other work. */
const STARTS_WITHIN_MS = 150_000;

/** Starts the server on `folder` and waits until it says where it runs; `variables` go to wrangler. */
export async function startServer({ folder, variables = {} }) {
  const server = new Server(folder, variables);
  await server.start();
  return server;
}

class Server extends Site {
  #output = "";

  constructor(folder, variables) {
    super();
    Object.assign(this, { folder, variables });
  }

  async start() {
    this.port ??= await freePort();
    const args = [
      "--port", this.port, "--persist-to", this.folder,
      ...Object.entries(this.variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ];
    this.#output = "";
    this.child = spawn(process.execPath, [join(ROOT, "scripts/start.mjs"), ...args.map(String)], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      env: { ...process.env, KIOKU_BUILD: process.env.KIOKU_BUILD ?? "local", CI: "true" },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.on("data", (data) => { this.#output += data; });
    this.url = await eventually("the server's address", () => {
      if (this.child.exitCode !== null) throw new Error(`npm start ended: ${this.#output.slice(-2000)}`);
      return this.#output.match(/Kioku runs at (http:\/\/\S+)/)?.[1];
    }, { within: STARTS_WITHIN_MS }).catch(async (error) => {
      await this.kill();
      throw new Error(`${error.message}; it said: ${this.#output.slice(-2000)}`);
    });
  }

  /** A signal to the script alone, as a person or a supervisor sends it; resolves when nothing of the server runs. */
  async endBy(signal) {
    const family = descendants(this.child.pid);
    const closed = once(this.child, "close");
    this.child.kill(signal);
    await closed;
    await ended(family);
    for (const chat of this.chats) chat.close();
  }

  /** SIGKILL for the process group and for the groups of what it started: nothing gets to clean up. */
  async kill() {
    const family = descendants(this.child.pid);
    const closed = this.child.exitCode === null && this.child.signalCode === null ? once(this.child, "close") : null;
    for (const group of new Set(family.map(({ group }) => group))) process.kill(-group, "SIGKILL");
    await closed;
    await ended(family);
    for (const chat of this.chats) chat.close();
  }
}

function ended(family) {
  return eventually("every process of the server to end", () => {
    const running = new Set(processes().map(({ pid }) => pid));
    return family.every(({ pid }) => !running.has(pid));
  });
}

/** A process and all it started, also through groups of their own. */
function descendants(root) {
  const all = processes();
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

/** Every process of this machine that still runs; a zombie, which only waits to be counted, does not. */
function processes() {
  const rows = existsSync("/proc/self/stat")
    ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => procRow(pid) ?? [])
    : execFileSync("ps", ["-eo", "pid=,stat=,ppid=,pgid="], { encoding: "utf8" }).trim().split("\n");
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, state]) => !state.startsWith("Z"))
    .map(([pid, , parent, group]) => ({ pid: Number(pid), parent: Number(parent), group: Number(group) }));
}

/** As `ps` has it. The second field is a name in brackets, which may hold anything. */
function procRow(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return `${pid} ${stat.slice(stat.lastIndexOf(")") + 2)}`;
  } catch {
    return null;
  }
}
