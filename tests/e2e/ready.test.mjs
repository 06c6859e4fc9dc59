/** What an installation says of itself to whoever asks, and what it writes down. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { boot } from "./harness.mjs";

async function asked(options, act) {
  const app = await boot(options);
  try {
    return await act(app);
  } finally {
    await app.stop();
  }
}

const json = async (app, path, init) => {
  const response = await app.fetch(path, init);
  return { status: response.status, body: await response.json() };
};

describe("an installation", () => {
  test("that is whole is alive and ready", () => asked({}, async (app) => {
    const health = await json(app, "/healthz");
    assert.deepEqual([health.status, health.body.status], [200, "ok"]);
    assert.match(health.body.version, /^\d+\.\d+\.\d+/);
    const ready = await json(app, "/readyz");
    assert.deepEqual([ready.status, ready.body.status], [200, "ready"]);
  }));

  test("that lacks something is alive, names everything it lacks, and serves nobody", () =>
    asked({ variables: { AUTH_MODE: "", SESSION_SECRET: "hunter2", MODEL_PROVIDER: "workers-ai" } }, async (app) => {
      assert.equal((await json(app, "/healthz")).status, 200);
      const { status, body } = await json(app, "/readyz");
      assert.deepEqual([status, body.code, body.missing], [503, "misconfigured", ["AUTH_MODE", "SESSION_SECRET", "AI"]]);
      assert.ok(!JSON.stringify([body, app.logs]).includes("hunter2"), "names only");
      assert.equal((await json(app, "/api/me")).status, 503);
    }));

  test("signs nobody in by name except on its own machine", () => asked({}, async (app) => {
    const response = await app.mf.dispatchFetch("https://kioku.example.com/readyz");
    assert.deepEqual([response.status, (await response.json()).missing], [503, ["AUTH_MODE"]]);
  }));

  test("counts once a day, in numbers", () => asked({}, async (app) => {
    const hana = await app.signIn();
    await hana.ok("POST", "/api/memory/facts", { text: "I keep a cerulean pangolin." });
    const worker = await app.mf.getWorker("kioku");
    await worker.scheduled({ cron: "17 3 * * *" });
    const lines = app.logs.map(({ message }) => message).filter((line) => line.includes('"daily"'));
    assert.equal(lines.length, 1, JSON.stringify(app.logs));
    const line = JSON.parse(lines[0]);
    assert.deepEqual([line.lacks, line.errors], [[], []]);
    for (const name of ["owners", "facts", "held", "forgotten", "vectors"]) assert.equal(typeof line[name], "number", name);
    assert.ok(!JSON.stringify(app.logs).includes("pangolin"));
  }));

  test("writes its figures where a dataset is bound", () => asked({ metrics: true }, async (app) => {
    const tab = await (await app.signIn()).chat();
    await tab.say("hello");
    const points = await (await app.mf.getWorker("metrics")).fetch("http://x/");
    const [turn] = (await points.json()).filter(({ indexes }) => indexes[0] === "turn");
    assert.deepEqual(turn.blobs.slice(0, 3), ["turn", "done", ""]);
    assert.equal(turn.doubles.length, 6);
  }));
});
