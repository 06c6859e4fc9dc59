var __defProp = Object.defineProperty;
var __name = (target, value) => __defProp(target, "name", { value, configurable: true });

// wrangler-config:config:middleware/patch-console-prefix
var prefix = "[kioku-vectorize]";

// ../../node_modules/wrangler/templates/middleware/middleware-patch-console-prefix.ts
["log", "debug", "info"].forEach((method) => {
  globalThis.console[method] = new Proxy(globalThis.console[method], {
    apply(target, thisArg, argumentsList) {
      return target.apply(thisArg, [prefix, ...argumentsList]);
    }
  });
});

// src/index.js
import { WorkerEntrypoint } from "cloudflare:workers";

// src/limits.js
var MAX_ID_BYTES = 64;
var MAX_NAMESPACE_BYTES = 64;
var MAX_BATCH = 1e3;
var MAX_METADATA_BYTES = 10 * 1024;
var MAX_TOP_K = 100;
var MAX_TOP_K_FULL = 50;
var DEFAULT_TOP_K = 5;
var MAX_FILTER_BYTES = 2048;
var OPERATORS = ["$eq", "$ne", "$in", "$nin", "$lt", "$lte", "$gt", "$gte"];
function refusal(operation, code, message) {
  return `${operation}_ERROR (code = ${code}): ${message}`;
}
__name(refusal, "refusal");
function refuse(operation, code, message) {
  throw new Error(refusal(operation, code, message));
}
__name(refuse, "refuse");
var bytes = /* @__PURE__ */ __name((text) => new TextEncoder().encode(text).length, "bytes");
var check = {
  id(operation, id) {
    if (typeof id !== "string" || id === "") refuse(operation, 40008, "id must be a non-empty string");
    if (bytes(id) > MAX_ID_BYTES) {
      refuse(operation, 40008, `id too long; max is ${MAX_ID_BYTES} bytes, got ${bytes(id)} bytes`);
    }
    return id;
  },
  ids(operation, ids, most) {
    if (!Array.isArray(ids)) throw new TypeError(`${operation}: ids must be an array`);
    if (ids.length > most) {
      refuse(operation, 40007, `too many ids in payload; max id count is ${most}, got ${ids.length}`);
    }
    return ids.map((id) => check.id(operation, id));
  },
  /** A query's vector, as plain numbers. */
  values(vector) {
    const values = Array.isArray(vector) || ArrayBuffer.isView(vector) ? Array.from(vector) : [];
    if (!values.every((value) => typeof value === "number" && Number.isFinite(value))) {
      refuse("VECTOR_QUERY", 40026, "Failed to parse the request body as JSON: vector: expected a number");
    }
    return values;
  },
  vectors(operation, vectors) {
    if (!Array.isArray(vectors)) throw new TypeError(`${operation}: vectors must be an array`);
    if (vectors.length === 0) refuse(operation, 40023, "failed to parse vectors request: no vectors");
    if (vectors.length > MAX_BATCH) {
      refuse(operation, 40009, `too many vectors in payload; max vector count is ${MAX_BATCH}, got ${vectors.length}`);
    }
    return vectors.map((vector) => ({
      id: check.id(operation, vector?.id),
      values: vectorValues(operation, vector),
      namespace: namespace(operation, vector.namespace),
      metadata: metadata(operation, vector)
    }));
  },
  /** A query's options, with defaults filled in. */
  options(options) {
    const given = options === void 0 || options === null || options instanceof Map ? {} : { ...options };
    let level = given.returnMetadata;
    if (level === true) level = "all";
    if (level === false) {
      refuse("VECTOR_QUERY", 40026, "Failed to parse the request body as JSON: returnMetadata: expected value");
    }
    level ??= "none";
    if (!["none", "indexed", "all"].includes(level)) {
      throw new Error(
        `Invalid returnMetadata option. Expected: true, false, "none", "indexed" or "all"; got: ${level}`
      );
    }
    const topK = given.topK ?? DEFAULT_TOP_K;
    if (!Number.isInteger(topK) || topK < 1) {
      refuse("VECTOR_QUERY", 40026, "Failed to parse the request body as JSON: topK: expected a positive integer");
    }
    const returnValues = given.returnValues === true;
    if ((returnValues || level === "all") && topK > MAX_TOP_K_FULL) {
      refuse(
        "VECTOR_QUERY",
        40025,
        `with returnValues=true or returnMetadata=all, max top K is ${MAX_TOP_K_FULL}, but got ${topK}`
      );
    }
    if (topK > MAX_TOP_K) refuse("VECTOR_QUERY", 40025, `max top K is ${MAX_TOP_K}, but got ${topK}`);
    return {
      topK,
      returnValues,
      returnMetadata: level,
      namespace: namespace("VECTOR_QUERY", given.namespace),
      filter: filter(given.filter)
    };
  }
};
function vectorValues(operation, { id, values }) {
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) {
    refuse(operation, 40023, `failed to parse vectors request: vector "${id}" has no values`);
  }
  const plain = Array.from(values);
  if (!plain.every((value) => typeof value === "number" && Number.isFinite(value))) {
    refuse(operation, 40023, `failed to parse vectors request: vector "${id}" has a value that is not a number`);
  }
  return plain;
}
__name(vectorValues, "vectorValues");
function namespace(operation, value) {
  if (value === void 0 || value === null) return void 0;
  if (typeof value !== "string" || bytes(value) > MAX_NAMESPACE_BYTES) {
    refuse(operation, 40010, `invalid namespace; must be a string of at most ${MAX_NAMESPACE_BYTES} bytes`);
  }
  return value;
}
__name(namespace, "namespace");
function metadata(operation, { id, metadata: metadata2 }) {
  if (metadata2 === void 0 || metadata2 === null) return void 0;
  if (typeof metadata2 !== "object" || Array.isArray(metadata2) || metadata2 instanceof Map) {
    refuse(operation, 40011, `invalid metadata for id="${id}", expected an object`);
  }
  const text = JSON.stringify(metadata2);
  if (bytes(text) > MAX_METADATA_BYTES) {
    refuse(operation, 40011, `metadata too large for id="${id}"; max is ${MAX_METADATA_BYTES} bytes, got ${bytes(text)}`);
  }
  for (const key of Object.keys(metadata2)) {
    if (key === "" || key.startsWith("$") || key.includes(".") || key.includes('"')) {
      refuse(operation, 40011, `invalid metadata key ${JSON.stringify(key)} for id="${id}"`);
    }
  }
  return JSON.parse(text);
}
__name(metadata, "metadata");
function filter(given) {
  if (given === void 0 || given === null) return [];
  const wrong = /* @__PURE__ */ __name((what) => refuse("VECTOR_QUERY", 40026, `Failed to parse the request body as JSON: filter: ${what}`), "wrong");
  if (typeof given !== "object" || Array.isArray(given) || given instanceof Map) wrong("expected an object");
  if (bytes(JSON.stringify(given)) >= MAX_FILTER_BYTES) wrong(`must be below ${MAX_FILTER_BYTES} bytes`);
  const conditions = [];
  for (const [property, condition] of Object.entries(given)) {
    if (property === "" || property.startsWith("$")) wrong(`invalid property ${JSON.stringify(property)}`);
    if (condition === null || typeof condition !== "object") {
      conditions.push([property, "$eq", scalar(condition, wrong)]);
      continue;
    }
    for (const [operator, operand] of Object.entries(condition)) {
      if (!OPERATORS.includes(operator)) wrong(`unknown operator ${JSON.stringify(operator)}`);
      if (operator === "$in" || operator === "$nin") {
        if (!Array.isArray(operand)) wrong(`${operator} takes a list`);
        conditions.push([property, operator, operand.map((item) => scalar(item, wrong))]);
      } else {
        conditions.push([property, operator, scalar(operand, wrong)]);
      }
    }
  }
  return conditions;
}
__name(filter, "filter");
function scalar(value, wrong) {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  return wrong("a value must be a string, a number, a boolean or null");
}
__name(scalar, "scalar");

