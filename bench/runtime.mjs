/**
 * Runs a built Worker straight in workerd, without wrangler or Miniflare in between, in the same way for Kioku and for
 * what it is compared with.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { once } from "node:events";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { freePort } from "../scripts/lib/free-port.mjs";
import { ROOT } from "../scripts/lib/run.mjs";

const require = createRequire(import.meta.url);
// The binary itself: the package's own command is a script that would be measured too.
const WORKERD = require("workerd").default;
const DATE = readFileSync(join(ROOT, "wrangler.toml"), "utf8").match(/^compatibility_date = "(.+)"/m)[1];

/**
 * Starts workerd with a product (see products.mjs) and gives `{pid, url, stop()}`; `startedMs` is when the process was
 * spawned, on `performance.now()`'s clock. `storage` is a folder that outlives it.
 */
export async function start(product, { storage, vars = {}, counted = false, args = [] }) {
  const folder = mkdtempSync(join(tmpdir(), "kioku-bench-"));
  mkdirSync(storage, { recursive: true });
  const port = await freePort();
  const file = join(folder, "config.capnp");
  writeFileSync(file, config(product, { folder, storage, port, vars: { ...product.vars, ...vars }, counted }));
  const log = join(folder, "log");
  const output = openSync(log, "w");
  // The runtime on one core, the model and the client on another: neither waits for the other's work.
  const pinned = availableParallelism() > 1 && process.platform === "linux" ? ["taskset", "-c", "0"] : [];
  const command = [...pinned, WORKERD, "serve", file, "--experimental", ...args];
  const startedMs = performance.now();
  // Directly: what is measured is this process and none around it.
  const child = spawn(command[0], command.slice(1), { stdio: ["ignore", output, output] });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  const ended = once(child, "exit");
  while (child.exitCode === null && !(await listens(port))) await new Promise((resolve) => setTimeout(resolve, 1));
  if (child.exitCode !== null) throw new Error(`workerd ended: ${readFileSync(log, "utf8").slice(-3000)}`);
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    startedMs,
    log: () => readFileSync(log, "utf8"),
    async stop() {
      child.kill("SIGTERM");
      const hard = setTimeout(() => child.kill("SIGKILL"), 3000);
      await ended;
      clearTimeout(hard);
      process.off("exit", end);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where workerd keeps the objects of a class, one SQLite file each. */
export function objectFiles(storage, className) {
  const folder = join(storage, keyOf(className));
  return readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)).map((name) => join(folder, name));
}

function config(product, { folder, storage, port, vars, counted }) {
  const service = (name, worker) => `(name = ${quoted(name)}, worker = ${worker}),`;
  const services = Object.entries(product.services ?? {}).map(([name, part]) => service(name, worker(part, {})));
  const main = counted ? { ...product, ...product.counted } : product;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ${service("main", worker(main, vars))}
    ${services.join("\n    ")}
    (name = "internet", network = (allow = ["local"])),
    (name = "disk", disk = (path = ${quoted(storage)}, writable = true)),
  ],
  extensions = [${(product.internals ?? []).map(([name, text]) => `(modules = [(name = ${quoted(name)}, internal = true, esModule = ${quoted(text)})])`).join(", ")}],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`;

  function worker(part, variables) {
    const modules = part.modules.map(([name, path]) => {
      const kind = path.endsWith(".wasm") ? "wasm" : path.endsWith(".sql") ? "text" : "esModule";
      return `(name = ${quoted(name)}, ${kind} = embed ${quoted(relative(folder, resolve(path)))})`;
    });
    const bindings = [
      ...Object.entries({ ...part.ownVars, ...variables }).map(([name, text]) => `(name = ${quoted(name)}, text = ${quoted(String(text))})`),
      ...Object.entries(part.objects).map(([name, className]) => `(name = ${quoted(name)}, durableObjectNamespace = ${quoted(className)})`),
      ...(part.bindings ?? []),
    ];
    const classes = [...new Set(Object.values(part.objects))].map((name) =>
      `(className = ${quoted(name)}, uniqueKey = ${quoted(keyOf(name))}, enableSql = true)`);
    return `(
      modules = [${modules.join(", ")}],
      compatibilityDate = ${quoted(DATE)}, compatibilityFlags = [${(part.flags ?? []).map(quoted).join(", ")}],
      bindings = [${bindings.join(", ")}],
      ${classes.length > 0 ? `durableObjectNamespaces = [${classes.join(", ")}], durableObjectStorage = (localDisk = "disk"),` : ""}
    )`;
  }
}

/** The modules of a folder, the entry first. */
export function modulesOf(folder, entry) {
  const names = readdirSync(folder, { recursive: true })
    .filter((name) => /\.(m?js|wasm)$/.test(name) && statSync(join(folder, name)).isFile());
  return names.sort((a, b) => (b === entry) - (a === entry)).map((name) => [name, join(folder, name)]);
}

const keyOf = (className) => `bench-${className}`;
const quoted = (text) => JSON.stringify(text);

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => { socket.destroy(); resolve(true); });
    socket.once("error", () => resolve(false));
  });
}
