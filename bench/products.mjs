/**
 * What is measured: Kioku, and, where a folder with peers is given, what somebody would take instead of it.
 *
 * A product is how workerd runs it (`modules`, `objects`, `bindings`, `vars`) and how a client speaks to it:
 * `client({user, url})` gives `{path, headers, frame(text), read(frame)}`, where `read` says what a frame means:
 * `ready`, `token`, `done`, `error` or nothing.
 */
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, Failure } from "../scripts/lib/run.mjs";
import { modulesOf } from "./runtime.mjs";

const SECRET = "a secret that only the bench uses, long enough";

/** Kioku with everything switched on: D1, Vectorize, the model over HTTP, embeddings by its own table. */
export function kioku(build, modelUrl) {
  const folder = join(ROOT, "build", build);
  if (!existsSync(join(folder, "index.js"))) throw new Failure(`build/${build} is missing: npm run build makes the release`);
  const modules = ["index.js", "index_bg.wasm"].map((name) => [name, join(folder, name)]);
  return {
    name: "kioku",
    modules,
    counted: { modules: [["counted.js", join(ROOT, "bench/worker/counted.js")], ...modules] },
    objects: { AGENT: "ChatAgent" },
    className: "ChatAgent",
    bindings: [
      `(name = "DB", wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = "d1")]))`,
      `(name = "ASSETS", service = "assets")`,
      `(name = "VECTORIZE", service = (name = "vectorize", entrypoint = "VectorizeIndex"))`,
    ],
    vars: {
      AUTH_MODE: "local", SESSION_SECRET: SECRET, MODEL_PROVIDER: "openai", MODEL_BASE_URL: modelUrl,
      MODEL_API_KEY: "bench", MODEL_CALLS: "many", CHAT_MODEL: "bench", EMBEDDING_PROVIDER: "embedded", DAILY_TOKEN_BUDGET: "1000000000",
      REQUESTS_PER_MINUTE: "1000000", CONNECTIONS_MAX: "100", STORAGE_MAX_MB: "4000",
    },
    services: {
      assets: { modules: [["assets.js", join(ROOT, "bench/worker/assets.js")]], objects: {} },
      d1: {
        modules: [["d1.js", join(ROOT, "bench/worker/d1.js")], ["schema.sql", schema()]],
        objects: { DATABASE: "Database" },
      },
      vectorize: {
        modules: modulesOf(join(ROOT, "stand-ins/vectorize/src"), "index.js"),
        objects: { INDEX: "IndexStore" },
        ownVars: { DIMENSIONS: "0", METADATA_INDEXES: "uid", LAG_MS: "0" },
      },
    },
    turns: 10_000,
    client: kiokuClient,
  };
}

async function kiokuClient({ user, url }) {
  const headers = { origin: url, cookie: await signIn(url, user) };
  let sent = 0;
  let turn = null;
  let id = null;
  return {
    path: "/api/chat",
    headers,
    frame(text) {
      id = `${user}-${Date.now().toString(36)}-${(sent += 1)}`;
      turn = null;
      return JSON.stringify({ type: "send", id, text });
    },
    read(text) {
      if (text === "pong") return undefined;
      const frame = JSON.parse(text);
      if (frame.type === "ready") return "ready";
      if (frame.type === "accepted" && frame.id === id) turn = frame.turn;
      if (frame.type === "error") return "error";
      if (frame.turn !== turn || turn === null) return undefined;
      if (frame.type === "delta") return "token";
      if (frame.type === "done") this.timing = frame.timing;
      return { done: "done", stopped: "error", failed: "error" }[frame.type];
    },
  };
}

/** The cookie of a user who signs in. */
export async function signIn(url, name) {
  const response = await fetch(`${url}/auth/local`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Failure(`signing in answered ${response.status}: ${await response.text()}`);
  return response.headers.getSetCookie()[0].split(";")[0];
}

/**
 * The peers of a folder that has `peers.json` (how each is run), their bundles, and a client a protocol in
 * `load/drivers`. Only those that are there and asked for.
 */
export async function peers(folder, names, modelUrl) {
  const root = resolve(folder);
  const known = JSON.parse(readFileSync(join(root, "peers.json"), "utf8"));
  const codes = await import(pathToFileURL(join(root, "load/lib/codes.mjs")).href);
  const meaning = new Map([[codes.READY, "ready"], [codes.TOKEN, "token"], [codes.DONE, "done"], [codes.ERROR, "error"]]);
  const found = [];
  for (const name of names) {
    const peer = known[name];
    if (!peer) throw new Failure(`${root}/peers.json has no ${name}: it has ${Object.keys(known).join(", ")}`);
    const { create } = await import(pathToFileURL(join(root, "load/drivers", `${peer.driver}.mjs`)).href);
    found.push({
      name,
      modules: modulesOf(join(root, peer.dir), peer.main),
      objects: peer.dos,
      className: Object.values(peer.dos)[0],
      flags: peer.flags ?? ["nodejs_compat"],
      // The SDK imports this module, whose inside is the host's.
      internals: [["cloudflare-internal:email", "export class EmailMessage {} export default { EmailMessage };"]],
      vars: { LLM_BASE_URL: modelUrl, LLM_API_KEY: "bench", LLM_MODEL: "bench", ...peer.vars },
      turns: name === "bare" ? 10_000 : 1_000,
      async client({ user }) {
        const driver = create({ user, conn: 0, opts: peer.opt ?? {} });
        return {
          path: driver.path,
          headers: driver.headers,
          readyOnOpen: driver.readyOnOpen,
          frame: (text) => driver.frame(text),
          read: (text) => meaning.get(driver.onMessage(text)),
        };
      },
    });
  }
  return found;
}

/** Every migration of D1 in one file. */
function schema() {
  const file = join(mkdtempSync(join(tmpdir(), "kioku-bench-schema-")), "schema.sql");
  const names = readdirSync(join(ROOT, "migrations")).sort();
  writeFileSync(file, names.map((name) => readFileSync(join(ROOT, "migrations", name), "utf8")).join("\n"));
  return file;
}