// src/store.js
import { DurableObject } from "cloudflare:workers";
var DEFAULTS = { lagMs: null, hold: false, dimensions: null, capacity: 1e7, indexes: null, faults: [] };
var METHODS = {
  VECTOR_INSERT: "insert",
  VECTOR_UPSERT: "upsert",
  VECTOR_QUERY: "query",
  VECTOR_GET: "getByIds",
  VECTOR_DELETE: "deleteByIds",
  INDEX_GET: "describe"
};
var KINDS = ["fail_before", "fail_after", "lose", "slow", "limited"];
var LOST_MS = 12e4;
var IndexStore = class extends DurableObject {
  static {
    __name(this, "IndexStore");
  }
  constructor(state, env) {
    super(state, env);
    this.sql = state.storage.sql;
    this.sql.exec(`
      CREATE TABLE IF NOT EXISTS vector (
        id TEXT PRIMARY KEY, "values" BLOB NOT NULL, dimensions INTEGER NOT NULL, namespace TEXT, metadata TEXT
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS mutation (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        at INTEGER NOT NULL, visible_at INTEGER
      );
      CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    `);
    this.switches = { ...DEFAULTS, ...this.#kept("switches") };
    this.calls = {};
  }
  /** Carries out one checked call under the switches: `{value}` or `{error}`. */
  async run(operation, method, args) {
    const name = METHODS[operation];
    this.calls[name] = (this.calls[name] ?? 0) + 1;
    const fault = this.#takeFault(name);
    if (fault?.kind === "limited") return { error: refusal(operation, 40041, "Too Many Requests") };
    if (fault?.kind === "fail_before") return { error: `${operation}_ERROR: Status + 500` };
    if (fault?.kind === "slow") await sleep(fault.ms ?? 1e3);
    this.#applyDue();
    let answer;
    try {
      answer = { value: this[`do_${method}`](operation, ...args) };
    } catch (error) {
      answer = { error: error.message };
    }
    if (fault?.kind === "fail_after") return { error: `${operation}_ERROR: Status + 500` };
    if (fault?.kind === "lose") await sleep(fault.ms ?? LOST_MS);
    return answer;
  }
  set(changes) {
    for (const name of Object.keys(changes)) {
      if (!(name in DEFAULTS)) throw new Error(`no such switch: ${name}`);
    }
    for (const { operation, kind } of changes.faults ?? []) {
      if (!KINDS.includes(kind)) throw new Error(`no such fault: ${kind}`);
      if (operation !== "*" && !Object.values(METHODS).includes(operation)) {
        throw new Error(`no such operation: ${operation}`);
      }
    }
    this.switches = { ...this.switches, ...changes };
    this.#keep("switches", this.switches);
    return this.state();
  }
  reset() {
    this.calls = {};
    this.set(DEFAULTS);
    return this.release();
  }
  release() {
    this.sql.exec("UPDATE mutation SET visible_at = 0");
    this.#applyDue();
    return this.state();
  }
  state() {
    this.#applyDue();
    const { visible, waiting } = this.sql.exec("SELECT (SELECT count(*) FROM vector) visible, (SELECT count(*) FROM mutation) waiting").one();
    const ids = this.sql.exec("SELECT id FROM vector ORDER BY id LIMIT 1000").toArray().map((row) => row.id);
    return { switches: this.switches, calls: this.calls, visible, waiting, ids };
  }
  do_mutate(operation, items, kind) {
    if (kind !== "delete") {
      this.#refuseWrongLengths(operation, items);
      const { count } = this.sql.exec("SELECT count(*) count FROM vector").one();
      if (count + items.length > this.switches.capacity) {
        throw new Error(refusal(operation, 40013, `index is full; max vector count is ${this.switches.capacity}`));
      }
    }
    const id = crypto.randomUUID();
    const now = Date.now();
    const lag = this.switches.lagMs ?? Number(this.env.LAG_MS ?? 0);
    const due = this.switches.hold ? null : now + lag;
    items.forEach((item, i) => {
      const last = i === items.length - 1;
      this.sql.exec(
        "INSERT INTO mutation (id, kind, body, at, visible_at) VALUES (?, ?, ?, ?, ?)",
        last ? id : "",
        kind,
        JSON.stringify(item),
        now,
        due
      );
    });
    return { mutationId: id };
  }
  do_query(operation, { vector, vectorId }, options) {
    let target = vector;
    if (vectorId !== void 0) {
      const row = this.sql.exec('SELECT "values" v FROM vector WHERE id = ?', vectorId).toArray()[0];
      if (row === void 0) return { count: 0, matches: [] };
      target = Array.from(new Float32Array(row.v));
    }
    const dimensions = this.#dimensions();
    if (target.length === 0 || dimensions !== 0 && target.length !== dimensions) {
      throw new Error(refusal(
        operation,
        40006,
        `invalid query vector, expected ${dimensions} dimensions, and got ${target.length} dimensions`
      ));
    }
    const indexed = this.#indexes();
    const visible = /* @__PURE__ */ __name((metadata2) => Object.fromEntries(
      Object.entries(metadata2 ?? {}).filter(([key]) => indexed.includes(key)).map(([key, value]) => [key, cut(value)])
    ), "visible");
    const matches = [];
    const rows = this.sql.exec(
      'SELECT id, "values" v, namespace, metadata FROM vector WHERE dimensions = ? AND (?2 IS NULL OR namespace = ?2)',
      target.length,
      options.namespace ?? null
    );
    for (const row of rows) {
      const metadata2 = row.metadata === null ? void 0 : JSON.parse(row.metadata);
      const seen = visible(metadata2);
      if (!options.filter.every(([property, operator, operand]) => holds(seen[property], operator, operand))) continue;
      const values = new Float32Array(row.v);
      matches.push({ row, metadata: metadata2, seen, values, score: cosine(target, values) });
    }
    matches.sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1));
    const best = matches.slice(0, options.topK).map(({ row, metadata: metadata2, seen, values, score }) => ({
      id: row.id,
      score,
      ...row.namespace === null ? {} : { namespace: row.namespace },
      ...options.returnValues ? { values: Array.from(values) } : {},
      ...options.returnMetadata === "all" && metadata2 ? { metadata: metadata2 } : {},
      ...options.returnMetadata === "indexed" ? { metadata: seen } : {}
    }));
    return { count: best.length, matches: best };
  }
  do_get(_operation, ids) {
    return [...new Set(ids)].flatMap((id) => this.sql.exec("SELECT * FROM vector WHERE id = ?", id).toArray().map((row) => ({
      id: row.id,
      values: Array.from(new Float32Array(row.values)),
      ...row.namespace === null ? {} : { namespace: row.namespace },
      ...row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }
    })));
  }
  do_describe() {
    const latest = this.#kept("latest") ?? {};
    const { count } = this.sql.exec("SELECT count(*) count FROM vector").one();
    return {
      vectorCount: count,
      dimensions: this.#dimensions() || latest.dimensions || 0,
      processedUpToDatetime: latest.at ?? 0,
      processedUpToMutation: latest.id ?? ""
    };
  }
  #applyDue() {
    const due = this.sql.exec(
      `SELECT seq, id, kind, body, at FROM mutation
         WHERE seq < coalesce((SELECT min(seq) FROM mutation WHERE visible_at IS NULL OR visible_at > ?), 9e15)
         ORDER BY seq`,
      Date.now()
    ).toArray();
    if (due.length === 0) return;
    this.ctx.storage.transactionSync(() => {
      const latest = this.#kept("latest") ?? {};
      for (const { id, kind, body, at } of due) {
        const item = JSON.parse(body);
        if (kind === "delete") {
          this.sql.exec("DELETE FROM vector WHERE id = ?", item);
        } else {
          this.sql.exec(
            `INSERT OR ${kind === "insert" ? "IGNORE" : "REPLACE"} INTO vector VALUES (?, ?, ?, ?, ?)`,
            item.id,
            new Float32Array(item.values).buffer,
            item.values.length,
            item.namespace ?? null,
            item.metadata === void 0 ? null : JSON.stringify(item.metadata)
          );
          latest.dimensions = item.values.length;
        }
        if (id !== "") Object.assign(latest, { id, at });
      }
      this.#keep("latest", latest);
      this.sql.exec("DELETE FROM mutation WHERE seq <= ?", due.at(-1).seq);
    });
  }
  #refuseWrongLengths(operation, vectors) {
    const dimensions = this.#dimensions();
    for (const { id, values } of vectors) {
      if (values.length === 0 || dimensions !== 0 && values.length !== dimensions) {
        throw new Error(refusal(
          operation,
          40012,
          `invalid vector for id="${id}", expected ${dimensions} dimensions, and got ${values.length} dimensions`
        ));
      }
    }
  }
  #takeFault(name) {
    const faults = this.switches.faults;
    const i = faults.findIndex(({ operation }) => operation === "*" || operation === name);
    if (i < 0) return void 0;
    const fault = faults[i];
    const left = (fault.times ?? 1) - 1;
    this.switches.faults = left > 0 ? faults.with(i, { ...fault, times: left }) : faults.toSpliced(i, 1);
    this.#keep("switches", this.switches);
    return fault;
  }
  #dimensions() {
    return this.switches.dimensions ?? Number(this.env.DIMENSIONS ?? 0);
  }
  #indexes() {
    return this.switches.indexes ?? (this.env.METADATA_INDEXES ?? "").split(",").filter(Boolean);
  }
  #kept(name) {
    const row = this.sql.exec("SELECT value FROM kept WHERE name = ?", name).toArray()[0];
    return row === void 0 ? void 0 : JSON.parse(row.value);
  }
  #keep(name, value) {
    this.sql.exec("INSERT OR REPLACE INTO kept VALUES (?, ?)", name, JSON.stringify(value));
  }
};
function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
__name(sleep, "sleep");
function cosine(a, b) {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}
__name(cosine, "cosine");
function cut(value) {
  if (typeof value !== "string") return value;
  let kept = "";
  let size = 0;
  for (const character of value) {
    size += new TextEncoder().encode(character).length;
    if (size > 64) break;
    kept += character;
  }
  return kept;
}
__name(cut, "cut");
function holds(value, operator, operand) {
  const wanted = Array.isArray(operand) ? operand.map(cut) : cut(operand);
  switch (operator) {
    case "$eq":
      return value === wanted || wanted === null && value === void 0;
    case "$ne":
      return value !== wanted && !(wanted === null && value === void 0);
    case "$in":
      return wanted.includes(value);
    case "$nin":
      return !wanted.includes(value);
  }
  if (value === void 0 || typeof value !== typeof wanted) return false;
  const order = typeof value === "string" ? compareBytes(value, wanted) : value - wanted;
  return { $lt: order < 0, $lte: order <= 0, $gt: order > 0, $gte: order >= 0 }[operator];
}
__name(holds, "holds");
function compareBytes(a, b) {
  const [x, y] = [a, b].map((text) => new TextEncoder().encode(text));
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}
__name(compareBytes, "compareBytes");

