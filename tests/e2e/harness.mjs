/**
 * Kioku as built, on Miniflare, with the local Vectorize and a scripted model: everything a test needs to be a user
 * of it. Nothing here sleeps: every wait is for something, with a deadline that names what was missing.
 */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import WebSocket from "ws";
import { startModel } from "./model.mjs";

export { gate } from "./model.mjs";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const SECRET = "a secret that is only used in tests, long enough";
/** An Analytics Engine dataset that tells what was written to it. */
const DATASET = `
  import { WorkerEntrypoint } from "cloudflare:workers";
  const points = [];
  export class Dataset extends WorkerEntrypoint {
    writeDataPoint(point) { points.push(point); }
  }
  export default { fetch: () => Response.json(points) };`;
/** How long anything may take before a test says what did not happen. */
const WITHIN_MS = 20_000;

/**
 * Starts Kioku. `variables` override the configuration; `model: true` connects the scripted model as the
 * OpenAI-compatible provider for answers, memory and embeddings; `persist` names a folder (default: a fresh one,
 * removed by `stop`); `vectorize: false` leaves the binding out, variables for the stand-in are `vectorize: {…}`;
 * `migrated: false` leaves D1 empty; `ai: true` binds the local Workers AI as `AI`, `metrics: true` a dataset that
 * shows what it gets as `METRICS`; `front` names the file of a module that runs in front of the built one; `outside`
 * answers (or passes on, with undefined) what Kioku asks of the world.
 */
export async function boot(options = {}) {
  const app = new App(options);
  await app.start();
  return app;
}

/** Something that serves Kioku at `url`. */
export class Site {
  chats = new Set();

  /**
   * A request without any identity, on a connection of its own: the server closes one that was idle for some seconds,
   * and may do so just as the next request goes out on it.
   */
  fetch(path, init = {}) {
    const headers = new Headers(init.headers);
    headers.set("connection", "close");
    return fetch(this.url + path, { redirect: "manual", ...init, headers });
  }

  /** Signs in locally and resolves to the person. */
  async signIn(name = "Hana") {
    const response = await this.fetch("/auth/local", {
      method: "POST",
      headers: { "content-type": "application/json", origin: this.url },
      body: JSON.stringify({ name }),
    });
    const cookie = cookiesOf(response);
    if (!response.ok || cookie === "") {
      throw new Error(`signing in as ${name} failed: ${response.status} ${await response.text()}`);
    }
    return new Person(this, name, { cookie });
  }

  /** Somebody who shows these headers. */
  person(headers, name = "somebody") {
    return new Person(this, name, headers);
  }
}

/** The `Cookie` header that a browser would send after this response. */
export function cookiesOf(response) {
  return response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
}

class App extends Site {
  constructor({
    variables = {}, model = false, persist, vectorize = true, migrated = true, ai = false, metrics = false, script, front, outside, without = [],
  } = {}) {
    super();
    this.options = { variables, model, vectorize, migrated, ai, metrics, script, front, outside, without };
    this.ownsFolder = persist === undefined;
    this.persist = persist ?? mkdtempSync(join(tmpdir(), "kioku-e2e-"));
    this.logs = [];
  }

