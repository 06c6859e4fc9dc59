/** The local Vectorize answers, refuses and lags as the real binding does, and goes wrong on demand. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { VectorizeSwitches, vectorizeWorker } from "./harness.mjs";

/** A Worker with the binding and nothing else: it hands on one call. */
const CALLER = `export default {
  async fetch(request, env) {
    const { method, args } = await request.json();
    try {
      return Response.json({ value: await env.VECTORIZE[method](...args) });
    } catch (error) {
      return Response.json({ error: error.message });
    }
  }
}`;

const folder = mkdtempSync(join(tmpdir(), "kioku-vectorize-"));
let mf;
let switches;

async function startIndex() {
  mf = new Miniflare(convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: 0,
    resourcePersistencePath: folder,
    telemetry: { enabled: false },
    log: new Log(LogLevel.ERROR),
    workers: [
      {
        name: "caller",
        modules: true,
        script: CALLER,
        compatibilityDate: "2026-11-01",
        serviceBindings: { VECTORIZE: { name: "kioku-vectorize", entrypoint: "VectorizeIndex" } },
      },
      vectorizeWorker({ LAG_MS: "0" }),
    ],
  }));
  await mf.ready;
  switches = new VectorizeSwitches(await mf.getWorker("kioku-vectorize"));
}

/** Calls the binding as the main Worker would; throws what it throws. */
async function call(method, ...args) {
  const response = await mf.dispatchFetch("http://caller/", { method: "POST", body: JSON.stringify({ method, args }) });
  const { value, error } = await response.json();
  if (error !== undefined) throw new Error(error);
  return value;
}

const vector = (id, values, metadata, namespace) => ({ id, values, ...(metadata && { metadata }), ...(namespace && { namespace }) });
const ids = ({ matches }) => matches.map(({ id }) => id);

before(startIndex);
after(async () => {
  await mf.dispose();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await switches.reset();
  const { ids: left } = await switches.state();
  for (let i = 0; i < left.length; i += 100) await call("deleteByIds", left.slice(i, i + 100));
});

describe("answers", () => {
  test("a query ranks by cosine and tells ids and scores only", async () => {
    const mutation = await call("upsert", [vector("far", [0, 1]), vector("near", [2, 0.1]), vector("same", [3, 0])]);
    assert.match(mutation.mutationId, /^[0-9a-f-]{36}$/);
    const answer = await call("query", [1, 0], { topK: 2 });
    assert.equal(answer.count, 2);
    assert.deepEqual(ids(answer), ["same", "near"]);
    assert.equal(answer.matches[0].score, 1);
    assert.deepEqual(Object.keys(answer.matches[1]).sort(), ["id", "score"]);
  });

  test("without options five come back; values and metadata when asked for", async () => {
    await call("upsert", Array.from({ length: 8 }, (_, i) => vector(`v${i}`, [1, i], { uid: "u", note: "n" })));
    assert.equal((await call("query", [1, 0])).count, 5);
    const [full] = (await call("query", [1, 0], { topK: 1, returnValues: true, returnMetadata: "all" })).matches;
    assert.deepEqual([full.values, full.metadata], [[1, 0], { uid: "u", note: "n" }]);
    const [indexed] = (await call("query", [1, 0], { topK: 1, returnMetadata: "indexed" })).matches;
    assert.deepEqual(indexed.metadata, { uid: "u" });
  });

  test("upsert replaces a vector whole, insert leaves it as it is", async () => {
    await call("upsert", [vector("a", [1, 0], { uid: "u1" }, "n")]);
    await call("insert", [vector("a", [0, 1]), vector("b", [0, 1])]);
    assert.deepEqual((await call("getByIds", ["a"]))[0], { id: "a", values: [1, 0], namespace: "n", metadata: { uid: "u1" } });
    await call("upsert", [vector("a", [0, 1])]);
    assert.deepEqual((await call("getByIds", ["a", "a", "none"])), [{ id: "a", values: [0, 1] }]);
  });

  test("queryById uses a stored vector", async () => {
    await call("upsert", [vector("a", [1, 0]), vector("b", [1, 0.2]), vector("c", [0, 1])]);
    assert.deepEqual(ids(await call("queryById", "a", { topK: 2 })), ["a", "b"]);
  });

  test("what is deleted is not found again, and deleting what is not there is no error", async () => {
    await call("upsert", [vector("a", [1, 0]), vector("b", [1, 0])]);
    await call("deleteByIds", ["a", "never"]);
    assert.deepEqual(ids(await call("query", [1, 0])), ["b"]);
    assert.deepEqual(await call("getByIds", ["a"]), []);
  });

  test("a namespace holds its own vectors", async () => {
    await call("upsert", [vector("a", [1, 0], null, "one"), vector("b", [1, 0], null, "two")]);
    assert.deepEqual(ids(await call("query", [1, 0], { namespace: "two" })), ["b"]);
    assert.equal((await call("query", [1, 0])).count, 2);
  });
});