// src/index.js
var VectorizeIndex = class extends WorkerEntrypoint {
  static {
    __name(this, "VectorizeIndex");
  }
  async insert(vectors) {
    return this.#call("VECTOR_INSERT", "mutate", check.vectors("VECTOR_INSERT", vectors), "insert");
  }
  async upsert(vectors) {
    return this.#call("VECTOR_UPSERT", "mutate", check.vectors("VECTOR_UPSERT", vectors), "upsert");
  }
  async query(vector, options) {
    return this.#call("VECTOR_QUERY", "query", { vector: check.values(vector) }, check.options(options));
  }
  async queryById(vectorId, options) {
    return this.#call("VECTOR_QUERY", "query", { vectorId: check.id("VECTOR_QUERY", vectorId) }, check.options(options));
  }
  async getByIds(ids) {
    return this.#call("VECTOR_GET", "get", check.ids("VECTOR_GET", ids, 20));
  }
  async deleteByIds(ids) {
    return this.#call("VECTOR_DELETE", "mutate", check.ids("VECTOR_DELETE", ids, 100), "delete");
  }
  async describe() {
    return this.#call("INDEX_GET", "describe");
  }
  /** The object answers with a value or a refusal, never by throwing, so that the error keeps its text on the way. */
  async #call(operation, method, ...args) {
    const answer = await store(this.env).run(operation, method, args);
    if (answer.error !== void 0) throw new Error(answer.error);
    return answer.value;
  }
};
var Control = class extends WorkerEntrypoint {
  static {
    __name(this, "Control");
  }
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const index = store(this.env);
    if (request.method === "GET") return Response.json(await index.state());
    if (request.method === "DELETE") return Response.json(await index.reset());
    if (pathname === "/release") return Response.json(await index.release());
    return Response.json(await index.set(await request.json()));
  }
};
function store(env) {
  return env.INDEX.get(env.INDEX.idFromName("index"));
}
__name(store, "store");

