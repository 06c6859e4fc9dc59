/** Personal access tokens against the built Worker, and what a changed secret ends and doesn't. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SECRET, boot, cookiesOf } from "./harness.mjs";

describe("a token", () => {
  let app;
  let hana;
  before(async () => {
    app = await boot();
    hana = await app.signIn();
  });
  after(() => app.stop());

  const make = (scopes, more = {}) => hana.ok("POST", "/api/tokens", { name: "script", scopes, ...more });
  const bearer = ({ token }) => app.person({ authorization: `Bearer ${token}` });

  test("does what its scopes say, from anywhere, and no more", async () => {
    const script = bearer(await make(["memory:write"]));
    const elsewhere = { headers: { origin: "https://elsewhere.example" } };
    const added = await script.api("POST", "/api/memory/facts", { text: "猫を飼っています。" }, elsewhere);
    assert.equal(added.status, 201);
    assert.deepEqual(await refusal(script.api("GET", "/api/memory/facts")), [403, "missing_scope"]);
    assert.deepEqual(await refusal(script.api("POST", "/api/tokens", { name: "more", scopes: ["chat"] })), [403, "forbidden"]);
    assert.deepEqual(await refusal(script.api("DELETE", "/api/memory", { confirm: "forget everything" })), [403, "forbidden"]);
    assert.deepEqual(await refusal(script.api("POST", "/auth/logout?everywhere=true")), [403, "forbidden"]);
    await assert.rejects(script.connect(), { status: 403 });
  });

  test("is shown once, and its use is noted", async () => {
    const made = await make(["memory:read"]);
    assert.match(made.token, /^kioku_pat_[A-Za-z0-9_-]{104}$/);
    const listed = async () => (await hana.ok("GET", "/api/tokens")).tokens.find(({ id }) => id === made.id);
    assert.equal((await listed()).last_used_at, null);
    await bearer(made).ok("GET", "/api/memory/facts");
    assert.ok(Math.abs(new Date((await listed()).last_used_at) - Date.now()) < 60_000);
    assert.ok(!JSON.stringify(await listed()).includes(made.token));
  });

  test("that is revoked is closed at once, with the conversation it holds", async () => {
    const made = await make(["chat"]);
    const [own, tab] = [await hana.chat(), await bearer(made).chat({ cookie: null })];
    assert.equal((await tab.say("hello")).end.type, "done");
    await hana.ok("DELETE", `/api/tokens/${made.id}`);
    assert.deepEqual((await tab.closed).code, 4401);
    assert.deepEqual(await refusal(bearer(made).api("GET", "/api/me")), [401, "unauthenticated"]);
    assert.equal((await own.say("still there?")).end.type, "done");
  });

  test("is gone when its time is over", async () => {
    const made = await make(["chat"], { expires_at: new Date(Date.now() + 400).toISOString() });
    const gone = async () => (await bearer(made).api("GET", "/api/me")).status === 401;
    const deadline = Date.now() + 20_000;
    while (!await gone()) assert.ok(Date.now() < deadline, "it ends");
  });
});

test("a changed secret ends no session and no token while the one before is known, and never a memory", async () => {
  const app = await boot();
  try {
    const hana = await app.signIn();
    await hana.ok("POST", "/api/memory/facts", { text: "私は仙台に住んでいます。" });
    const { token } = await hana.ok("POST", "/api/tokens", { name: "t", scopes: ["memory:read"] });
    const script = () => app.person({ authorization: `Bearer ${token}` });
    const remembers = async (person) => JSON.stringify(await person.ok("GET", "/api/memory/facts")).includes("仙台");
    const next = "the secret that comes after, long enough too";

    app.options.variables = { SESSION_SECRET: next, SESSION_SECRET_PREVIOUS: SECRET };
    await app.restart();
    assert.ok(await remembers(script()));
    const answer = await app.fetch("/api/me", { headers: { cookie: hana.cookie } });
    assert.equal(answer.status, 200);
    const renewed = app.person({ cookie: cookiesOf(answer) });

    app.options.variables = { SESSION_SECRET: next };
    await app.restart();
    assert.ok(await remembers(renewed), "the session was signed anew");
    assert.equal((await app.person({ cookie: hana.cookie }).api("GET", "/api/me")).status, 401);
    assert.equal((await script().api("GET", "/api/me")).status, 401);
    assert.ok(await remembers(await app.signIn()), "and whoever signs in again finds everything");
  } finally {
    await app.stop();
  }
});

async function refusal(answer) {
  const { status, body } = await answer;
  return [status, body.code];
}