describe("filters", () => {
  const filtered = async (filter) => ids(await call("query", [1, 0], { topK: 10, filter })).sort();

  test("compare by every operator", async () => {
    await switches.set({ indexes: ["uid", "n"] });
    await call("upsert", [
      vector("a", [1, 0], { uid: "花子", n: 1 }), vector("b", [1, 0], { uid: "太郎", n: 2 }), vector("c", [1, 0]),
    ]);
    const cases = [
      [{ uid: "花子" }, ["a"]],
      [{ uid: { $eq: "太郎" } }, ["b"]],
      [{ uid: { $ne: "花子" } }, ["b", "c"]],
      [{ uid: { $in: ["花子", "太郎"] } }, ["a", "b"]],
      [{ uid: { $nin: ["花子"] } }, ["b", "c"]],
      [{ n: { $lt: 2 } }, ["a"]],
      [{ n: { $lte: 2 } }, ["a", "b"]],
      [{ n: { $gt: 1 } }, ["b"]],
      [{ n: { $gte: 1, $lt: 2 } }, ["a"]],
      [{ uid: "花子", n: 2 }, []],
    ];
    for (const [filter, expected] of cases) assert.deepEqual(await filtered(filter), expected, JSON.stringify(filter));
  });

  test("see only indexed properties and only their first 64 bytes", async () => {
    const long = "あ".repeat(21);
    await call("upsert", [vector("a", [1, 0], { uid: `${long}い`, kind: "food" })]);
    assert.deepEqual(await filtered({ kind: "food" }), []);
    assert.deepEqual(await filtered({ uid: `${long}う` }), ["a"]);
    assert.deepEqual(await filtered({ uid: "あ".repeat(20) }), []);
  });

  test("that the real index cannot read are refused", async () => {
    for (const filter of [{ uid: { $like: "a" } }, { $or: [] }, { uid: { $in: "a" } }, { uid: "x".repeat(3000) }, []]) {
      await assert.rejects(call("query", [1, 0], { filter }), /VECTOR_QUERY_ERROR \(code = 40026\)/);
    }
  });
});

describe("refusals", () => {
  const many = (count) => Array.from({ length: count }, (_, i) => `v${i}`);

  test("name the limit and write nothing", async () => {
    const cases = [
      [["upsert", [vector("あ".repeat(22), [1])]], /40008.*max is 64 bytes, got 66 bytes/],
      [["upsert", [vector("", [1])]], /40008/],
      [["upsert", many(1001).map((id) => vector(id, [1]))], /max vector count is 1000, got 1001/],
      [["upsert", []], /VECTOR_UPSERT_ERROR/],
      [["insert", [vector("a", [1], { text: "x".repeat(10_240) })]], /VECTOR_INSERT_ERROR.*metadata too large/],
      [["upsert", [vector("a", [1], { "a.b": 1 })]], /invalid metadata key/],
      [["upsert", [vector("a", [1], null, "n".repeat(65))]], /namespace/],
      [["upsert", [vector("a", [])]], /VECTOR_UPSERT_ERROR \(code = 40012\)/],
      [["upsert", [vector("a", ["1"])]], /not a number/],
      [["getByIds", many(21)], /40007.*max id count is 20, got 21/],
      [["deleteByIds", many(101)], /40007.*max id count is 100, got 101/],
      [["query", [1], { topK: 101 }], /max top K is 100, but got 101/],
      [["query", [1], { topK: 51, returnValues: true }], /40025.*max top K is 50, but got 51/],
      [["query", [1], { topK: 51, returnMetadata: "all" }], /40025/],
      [["query", [1], { topK: 0 }], /topK/],
      [["query", [1], { returnMetadata: false }], /40026.*returnMetadata/],
      [["query", [1], { returnMetadata: "some" }], /Invalid returnMetadata option/],
      [["query", []], /40006.*got 0 dimensions/],
    ];
    for (const [[method, ...args], expected] of cases) {
      await assert.rejects(call(method, ...args), (error) => {
        assert.match(error.message, expected);
        return true;
      });
    }
    assert.equal((await switches.state()).visible, 0);
  });

  test("the largest allowed calls are taken", async () => {
    await call("upsert", many(1000).map((id) => vector(id, [1, 0])));
    assert.equal((await call("query", [1, 0], { topK: 100 })).count, 100);
    assert.equal((await call("query", [1, 0], { topK: 50, returnMetadata: true })).count, 50);
    assert.equal((await call("getByIds", many(20))).length, 20);
    await call("deleteByIds", many(100));
    assert.equal((await call("describe")).vectorCount, 900);
  });

  test("an index made for one length takes no other", async () => {
    await switches.set({ dimensions: 3 });
    await assert.rejects(
      call("upsert", [vector("a", [1, 0, 0]), vector("b", [1])]),
      /VECTOR_UPSERT_ERROR \(code = 40012\): invalid vector for id="b", expected 3 dimensions, and got 1 dimensions/,
    );
    await assert.rejects(call("query", [1]), /40006.*expected 3 dimensions, and got 1 dimensions/);
    assert.equal((await call("describe")).dimensions, 3);
    assert.equal((await switches.state()).visible, 0);
  });

  test("without a set length, vectors of different lengths live side by side and never meet", async () => {
    await call("upsert", [vector("old", [1, 0]), vector("new", [1, 0, 0])]);
    assert.deepEqual(ids(await call("query", [1, 0])), ["old"]);
    assert.deepEqual(ids(await call("query", [1, 0, 0])), ["new"]);
    await call("upsert", [vector("old", [0, 1, 0])]);
    assert.deepEqual(ids(await call("query", [1, 0])), []);
  });
});

