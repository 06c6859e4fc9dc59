/** Kioku as built, with its objects' SQLite counted: `GET /counted?object=NAME` tells what it read and wrote so far. */
import kioku, { ChatAgent as Agent } from "./index.js";

const counts = { statements: 0, transactions: 0, alarms: 0, read: 0, written: 0 };
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

export class ChatAgent extends Agent {
  constructor(state, env) {
    patch(state);
    super(state, env);
  }
}

export default class extends kioku {
  async fetch(request) {
    if (new URL(request.url).pathname !== "/counted") return super.fetch(request);
    settle();
    return Response.json(counts);
  }
}
