/**
 * The index itself: one SQLite object. Mutations queue in a table and are applied in order when their time has
 * come; every read applies the due ones first, so no timer is needed and a restart loses nothing.
 */
import { DurableObject } from "cloudflare:workers";
import { refusal } from "./limits.js";

/**
 * The switches and their resting positions.
 *
 * `lagMs` (a number, or null for the variable LAG_MS) delays visibility; `hold` keeps every new mutation invisible
 * until `release`; `dimensions` (null: the variable DIMENSIONS) makes every other length wrong; `capacity` is the
 * number of vectors at which the index is full; `indexes` (null: METADATA_INDEXES) lists filterable properties.
 * `faults` is a list of `{operation, kind, times, ms}` consumed from the front: `operation` is a method's name or
 * "*"; `kind` is "fail_before" (nothing is written), "fail_after" (written, then an error), "lose" (written, and
 * no answer for `ms`), "slow" (answered after `ms`) or "limited" (too many requests); `times` defaults to 1.
 */
const DEFAULTS = { lagMs: null, hold: false, dimensions: null, capacity: 10_000_000, indexes: null, faults: [] };

const METHODS = {
  VECTOR_INSERT: "insert",
  VECTOR_UPSERT: "upsert",
  VECTOR_QUERY: "query",
  VECTOR_GET: "getByIds",
  VECTOR_DELETE: "deleteByIds",
  INDEX_GET: "describe",
};
const KINDS = ["fail_before", "fail_after", "lose", "slow", "limited"];

/** Far beyond any deadline of a caller. */
const LOST_MS = 120_000;

export class IndexStore extends DurableObject {
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
    if (fault?.kind === "slow") await sleep(fault.ms ?? 1000);
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
    const { visible, waiting } = this.sql
      .exec("SELECT (SELECT count(*) FROM vector) visible, (SELECT count(*) FROM mutation) waiting")
      .one();
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
    // One row per item: a batch of a thousand long vectors would exceed what a row may hold. The last row ends it.
    items.forEach((item, i) => {
      const last = i === items.length - 1;
      this.sql.exec(
        "INSERT INTO mutation (id, kind, body, at, visible_at) VALUES (?, ?, ?, ?, ?)",
        last ? id : "", kind, JSON.stringify(item), now, due,
      );
    });
    return { mutationId: id };
  }

  do_query(operation, { vector, vectorId }, options) {
    let target = vector;
    if (vectorId !== undefined) {
      const row = this.sql.exec('SELECT "values" v FROM vector WHERE id = ?', vectorId).toArray()[0];
      if (row === undefined) return { count: 0, matches: [] };
      target = Array.from(new Float32Array(row.v));
    }
    const dimensions = this.#dimensions();
    if (target.length === 0 || (dimensions !== 0 && target.length !== dimensions)) {
      throw new Error(refusal(
        operation, 40006,
        `invalid query vector, expected ${dimensions} dimensions, and got ${target.length} dimensions`,
      ));
    }
    const indexed = this.#indexes();
    // The real index knows nothing of a property without a metadata index: no vector has it.
    const visible = (metadata) => Object.fromEntries(
      Object.entries(metadata ?? {}).filter(([key]) => indexed.includes(key)).map(([key, value]) => [key, cut(value)]),
    );
    const matches = [];
    const rows = this.sql.exec(
      'SELECT id, "values" v, namespace, metadata FROM vector WHERE dimensions = ? AND (?2 IS NULL OR namespace = ?2)',
      target.length, options.namespace ?? null,
    );
    for (const row of rows) {
      const metadata = row.metadata === null ? undefined : JSON.parse(row.metadata);
      const seen = visible(metadata);
      if (!options.filter.every(([property, operator, operand]) => holds(seen[property], operator, operand))) continue;
      const values = new Float32Array(row.v);
      matches.push({ row, metadata, seen, values, score: cosine(target, values) });
    }
    matches.sort((a, b) => b.score - a.score || (a.row.id < b.row.id ? -1 : 1));
    const best = matches.slice(0, options.topK).map(({ row, metadata, seen, values, score }) => ({
      id: row.id,
      score,
      ...(row.namespace === null ? {} : { namespace: row.namespace }),
      ...(options.returnValues ? { values: Array.from(values) } : {}),
      ...(options.returnMetadata === "all" && metadata ? { metadata } : {}),
      ...(options.returnMetadata === "indexed" ? { metadata: seen } : {}),
    }));
    return { count: best.length, matches: best };
  }

  do_get(_operation, ids) {
    return [...new Set(ids)].flatMap((id) =>
      this.sql.exec("SELECT * FROM vector WHERE id = ?", id).toArray().map((row) => ({
        id: row.id,
        values: Array.from(new Float32Array(row.values)),
        ...(row.namespace === null ? {} : { namespace: row.namespace }),
        ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }),
      })));
  }

  do_describe() {
    const latest = this.#kept("latest") ?? {};
    const { count } = this.sql.exec("SELECT count(*) count FROM vector").one();
    return {
      vectorCount: count,
      dimensions: this.#dimensions() || latest.dimensions || 0,
      processedUpToDatetime: latest.at ?? 0,
      processedUpToMutation: latest.id ?? "",
    };
  }

  #applyDue() {
    const due = this.sql
      .exec(
        `SELECT seq, id, kind, body, at FROM mutation
         WHERE seq < coalesce((SELECT min(seq) FROM mutation WHERE visible_at IS NULL OR visible_at > ?), 9e15)
         ORDER BY seq`,
        Date.now(),
      )
      .toArray();
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
            item.id, new Float32Array(item.values).buffer, item.values.length,
            item.namespace ?? null, item.metadata === undefined ? null : JSON.stringify(item.metadata),
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
      if (values.length === 0 || (dimensions !== 0 && values.length !== dimensions)) {
        throw new Error(refusal(
          operation, 40012,
          `invalid vector for id="${id}", expected ${dimensions} dimensions, and got ${values.length} dimensions`,
        ));
      }
    }
  }

  #takeFault(name) {
    const faults = this.switches.faults;
    const i = faults.findIndex(({ operation }) => operation === "*" || operation === name);
    if (i < 0) return undefined;
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
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  #keep(name, value) {
    this.sql.exec("INSERT OR REPLACE INTO kept VALUES (?, ?)", name, JSON.stringify(value));
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

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

/** Only the first 64 bytes of a string are indexed, cut at a character. */
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

/** Whether an indexed value satisfies one condition. A property that is not there satisfies only $ne and $nin. */
function holds(value, operator, operand) {
  const wanted = Array.isArray(operand) ? operand.map(cut) : cut(operand);
  switch (operator) {
    case "$eq": return value === wanted || (wanted === null && value === undefined);
    case "$ne": return value !== wanted && !(wanted === null && value === undefined);
    case "$in": return wanted.includes(value);
    case "$nin": return !wanted.includes(value);
  }
  if (value === undefined || typeof value !== typeof wanted) return false;
  const order = typeof value === "string" ? compareBytes(value, wanted) : value - wanted;
  return { $lt: order < 0, $lte: order <= 0, $gt: order > 0, $gte: order >= 0 }[operator];
}

function compareBytes(a, b) {
  const [x, y] = [a, b].map((text) => new TextEncoder().encode(text));
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
}
