/**
 * `npm start -- ARGS`: installs what is missing, builds, migrates the local D1 and starts the Worker; ARGS go to
 * `wrangler dev`. A second run does only what has changed.
 */
import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { buildWasm, buildWeb } from "./lib/build.mjs";
import { Failure, ROOT, conduct, run, seconds, start, step } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";
import { unlessFresh } from "./lib/stamp.mjs";

const OLLAMA = "http://127.0.0.1:11434";
/** Ollama is on this machine or it is not. */
const OLLAMA_MS = 300;

/** `KIOKU_BUILD=release npm start` runs exactly what would be deployed; it takes longer to build. */
const BUILD = process.env.KIOKU_BUILD ?? "local";

const began = Date.now();
await conduct(async () => {
  // npm takes its `--` out; whoever calls this file by hand may have copied it.
  const args = process.argv[2] === "--" ? process.argv.slice(3) : process.argv.slice(2);
  await portIsFree(args);
  const ollama = ollamaModels();
  await setUp();
  await buildWeb();
  await buildWasm(BUILD);
  localVariables();
  await migrate(option(args, "--persist-to"));
  offerOllama(await ollama, args);
  return serve(args);
});

/** Makes `.dev.vars` with what is missing in it; what is there is never changed. */
function localVariables() {
  const path = join(ROOT, ".dev.vars");
  const existing = existsSync(path) ? readFileSync(path, "utf8") : "";
  const wanted = { AUTH_MODE: "local", SESSION_SECRET: randomBytes(32).toString("hex") };
  const missing = Object.entries(wanted).filter(([name]) => !new RegExp(`^\\s*${name}\\s*=`, "m").test(existing));
  if (missing.length === 0) return;
  const gap = existing === "" || existing.endsWith("\n") ? "" : "\n";
  const lines = missing.map(([name, value]) => `${name}=${value}\n`).join("");
  writeFileSync(path, existing + gap + lines, { mode: 0o600 });
  console.log(`• .dev.vars: wrote ${missing.map(([name]) => name).join(" and ")}`);
}

/** The value of an option, or undefined. */
function option(args, name) {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (at < 0) return undefined;
  const value = args[at] === name ? args[at + 1] : args[at].slice(name.length + 1);
  if (!value || value.startsWith("-")) throw new Failure(`${name} needs a value`);
  return value;
}

/** Refuses a port that somebody has, before anything is built. Without `--port` wrangler looks for a free one itself. */
async function portIsFree(args) {
  const wanted = option(args, "--port");
  if (wanted === undefined || wanted === "0") return;
  const port = Number(wanted);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Failure(`--port needs a number up to 65535, not ${wanted}`);
  // A name may stand for several addresses, and a program may have the port on one of them.
  const addresses = await lookup(option(args, "--ip") ?? "localhost", { all: true }).catch(() => []);
  const errors = await Promise.all(addresses.map(({ address }) => new Promise((resolve) => {
    const server = createServer().once("error", resolve);
    server.listen({ port, host: address, ipv6Only: address.includes(":") }, () => server.close(() => resolve(null)));
  })));
  if (errors.some((error) => error?.code === "EADDRINUSE")) throw new Failure(`Port ${port} is taken by another program (another Kioku?); choose another with --port`);
  const denied = errors.find((error) => error?.code === "EACCES");
  if (denied) throw new Failure(`Port ${port} may only be used by an administrator; choose one above 1023`);
}

/** Applies new D1 migrations. The stamp lies with the data, so that fresh data is migrated again. */
async function migrate(directory) {
  if (!existsSync(join(ROOT, "migrations"))) return;
  const data = directory === undefined ? ".wrangler/state" : directory;
  await unlessFresh(
    {
      stamp: join(data, ".kioku-migrations"),
      inputs: ["migrations", "wrangler.toml"],
      outputs: [join(data, "v3/d1")],
    },
    () => step("Migrating the local D1", "3 s", () =>
      run("wrangler", [
        "d1", "migrations", "apply", "DB", "--local", "-c", "wrangler.toml",
        ...(directory === undefined ? [] : ["--persist-to", resolve(ROOT, directory)]),
      ], { quiet: true, env: { CI: "true" } })),
  );
}

/** The models that a local Ollama lists; none when nothing answers. */
async function ollamaModels() {
  try {
    const answer = await fetch(`${OLLAMA}/v1/models`, { signal: AbortSignal.timeout(OLLAMA_MS) });
    const { data } = await answer.json();
    return data.map(({ id }) => id).filter((id) => typeof id === "string");
  } catch {
    return [];
  }
}

function offerOllama(models, args) {
  if (models.length === 0 || args.some((arg) => arg.startsWith("MODEL_PROVIDER:"))) return;
  console.log(
    `• Ollama answers at ${OLLAMA}. To chat with its model instead of the built-in one:\n`
    + `  npm start -- --var MODEL_PROVIDER:openai --var MODEL_BASE_URL:${OLLAMA}/v1 --var CHAT_MODEL:${models[0]}`,
  );
}

/** Runs `wrangler dev` until it ends; resolves to its exit code. */
function serve(args) {
  return new Promise((done, fail) => {
    const main = BUILD === "local" ? [] : [`build/${BUILD}/index.js`];
    const child = start("wrangler", ["dev", ...main, "-c", "wrangler.toml", "-c", "stand-ins/vectorize/wrangler.toml", ...args], {
      // Where a request would come from is asked of a server; nothing here needs it, and it is a warning without network.
      env: { CLOUDFLARE_CF_FETCH_ENABLED: "false" },
    });
    let announced = false;
    let seen = "";
    const watch = (sink) => (data) => {
      sink.write(data);
      if (announced) return;
      seen += data;
      const ready = seen.match(/Ready on (https?:\/\/\S+)/);
      if (!ready) return;
      announced = true;
      console.log(`\n  Kioku runs at ${ready[1]}  (after ${seconds(Date.now() - began)}; Ctrl+C stops it)\n`);
    };
    child.stdout.on("data", watch(process.stdout));
    child.stderr.on("data", watch(process.stderr));
    child.once("error", (error) => fail(new Failure(`wrangler could not be started: ${error.message}`)));
    child.once("close", (code) => done(code ?? 0));
  });
}