describe("time", () => {
  test("a mutation is seen only after its lag, in order, and describe tells how far it is", async () => {
    await switches.set({ hold: true });
    const first = await call("upsert", [vector("a", [1, 0])]);
    await switches.set({ hold: false });
    // Due at once, but never before the one that came earlier.
    const second = await call("deleteByIds", ["a"]);
    await call("upsert", [vector("b", [1, 0])]);
    assert.equal((await call("query", [1, 0])).count, 0);
    assert.notEqual((await call("describe")).processedUpToMutation, first.mutationId);
    await switches.release();
    assert.deepEqual(ids(await call("query", [1, 0])), ["b"]);
    const info = await call("describe");
    assert.equal(info.vectorCount, 1);
    assert.notEqual(info.processedUpToMutation, second.mutationId);
    assert.equal(typeof info.processedUpToDatetime, "number");
  });

  test("a lag in milliseconds passes by itself", async () => {
    await switches.set({ lagMs: 60_000 });
    await call("upsert", [vector("a", [1, 0])]);
    assert.equal((await call("query", [1, 0])).count, 0);
    assert.deepEqual((({ visible, waiting }) => ({ visible, waiting }))(await switches.state()), { visible: 0, waiting: 1 });
    await switches.set({ lagMs: 30 });
    await switches.release();
    await call("upsert", [vector("b", [1, 0])]);
    const deadline = Date.now() + 5000;
    while ((await call("query", [1, 0])).count < 2) assert.ok(Date.now() < deadline, "b never became visible");
  });

  test("vectors, waiting mutations and switches outlive a restart", async () => {
    await call("upsert", [vector("a", [1, 0])]);
    await switches.set({ hold: true });
    await call("upsert", [vector("b", [1, 0])]);
    await mf.dispose();
    await startIndex();
    assert.deepEqual(ids(await call("query", [1, 0])), ["a"]);
    assert.equal((await switches.state()).switches.hold, true);
    await switches.release();
    assert.deepEqual(ids(await call("query", [1, 0])), ["a", "b"]);
  });
});

describe("faults", () => {
  test("before the write nothing is written, after it everything is", async () => {
    await switches.fail("upsert", "fail_before");
    await assert.rejects(call("upsert", [vector("a", [1, 0])]), /VECTOR_UPSERT_ERROR: Status \+ 500/);
    assert.equal((await call("query", [1, 0])).count, 0);
    await switches.fail("upsert", "fail_after");
    await assert.rejects(call("upsert", [vector("a", [1, 0])]), /VECTOR_UPSERT_ERROR: Status \+ 500/);
    assert.deepEqual(ids(await call("query", [1, 0])), ["a"]);
  });

  test("a lost answer is a write that nobody hears of", async () => {
    await switches.fail("upsert", "lose", { ms: 3000 });
    let answered = false;
    const lost = call("upsert", [vector("a", [1, 0])]).then(() => { answered = true; });
    const deadline = Date.now() + 2500;
    while ((await switches.state()).visible === 0) assert.ok(Date.now() < deadline, "the write never happened");
    assert.equal(answered, false);
    await lost;
  });

  test("a slow call answers late and others do not wait for it", async () => {
    await switches.fail("query", "slow", { ms: 800 });
    const began = Date.now();
    const slow = call("query", [1, 0]);
    await call("describe");
    assert.ok(Date.now() - began < 700, "describe waited for the slow query");
    await slow;
    assert.ok(Date.now() - began >= 790);
  });

  test("too many requests, a number of times, for any operation, counted", async () => {
    await switches.fail("*", "limited", { times: 2 });
    await assert.rejects(call("query", [1]), /VECTOR_QUERY_ERROR \(code = 40041\): Too Many Requests/);
    await assert.rejects(call("deleteByIds", ["a"]), /VECTOR_DELETE_ERROR \(code = 40041\)/);
    await call("describe");
    assert.deepEqual((await switches.state()).calls, { query: 1, deleteByIds: 1, describe: 1 });
  });

  test("a full index refuses more and keeps what it has", async () => {
    await switches.set({ capacity: 1 });
    await call("upsert", [vector("a", [1, 0])]);
    await assert.rejects(call("upsert", [vector("b", [1, 0])]), /index is full/);
    assert.deepEqual(ids(await call("query", [1, 0])), ["a"]);
  });

  test("an unknown switch is refused, so that a misspelt one can't pass for set", async () => {
    await assert.rejects(switches.set({ lag: 1 }));
    await assert.rejects(switches.fail("upsert", "explode"));
  });
});