// ../../node_modules/wrangler/templates/middleware/middleware-ensure-req-body-drained.ts
var drainBody = /* @__PURE__ */ __name(async (request, env, _ctx, middlewareCtx) => {
  try {
    return await middlewareCtx.next(request, env);
  } finally {
    try {
      if (request.body !== null && !request.bodyUsed) {
        const reader = request.body.getReader();
        while (!(await reader.read()).done) {
        }
      }
    } catch (e) {
      console.error("Failed to drain the unused request body.", e);
    }
  }
}, "drainBody");
var middleware_ensure_req_body_drained_default = drainBody;

// ../../node_modules/wrangler/templates/middleware/middleware-miniflare3-json-error.ts
function reduceError(e) {
  return {
    name: e?.name,
    message: e?.message ?? String(e),
    stack: e?.stack,
    cause: e?.cause === void 0 ? void 0 : reduceError(e.cause)
  };
}
__name(reduceError, "reduceError");
var jsonError = /* @__PURE__ */ __name(async (request, env, _ctx, middlewareCtx) => {
  try {
    return await middlewareCtx.next(request, env);
  } catch (e) {
    const error = reduceError(e);
    const body = JSON.stringify(error);
    const headers = {
      "Content-Type": "application/json",
      "MF-Experimental-Error-Stack": "true"
    };
    const encoded = encodeURIComponent(body);
    if (encoded.length <= 8192) {
      headers["MF-Experimental-Error-Stack-Payload"] = encoded;
    }
    return new Response(body, { status: 500, headers });
  }
}, "jsonError");
var middleware_miniflare3_json_error_default = jsonError;

