/**
 * The Worker with mirrors that fail for the user who is told to have them fail: a module in front of the built one.
 *
 * `POST /faults {owner, mirror, kind}` breaks a mirror for one object, without a kind it mends it and delivers what was
 * held back (`{order: "reversed"}`: the newest first); `GET /faults` lists the owners whose objects have awoken, with how often
 * each of their mirrors was asked.
 */
import * as built from "./index.js";

/** By owner and mirror: `{kind, times, held, asked}`. */
const states = new Map();

function state(owner, mirror) {
  const key = `${owner} ${mirror}`;
  if (!states.has(key)) states.set(key, { kind: null, times: 0, held: [], asked: 0 });
  return states.get(key);
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const never = () => new Promise(() => {});

/** Carries out one call as the fault has it. */
async function conduct(of, { isWrite, isDeletion = false, run, words }) {
  of.asked += 1;
  switch (of.kind) {
    case "down":
      throw new Error(words.down);
    case "slow":
      await later(700);
      return run();
    case "error before":
      if (of.times-- > 0) throw new Error(words.down);
      return run();
    case "error after":
      if (of.times-- <= 0) return run();
      await run();
      throw new Error(words.down);
    case "lost answer":
      if (of.times-- <= 0 || !isWrite) return run();
      await run();
      return never();
    case "reordered":
      if (!isWrite) return run();
      of.held.push(run);
      throw new Error(words.down);
    case "late":
      if (!isWrite) return words.asBefore ? words.asBefore() : run();
      // It is told as written, and seen later.
      of.held.push(run);
      return words.asWritten();
    case "full":
    case "wrong dimension":
    case "refused":
      if (!isWrite || (isDeletion && of.kind !== "refused")) return run();
      throw new Error(words[of.kind]);
    default:
      return run();
  }
}

function table(real, owner) {
  if (!real) return undefined;
  const of = state(owner, "d1");
  const words = {
    down: "D1_ERROR: Network connection lost.",
    full: "D1_ERROR: Exceeded maximum DB size",
    refused: "D1_ERROR: CHECK constraint failed: SQLITE_CONSTRAINT",
  };
  const asWritten = (list) => list.map(() => ({ success: true, results: [], meta: {} }));
  return {
    prepare: (sql) => ({ bind: (...args) => ({ sql, args }) }),
    batch: (list) => conduct(of, {
      isWrite: list.some(({ sql }) => !sql.startsWith("SELECT")),
      run: () => real.batch(list.map(({ sql, args }) => real.prepare(sql).bind(...args))),
      words: { ...words, asWritten: () => asWritten(list) },
    }),
  };
}

function index(real, owner) {
  if (!real) return undefined;
  const of = state(owner, "vectorize");
  const words = {
    down: "VECTOR_ERROR: Status + 500",
    full: "VECTOR_UPSERT_ERROR (code = 40013): index is full; max vector count is 10000000",
    "wrong dimension": 'VECTOR_UPSERT_ERROR (code = 40012): invalid vector for id="v", expected 8 dimensions, and got 256 dimensions',
    refused: "VECTOR_UPSERT_ERROR (code = 40011): invalid",
  };
  const call = (name, isWrite, asBefore) => (...args) => conduct(of, {
    isWrite, isDeletion: name === "deleteByIds", run: () => real[name](...args),
    words: { ...words, asBefore, asWritten: () => ({ mutationId: crypto.randomUUID() }) },
  });
  return {
    upsert: call("upsert", true),
    deleteByIds: call("deleteByIds", true),
    getByIds: call("getByIds", false),
    query: call("query", false),
    // While writes aren't visible yet, the index says that it has processed none of them.
    describe: call("describe", false, async () => ({ ...await real.describe(), processedUpToMutation: "", processedUpToDatetime: 0 })),
  };
}

export const ChatAgent = new Proxy(built.ChatAgent, {
  construct(target, [object, env]) {
    const owner = object.id.name;
    const mirrors = { DB: table(env.DB, owner), VECTORIZE: index(env.VECTORIZE, owner) };
    return Reflect.construct(target, [object, { ...env, ...mirrors }]);
  },
});

export default class extends built.default {
  async fetch(request) {
    if (new URL(request.url).pathname !== "/faults") return super.fetch(request);
    if (request.method === "POST") {
      const { owner, mirror, kind = null, order } = await request.json();
      const of = state(owner, mirror);
      const held = order === "reversed" ? of.held.toReversed() : of.held;
      Object.assign(of, { kind, times: kind === "lost answer" ? 1 : 2, held: [] });
      // A late write whose turn has come may be refused, as nobody waits for it any more.
      for (const run of held) await run().catch(() => undefined);
    }
    return Response.json([...states].map(([key, { asked }]) => [key, asked]));
  }
}