  async start() {
    if (this.options.model && !this.model) this.model = await startModel();
    this.mf = new Miniflare(convertV4MiniflareOptions(this.#miniflareOptions()));
    this.url = (await this.mf.ready).origin;
    if (this.options.without.includes("DB")) return;
    this.d1 = await this.mf.getD1Database("DB", "kioku");
    if (this.options.migrated) await this.migrate();
    this.ai = this.options.ai ? new AiSwitches(await this.mf.getWorker("kioku-workers-ai")) : null;
    this.vectorize = this.options.vectorize ? new VectorizeSwitches(await this.mf.getWorker("kioku-vectorize")) : null;
  }

  /** Ends the runtime at once, as a crash would, and starts it on the same storage. */
  async restart() {
    await this.#end();
    await this.start();
  }

  async stop() {
    await this.#end();
    await this.model?.stop();
    if (this.ownsFolder) rmSync(this.persist, { recursive: true, force: true });
  }

  async #end() {
    for (const chat of this.chats) chat.close();
    await this.mf.dispose();
  }

  /** Puts every user's object out of memory, or `only` those of these names; sockets hibernate (or close, with `close`). */
  async evict({ webSockets = "hibernate", only } = {}) {
    const agents = only && await this.mf.getDurableObjectNamespace("AGENT", "kioku");
    const chosen = only && new Set([...only].map((name) => String(agents.idFromName(name))));
    let evicted = 0;
    for (const id of await this.mf.listDurableObjectIds("AGENT", "kioku")) {
      if (chosen && !chosen.has(String(id))) continue;
      await this.mf.unsafeEvictDurableObject("kioku", "ChatAgent", { id, webSockets }).then(() => { evicted += 1; }, (error) => {
        // It went by itself.
        if (!/not currently running/.test(error.message)) throw error;
      });
    }
    return evicted;
  }

  /** Applies `migrations/` to D1, statement by statement, each file once, recorded as wrangler records it. */
  async migrate() {
    const folder = join(ROOT, "migrations");
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".sql")).sort() : [];
    await this.d1.prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    ).run();
    const { results } = await this.d1.prepare("SELECT name FROM d1_migrations").all();
    const applied = new Set(results.map(({ name }) => name));
    for (const name of names.filter((name) => !applied.has(name))) {
      for (const statement of statements(readFileSync(join(folder, name), "utf8"))) await this.d1.prepare(statement).run();
      await this.d1.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name).run();
    }
  }

  /** Makes every statement on D1 fail, until `d1Up`: its tables are gone under another name. */
  async d1Down() {
    for (const name of await this.#d1Tables("NOT LIKE 'away\\_%'")) {
      await this.d1.prepare(`ALTER TABLE "${name}" RENAME TO "away_${name}"`).run();
    }
  }

  async d1Up() {
    for (const name of await this.#d1Tables("LIKE 'away\\_%'")) {
      await this.d1.prepare(`ALTER TABLE "${name}" RENAME TO "${name.slice("away_".length)}"`).run();
    }
  }

  async #d1Tables(condition) {
    const { results } = await this.d1.prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name ${condition} ESCAPE '\\'
       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'd1\\_%' ESCAPE '\\'
       AND (sql LIKE 'CREATE VIRTUAL%' OR name NOT IN (
         SELECT v.name || suffix.value FROM sqlite_master v, json_each('["_data","_idx","_content","_docsize","_config"]') suffix
         WHERE v.sql LIKE 'CREATE VIRTUAL%'))`,
    ).all();
    return results.map(({ name }) => name);
  }

  #miniflareOptions() {
    const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
    const compatibilityDate = config.match(/^compatibility_date = "(.+)"/m)[1];
    const assets = join(ROOT, "web/dist");
    const provider = this.model && {
      // Scripted answers are counted; what a server that refuses tools is asked instead is tested natively.
      MODEL_TOOLS: "off",
      MODEL_PROVIDER: "openai",
      MODEL_BASE_URL: this.model.url,
      MODEL_API_KEY: "test-key",
      CHAT_MODEL: "scripted",
      EMBEDDING_PROVIDER: "openai",
      EMBEDDING_MODEL: "scripted-embedding",
    };
    return {
      host: "127.0.0.1",
      port: 0,
      resourcePersistencePath: this.persist,
      telemetry: { enabled: false },
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: (entry) => this.logs.push(entry),
      workers: [
        {
          name: "kioku",
          ...this.#script(),
          compatibilityDate,
          bindings: { AUTH_MODE: "local", SESSION_SECRET: SECRET, ...provider, ...this.options.variables },
          durableObjects: { AGENT: { className: "ChatAgent", useSQLite: true } },
          ...(this.options.without.includes("DB") ? {} : { d1Databases: { DB: "kioku" } }),
          ...(this.options.outside ? { outboundService: async (request) => (await this.options.outside(request)) ?? fetch(request) } : {}),
          serviceBindings: {
            ...(this.options.vectorize ? { VECTORIZE: { name: "kioku-vectorize", entrypoint: "VectorizeIndex" } } : {}),
            ...(this.options.metrics ? { METRICS: { name: "metrics", entrypoint: "Dataset" } } : {}),
            ...(this.options.ai ? { AI: { name: "kioku-workers-ai", entrypoint: "Ai" } } : {}),
          },
          ...(existsSync(assets)
            ? {
                assets: {
                  directory: assets,
                  binding: "ASSETS",
                  run_worker_first: workerFirst(config),
                  routerConfig: { has_user_worker: true },
                },
              }
            : {}),
        },
        ...(this.options.vectorize ? [vectorizeWorker({ LAG_MS: "0", ...this.options.vectorize })] : []),
        ...(this.options.metrics ? [{ name: "metrics", modules: true, script: DATASET, compatibilityDate }] : []),
        ...(this.options.ai ? [{ name: "kioku-workers-ai", ...modules(join(ROOT, "stand-ins/workers-ai/src")), compatibilityDate }] : []),
      ],
    };
  }

  /** The built wasm: `KIOKU_BUILD` says which build, by default the local one. */
  #script() {
    if (this.options.script) return { modules: true, script: this.options.script };
    const folder = join(ROOT, "build", process.env.KIOKU_BUILD ?? "local");
    if (!existsSync(join(folder, "index.js"))) throw new Error(`${folder} is not built: run npm test, or npm start once`);
    const { front } = this.options;
    if (!front) return modules(folder);
    const own = modules(folder);
    const before = { type: "ESModule", path: join(folder, "front.js"), contents: readFileSync(front, "utf8") };
    return { ...own, modules: [before, ...own.modules] };
  }
}

/** The stand-in as a Miniflare worker; `variables` override those of its wrangler.toml. */
export function vectorizeWorker(variables = {}) {
  const folder = join(ROOT, "stand-ins/vectorize");
  const config = readFileSync(join(folder, "wrangler.toml"), "utf8");
  const own = Object.fromEntries(
    [...config.slice(config.indexOf("[vars]")).matchAll(/^([A-Z_]+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]),
  );
  return {
    name: "kioku-vectorize",
    ...modules(join(folder, "src")),
    compatibilityDate: config.match(/^compatibility_date = "(.+)"/m)[1],
    bindings: { ...own, ...variables },
    durableObjects: { INDEX: { className: "IndexStore", useSQLite: true } },
  };
}

/** The stand-in's switches, reached through its default entrypoint. */
export class VectorizeSwitches {
  constructor(worker) {
    this.worker = worker;
  }

  set(switches) {
    return this.#call("/", "POST", switches);
  }

  /** The next calls of `operation` go wrong as `kind` says. */
  fail(operation, kind, { times = 1, ms } = {}) {
    return this.set({ faults: [{ operation, kind, times, ms }] });
  }

  reset() {
    return this.#call("/", "DELETE");
  }

  /** Makes held mutations visible. */
  release() {
    return this.#call("/release", "POST");
  }

  state() {
    return this.#call("/", "GET");
  }

  async #call(path, method, body) {
    const response = await this.worker.fetch(`http://control${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`the Vectorize switches answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}