// .wrangler/tmp/bundle-z5oIjR/middleware-insertion-facade.js
var __INTERNAL_WRANGLER_MIDDLEWARE__ = [
  middleware_ensure_req_body_drained_default,
  middleware_miniflare3_json_error_default
];
var middleware_insertion_facade_default = Control;

// ../../node_modules/wrangler/templates/middleware/common.ts
var __facade_middleware__ = [];
function __facade_register__(...args) {
  __facade_middleware__.push(...args.flat());
}
__name(__facade_register__, "__facade_register__");
function __facade_invokeChain__(request, env, ctx, dispatch, middlewareChain) {
  const [head, ...tail] = middlewareChain;
  const middlewareCtx = {
    dispatch,
    next(newRequest, newEnv) {
      return __facade_invokeChain__(newRequest, newEnv, ctx, dispatch, tail);
    }
  };
  return head(request, env, ctx, middlewareCtx);
}
__name(__facade_invokeChain__, "__facade_invokeChain__");
function __facade_invoke__(request, env, ctx, dispatch, finalMiddleware) {
  return __facade_invokeChain__(request, env, ctx, dispatch, [
    ...__facade_middleware__,
    finalMiddleware
  ]);
}
__name(__facade_invoke__, "__facade_invoke__");

// .wrangler/tmp/bundle-z5oIjR/middleware-loader.entry.ts
var __Facade_ScheduledController__ = class ___Facade_ScheduledController__ {
  constructor(scheduledTime, cron, noRetry) {
    this.scheduledTime = scheduledTime;
    this.cron = cron;
    this.#noRetry = noRetry;
  }
  scheduledTime;
  cron;
  static {
    __name(this, "__Facade_ScheduledController__");
  }
  #noRetry;
  noRetry() {
    if (!(this instanceof ___Facade_ScheduledController__)) {
      throw new TypeError("Illegal invocation");
    }
    this.#noRetry();
  }
};
function wrapExportedHandler(worker) {
  if (__INTERNAL_WRANGLER_MIDDLEWARE__ === void 0 || __INTERNAL_WRANGLER_MIDDLEWARE__.length === 0) {
    return worker;
  }
  for (const middleware of __INTERNAL_WRANGLER_MIDDLEWARE__) {
    __facade_register__(middleware);
  }
  const fetchDispatcher = /* @__PURE__ */ __name(function(request, env, ctx) {
    if (worker.fetch === void 0) {
      throw new Error("Handler does not export a fetch() function.");
    }
    return worker.fetch(request, env, ctx);
  }, "fetchDispatcher");
  return {
    ...worker,
    fetch(request, env, ctx) {
      const dispatcher = /* @__PURE__ */ __name(function(type, init) {
        if (type === "scheduled" && worker.scheduled !== void 0) {
          const controller = new __Facade_ScheduledController__(
            Date.now(),
            init.cron ?? "",
            () => {
            }
          );
          return worker.scheduled(controller, env, ctx);
        }
      }, "dispatcher");
      return __facade_invoke__(request, env, ctx, dispatcher, fetchDispatcher);
    }
  };
}
__name(wrapExportedHandler, "wrapExportedHandler");
function wrapWorkerEntrypoint(klass) {
  if (__INTERNAL_WRANGLER_MIDDLEWARE__ === void 0 || __INTERNAL_WRANGLER_MIDDLEWARE__.length === 0) {
    return klass;
  }
  for (const middleware of __INTERNAL_WRANGLER_MIDDLEWARE__) {
    __facade_register__(middleware);
  }
  return class extends klass {
    #fetchDispatcher = /* @__PURE__ */ __name((request, env, ctx) => {
      this.env = env;
      this.ctx = ctx;
      if (super.fetch === void 0) {
        throw new Error("Entrypoint class does not define a fetch() function.");
      }
      return super.fetch(request);
    }, "#fetchDispatcher");
    #dispatcher = /* @__PURE__ */ __name((type, init) => {
      if (type === "scheduled" && super.scheduled !== void 0) {
        const controller = new __Facade_ScheduledController__(
          Date.now(),
          init.cron ?? "",
          () => {
          }
        );
        return super.scheduled(controller);
      }
    }, "#dispatcher");
    fetch(request) {
      return __facade_invoke__(
        request,
        this.env,
        this.ctx,
        this.#dispatcher,
        this.#fetchDispatcher
      );
    }
  };
}
__name(wrapWorkerEntrypoint, "wrapWorkerEntrypoint");
var WRAPPED_ENTRY;
if (typeof middleware_insertion_facade_default === "object") {
  WRAPPED_ENTRY = wrapExportedHandler(middleware_insertion_facade_default);
} else if (typeof middleware_insertion_facade_default === "function") {
  WRAPPED_ENTRY = wrapWorkerEntrypoint(middleware_insertion_facade_default);
}
var middleware_loader_entry_default = WRAPPED_ENTRY;
export {
  IndexStore,
  VectorizeIndex,
  __INTERNAL_WRANGLER_MIDDLEWARE__,
  middleware_loader_entry_default as default
};
//# sourceMappingURL=index.js.map
