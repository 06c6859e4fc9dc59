/** Kioku as built, with its objects' SQLite and its mirrors counted: `GET /counted` tells what was read and written so far. */
import kioku, { ChatAgent as Agent } from "./index.js";

const counts = {
  statements: 0, transactions: 0, alarms: 0, read: 0, written: 0,
  d1_requests: 0, d1_statements: 0, d1_read: 0, d1_written: 0, vectorize_requests: 0, vectors: 0,
};
let open = [];

/** A cursor knows its rows when it has been read to its end, which Kioku does at once. */
function settle() {
  for (const cursor of open) {
    counts.read += cursor.rowsRead;
    counts.written += cursor.rowsWritten;
  }
  open = [];
}

let patched = false;
function patch({ storage }) {
  if (patched) return;
  patched = true;
  const { exec } = Object.getPrototypeOf(storage.sql);
  Object.getPrototypeOf(storage.sql).exec = function counted(...args) {
    settle();
    const cursor = exec.apply(this, args);
    counts.statements += 1;
    open.push(cursor);
    return cursor;
  };
  count(storage, "transactionSync", "transactions");
  count(storage, "setAlarm", "alarms");
}

function count(of, method, name) {
  const prototype = Object.getPrototypeOf(of);
  const original = prototype[method];
  prototype[method] = function counted(...args) {
    counts[name] += 1;
    return original.apply(this, args);
  };
}

/** D1 with its batches counted as it bills them. */
const counting = (db) => ({
  prepare: (sql) => db.prepare(sql),
  async batch(statements) {
    counts.d1_requests += 1;
    counts.d1_statements += statements.length;
    const results = await db.batch(statements);
    for (const { meta } of results) {
      counts.d1_read += meta.rows_read;
      counts.d1_written += meta.rows_written;
    }
    return results;
  },
});

const countingIndex = (index) => Object.fromEntries(["upsert", "deleteByIds", "getByIds", "query", "describe"].map((name) => [name, (...args) => {
  counts.vectorize_requests += 1;
  if (name === "upsert") counts.vectors += args[0].length;
  return index[name](...args);
}]));

export class ChatAgent extends Agent {
  constructor(state, env) {
    patch(state);
    super(state, { ...env, DB: counting(env.DB), VECTORIZE: countingIndex(env.VECTORIZE) });
  }
}

export default class extends kioku {
  async fetch(request) {
    if (new URL(request.url).pathname !== "/counted") return super.fetch(request);
    settle();
    return Response.json(counts);
  }
}