/** The local Workers AI's script and record. */
export class AiSwitches {
  constructor(worker) {
    this.worker = worker;
  }

  /** Scripts the next answers of a kind: `chat`, `json`, `words` or `embeddings`. */
  next(kind, ...scripts) {
    return this.#call("POST", { scripts: scripts.map((script) => ({ for: kind, ...script })) });
  }

  dimensions(dimensions) {
    return this.#call("POST", { dimensions });
  }

  /** `{calls, scripts, stopped}`. */
  state() {
    return this.#call("GET");
  }

  reset() {
    return this.#call("DELETE");
  }

  async #call(method, body) {
    const response = await this.worker.fetch("http://control/", { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!response.ok) throw new Error(`the Workers AI switches answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}

/** Somebody signed in. */
class Person {
  constructor(app, name, shown) {
    Object.assign(this, { app, name, shown, cookie: shown.cookie });
  }

  /** One API call: `{status, headers, body}` with the body read as JSON where it is JSON. */
  async api(method, path, body, { headers = {} } = {}) {
    const response = await this.app.fetch(path, {
      method,
      headers: {
        ...this.shown,
        origin: this.app.url,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, body: isJson && text !== "" ? JSON.parse(text) : text };
  }

  /** As `api`, but anything except a 2xx is an error; resolves to the body. */
  async ok(method, path, body) {
    const answer = await this.api(method, path, body);
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  /** Opens a tab and waits for its `ready` frame. */
  async chat(options) {
    const chat = await this.connect(options);
    await chat.frame("ready");
    return chat;
  }

  /** Opens the WebSocket only; rejects with the status when it is refused. */
  connect({ thread, origin = this.app.url, cookie = this.cookie } = {}) {
    const query = thread === undefined ? "" : `?thread=${encodeURIComponent(thread)}`;
    const { cookie: _, ...others } = this.shown;
    const headers = {
      ...others, ...(origin === null ? {} : { origin }), ...(cookie === null || cookie === undefined ? {} : { cookie }),
    };
    const socket = new WebSocket(`${this.app.url.replace("http", "ws")}/api/chat${query}`, { headers });
    const chat = new Chat(socket);
    this.app.chats.add(chat);
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(chat));
      socket.once("unexpected-response", (_request, response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => reject(Object.assign(
          new Error(`the WebSocket was refused: ${response.statusCode}`),
          { status: response.statusCode, body: Buffer.concat(chunks).toString() },
        )));
      });
      socket.once("error", reject);
    });
  }
}

let sent = 0;

/** One tab. Every frame it ever got is kept, in order, so that no wait can come too late. */
class Chat {
  constructor(socket) {
    this.socket = socket;
    this.frames = [];
    this.waiting = new Set();
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.closedWith = { code, reason: String(reason) };
        resolve(this.closedWith);
        for (const check of [...this.waiting]) check();
      });
    });
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const text = String(data);
      this.frames.push(text.startsWith("{") ? JSON.parse(text) : { type: "text", text });
      for (const check of [...this.waiting]) check();
    });
  }

  /**
   * The first frame of `type` that satisfies `predicate`, past or future; `from` skips that many frames.
   */
  frame(type, predicate = () => true, { within = WITHIN_MS, from = 0 } = {}) {
    return this.#wait(
      () => this.frames.slice(from).find((frame) => frame.type === type && predicate(frame)),
      within, `a frame ${type}`,
    );
  }

  /** How one turn ends: its done, stopped or failed frame. */
  ending(turn, { within = WITHIN_MS, from = 0 } = {}) {
    return this.#wait(
      () => this.frames.slice(from).find((frame) => frame.turn === turn && ["done", "stopped", "failed"].includes(frame.type)),
      within, `the end of turn ${turn}`,
    );
  }

  /** Sends a message and waits for `accepted`; resolves to that frame. */
  async send(text, { id = `c-${process.pid}-${++sent}` } = {}) {
    const from = this.frames.length;
    this.write({ type: "send", id, text });
    return this.#wait(() => {
      const frame = this.frames.slice(from).find((frame) => ["accepted", "error"].includes(frame.type) && frame.id === id);
      if (frame?.type === "error") throw new Error(`"${text.slice(0, 50)}" was refused: ${JSON.stringify(frame)}`);
      return frame;
    }, WITHIN_MS, `an answer to ${id}`);
  }

  /** Sends a message and waits for the whole turn: `{accepted, end, text}`; `text` is what was streamed. */
  async say(text, options) {
    const accepted = await this.send(text, options);
    const end = await this.ending(accepted.turn);
    return { accepted, end, turn: accepted.turn, text: this.deltas(accepted.turn) };
  }

  /** The streamed text of a turn, each delta once: what is replayed may also have come live. */
  deltas(turn) {
    const pieces = new Map();
    for (const frame of this.frames) if (frame.type === "delta" && frame.turn === turn) pieces.set(frame.seq, frame.text);
    return [...pieces].sort(([a], [b]) => a - b).map(([, text]) => text).join("");
  }

  /** Sends a frame, or any bytes or text as they are. */
  write(frame) {
    this.socket.send(typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  close() {
    this.socket.terminate();
  }

  #wait(look, within, what) {
    return new Promise((resolve, reject) => {
      const end = (settle, value) => {
        clearTimeout(timer);
        this.waiting.delete(check);
        settle(value);
      };
      const missing = (why) => new Error(`${why}: ${what}; got ${JSON.stringify(this.frames.slice(-12))}`);
      const check = () => {
        try {
          const found = look();
          if (found) return end(resolve, found);
        } catch (error) {
          return end(reject, error);
        }
        if (this.closedWith) end(reject, missing(`the socket closed (${this.closedWith.code}) before`));
      };
      const timer = setTimeout(() => end(reject, missing(`not within ${within} ms`)), within);
      this.waiting.add(check);
      check();
    });
  }
}

/** Asks `look` until it gives something; for states that no frame announces. */
export async function eventually(what, look, { within = WITHIN_MS } = {}) {
  const deadline = Date.now() + within;
  let last;
  // Less and less often: a user may ask ten times a second, and some states come after a minute.
  for (let pause = 50; Date.now() < deadline; pause = Math.min(pause * 1.2, 500)) {
    last = await look();
    if (last) return last;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`not within ${within} ms: ${what}`);
}

/** The statements of an SQL file. Knows quotes, comments and the body of a trigger. */
export function statements(sql) {
  const found = [];
  let current = "";
  // Inside a trigger: how many BEGIN and CASE wait for their END.
  let open = 0;
  const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\w+|[\s\S]/g;
  for (const [part] of sql.matchAll(token)) {
    if (part.startsWith("--") || part.startsWith("/*")) continue;
    const word = part.toLowerCase();
    if (open > 0) open += word === "case" ? 1 : word === "end" ? -1 : 0;
    else if (word === "begin" && /^\s*create\s+(temp\s+|temporary\s+)?trigger\b/i.test(current)) open = 1;
    if (part === ";" && open === 0) {
      if (current.trim() !== "") found.push(current.trim());
      current = "";
    } else {
      current += part;
    }
  }
  if (current.trim() !== "") found.push(current.trim());
  return found;
}

/** The modules of a folder, `index.js` first. */
function modules(folder) {
  const types = { ".js": "ESModule", ".wasm": "CompiledWasm" };
  const found = readdirSync(folder)
    .filter((name) => extname(name) in types)
    .sort((a, b) => Number(b === "index.js") - Number(a === "index.js"))
    .map((name) => ({ type: types[extname(name)], path: join(folder, name) }));
  return { modules: found, modulesRoot: folder };
}

function workerFirst(config) {
  return JSON.parse(config.match(/^run_worker_first = (\[.*\])/m)[1]);
}
