/**
 * Two people, every route of the table, every id of the other. Generated from `tests/golden/routes.json`, which a native
 * test keeps equal to the router's own table: a route without an attempt here fails.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { ROOT, boot, eventually } from "./harness.mjs";

const ROUTES = JSON.parse(readFileSync(`${ROOT}/tests/golden/routes.json`, "utf8"));
/** In everything that is Hana's and in nothing else. */
const MARKS = ["Quetzalcoatlus", "翼竜の卵"];
const random = (prefix) => `${prefix}${randomBytes(8).toString("hex")}`;

/** For each route with a query or a body, what is worth trying; `of` are the other person's ids. */
const ATTEMPTS = {
  "GET /api/me": () => [{}],
  // Not with the words that would end Mal's own.
  "DELETE /api/me": (of) => [{}, { body: { confirm: of.thread } }],
  "PATCH /api/me/settings": () => [{ body: { timezone: "Asia/Tokyo" } }],
  "GET /api/threads": (of) => of.cursors.map((cursor) => ({ query: `cursor=${cursor}` })),
  "POST /api/threads": (of) => [{ body: { title: "mine" } }, { body: { title: "mine", id: of.thread } }],
  "PATCH /api/threads/{thread}": () => [{ body: { title: "taken over" } }],
  "DELETE /api/threads/{thread}": () => [{}],
  "GET /api/threads/{thread}/messages": (of) => [{}, ...of.cursors.map((cursor) => ({ query: `before=${cursor}` }))],
  "GET /api/threads/{thread}/tokens": () => [{}],
  "GET /api/threads/{thread}/summary": () => [{}],
  "PUT /api/threads/{thread}/summary": () => [{ body: { summary: "overwritten" } }],
  "DELETE /api/threads/{thread}/summary": () => [{}],
  "GET /api/memory/facts": (of) => [
    {}, { query: "status=all" }, ...MARKS.map((mark) => ({ query: `q=${encodeURIComponent(mark)}&status=all` })),
    ...["keyword", "semantic", "hybrid"].map((match) => ({ query: `q=pterosaur&match=${match}&status=all` })),
    { query: `thread=${of.thread}&status=all` }, ...of.cursors.map((cursor) => ({ query: `cursor=${cursor}&status=all` })),
  ],
  "POST /api/memory/facts": (of) => [
    { body: { text: "I like tea.", scope: `thread:${of.thread}` } }, { body: { text: "I like tea.", id: of.fact } },
  ],
  "GET /api/memory/facts/{fact}": () => [{}],
  "PATCH /api/memory/facts/{fact}": () => [{ body: { text: "I am somebody else." } }, { body: { pinned: true } }],
  "DELETE /api/memory/facts/{fact}": () => [{}, { query: "messages=erase" }],
  "GET /api/memory/changes": (of) => [{}, ...of.cursors.map((cursor) => ({ query: `cursor=${cursor}` }))],
  "POST /api/memory/changes/{change}/undo": () => [{}],
  "DELETE /api/memory": () => [{ body: { confirm: "forget everything" } }],
  "POST /api/recall": (of) => MARKS.flatMap((query) => [
    { body: { query } }, { body: { query, limit: 200 } }, { body: { query, thread: of.thread } },
  ]),
  "GET /api/memory/mirrors": () => [{}],
  "POST /api/memory/mirrors/reconcile": () => [{}],
  "GET /api/memory/weeks": () => [{}],
  "POST /api/memory/weeks/consolidate": () => [{ query: "dry_run=true" }, {}],
  "GET /api/traces/{turn}": () => [{}],
  "GET /api/tokens": () => [{}],
  "POST /api/tokens": (of) => [{ body: { name: "mine", scopes: ["chat"] } }, { body: { name: "mine", scopes: ["chat"], id: of.token } }],
  "DELETE /api/tokens/{token}": () => [{}],
  "GET /api/export": () => ["json", "jsonl", "markdown", "digest"].map((format) => ({ query: `format=${format}` })),
  "POST /api/import": (of) => ["kioku", "messages", "chatgpt", "claude"].map((format) => ({
    query: `format=${format}`, body: JSON.stringify({ role: "user", content: "hello", thread: of.thread, external_id: of.message }),
  })),
  "POST /v1/chat/completions": () => [{ body: { messages: [{ role: "user", content: MARKS[0] }] } }],
  "GET /v1/models": () => [{}],
  "POST /mcp": () => [{ body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }],
};
/** Open to everybody, or a socket, which is tried by itself. */
const APART = ["GET /", "GET /memory", "GET /healthz", "GET /readyz", "POST /auth/local", "GET /auth/login", "GET /auth/callback",
  "POST /auth/logout", "GET /api/chat"];

const name = ({ method, path }) => `${method} ${path}`;
const fill = (path, id) => path.replace(/\{\w+\}/, encodeURIComponent(id));

describe("between two people", () => {
  let app;
  let hana;
  let mal;
  let of;
  let ids;
  let tab;

  before(async () => {
    app = await boot();
    hana = await app.signIn("Hana");
    mal = await app.signIn("Mal");
    const { id: thread } = await hana.ok("POST", "/api/threads", { title: `About ${MARKS[0]}` });
    await hana.ok("POST", "/api/threads", { title: `${MARKS[1]}について` });
    const first = await hana.chat({ thread });
    const { turn, end } = await first.say(`Remember that my pet is a ${MARKS[0]}.`);
    await first.frame("remembered");
    await first.say(`${MARKS[1]}を探しています。`);
    const fact = await hana.ok("POST", "/api/memory/facts", { text: `I keep ${MARKS[1]}.`, kind: "other" });
    await hana.ok("PUT", `/api/threads/${thread}/summary`, { summary: `The user owns a ${MARKS[0]}.` });
    const token = await hana.ok("POST", "/api/tokens", { name: `for ${MARKS[0]}`, scopes: ["chat", "memory:read", "memory:write"] });
    const { changes, next_cursor: byChange } = await hana.ok("GET", "/api/memory/changes?limit=1");
    const { next_cursor: byFact } = await hana.ok("GET", "/api/memory/facts?limit=1&status=all");
    const { next_cursor: byThread } = await hana.ok("GET", "/api/threads?limit=1");
    const { next_cursor: byMessage } = await hana.ok("GET", `/api/threads/${thread}/messages?limit=1`);
    const cursors = [byChange, byFact, byThread, byMessage].filter(Boolean);
    assert.ok(cursors.length >= 3, "lists are long enough for cursors");
    of = { thread, turn, fact: fact.id, change: changes[0].id, token: token.id, message: end.message.id, cursors: [...cursors, random("")] };
    ids = [thread, turn, fact.id, changes[0].id, token.id, end.message.id];
    await eventually("the mirrors have everything of Hana's", async () => {
      const { d1, vectorize } = await hana.ok("GET", "/api/memory/mirrors");
      return d1.pending + vectorize.pending === 0;
    });
    tab = await hana.chat({ thread });
  });
  after(() => app.stop());

  /** Everything that Hana sees. */
  async function belongings() {
    const paths = ["/api/export?format=json", "/api/memory/facts?status=all&limit=200", "/api/memory/changes?limit=200", "/api/threads",
      `/api/threads/${of.thread}/messages`, `/api/threads/${of.thread}/summary`];
    const seen = [];
    for (const path of paths) seen.push(await hana.ok("GET", path));
    const { tokens } = await hana.ok("GET", "/api/tokens");
    // Mirrors catch up by themselves.
    const text = JSON.stringify([...seen, tokens.map(({ id }) => id)], (key, value) => (["exported_at", "mirrors"].includes(key) ? undefined : value));
    for (const mark of MARKS) assert.ok(text.includes(mark), `Hana has ${mark}`);
    return text;
  }

  function clean(what, text) {
    for (const mark of MARKS) assert.ok(!text.includes(mark), `${what} tells of ${mark}: ${text.slice(0, 300)}`);
  }

  test("every route of the table is tried", () => {
    const known = [...Object.keys(ATTEMPTS), ...APART].sort();
    assert.deepEqual(known, ROUTES.map(name).sort());
  });

  test("no route, id or cursor gives or changes a byte of the other's", async () => {
    const before = await belongings();
    for (const route of ROUTES.filter((route) => ATTEMPTS[name(route)])) {
      const places = route.path.includes("{") ? [...ids, "main", random("f_"), random("th_")] : [""];
      for (const id of places) {
        for (const { query, body } of ATTEMPTS[name(route)](of)) {
          const what = `${name(route)} with ${id || "nothing"} ${query ?? ""} ${JSON.stringify(body ?? null)}`;
          const answer = await mal.api(route.method, fill(route.path, id) + (query ? `?${query}` : ""), body);
          // Recall tells what was asked, which is Mal's own.
          const { query: asked, ...rest } = Object(answer.body);
          clean(what, JSON.stringify(name(route) === "POST /api/recall" ? rest : answer.body) + [...answer.headers].join());
          if (route.path.includes("{") && ids.includes(id)) assert.ok(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status}`);
          assert.notEqual(answer.status, 500, what);
          assert.equal(answer.headers.get("x-content-type-options"), "nosniff", what);
          assert.equal(answer.headers.get("cache-control"), "no-store", what);
        }
      }
    }
    assert.equal(await belongings(), before, "nothing of Hana's has changed");
  });

  test("no frame reaches the other's turns, and no socket their threads", async () => {
    await assert.rejects(mal.connect({ thread: of.thread }), { status: 404 });
    const heard = tab.frames.length;
    const mine = await mal.chat();
    for (const frame of [
      { type: "stop", turn: of.turn }, { type: "retry", turn: of.turn }, { type: "resume", turn: of.turn, after: 0 },
      { type: "resume", turn: of.message, after: 0 },
    ]) {
      const from = mine.frames.length;
      mine.write(frame);
      assert.equal((await mine.frame("error", undefined, { from })).code, "unknown_turn");
    }
    await mine.say("What is my pet?");
    await mine.say("私のペットは何ですか？");
    clean("the chat", JSON.stringify(mine.frames));
    assert.equal(tab.frames.length, heard, "Hana's tab heard nothing of it");
  });

  test("the other's token opens the other's memory only, and headers of ours from outside do nothing", async () => {
    const { token } = await hana.ok("POST", "/api/tokens", { name: "script", scopes: ["memory:read"] });
    const script = app.person({ authorization: `Bearer ${token}` });
    assert.ok(JSON.stringify(await script.ok("GET", "/api/memory/facts?status=all")).includes(MARKS[1]));
    // A good cookie beside a bad token is not asked.
    const both = app.person({ cookie: hana.cookie, authorization: `Bearer ${token.slice(0, -2)}xx` });
    assert.equal((await both.api("GET", "/api/me")).status, 401);
    const caller = Buffer.from(JSON.stringify({ name: "Hana", issued: null, expires: null, token: null })).toString("base64url");
    const me = await mal.api("GET", "/api/me", undefined, { headers: { "x-kioku-caller": caller, "x-kioku-user": "Hana" } });
    assert.equal(me.body.user.name, "Mal");
  });

  test("other programs with a token of one's own find nothing of the other's", async () => {
    const { token } = await mal.ok("POST", "/api/tokens", { name: "agent", scopes: ["memory:read", "memory:write"] });
    const agent = app.person({ authorization: `Bearer ${token}` });
    const call = (method, params) => agent.ok("POST", "/mcp", { jsonrpc: "2.0", id: 1, method, params });
    const listed = await call("tools/list", {});
    assert.deepEqual(listed.result.tools.map(({ name }) => name), ["recall", "list_facts", "propose_fact"]);
    for (const [name, args] of [
      ["recall", { query: "What is my pet?" }], ["recall", { query: "x", thread: of.thread }], ["list_facts", { status: "all" }],
      ...of.cursors.map((cursor) => ["list_facts", { cursor, status: "all" }]), ["propose_fact", { text: "I like tea." }],
      ["propose_fact", { text: "I like tea.", id: of.fact }],
    ]) clean(name, JSON.stringify(await call("tools/call", { name, arguments: args })));
    assert.equal((await agent.api("POST", "/mcp", { jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
    assert.equal((await agent.api("GET", "/mcp")).status, 405);
    assert.equal((await mal.api("POST", "/mcp", { jsonrpc: "2.0", id: 1, method: "ping" })).status, 401, "a cookie is no token");
  });

  test("without an identity every route that needs one is closed, before anything is read", async () => {
    for (const route of ROUTES.filter(({ access }) => access !== "open")) {
      for (const headers of [{}, { cookie: "kioku_session=e30.x" }, { authorization: "Bearer kioku_pat_x" }, { authorization: "Basic eA==" }]) {
        const answer = await app.person({ ...headers }).api(route.method, fill(route.path, of.thread), route.method === "GET" ? undefined : "{");
        assert.deepEqual([answer.status, answer.body.code], [401, "unauthenticated"], name(route));
        clean(name(route), JSON.stringify(answer.body));
      }
    }
  });

  test("from another site's page nothing can be changed and no socket opened", async () => {
    const before = await belongings();
    for (const route of ROUTES.filter(({ origin }) => origin)) {
      for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }, { origin: app.url.replace("http:", "https:") }]) {
        const answer = await app.fetch(fill(route.path, of.fact), {
          method: route.method, headers: { cookie: hana.cookie, "content-type": "text/plain", ...headers },
          ...(route.method === "GET" ? {} : { body: '{"confirm":"forget everything","name":"x"}' }),
        });
        assert.equal(answer.status, 403, `${name(route)} from ${headers.origin}`);
        assert.equal((await answer.json()).code, "wrong_origin");
      }
    }
    await assert.rejects(hana.connect({ origin: null }), { status: 403 });
    assert.equal(await belongings(), before);
  });

  test("errors and logs tell nobody's words", async () => {
    const tab = await hana.chat();
    tab.write(`{"type":"send","id":"bad id","text":"${MARKS[0]}"}`);
    await tab.frame("error");
    await hana.api("POST", "/api/memory/facts", `{"text": "${MARKS[0]}", "broken`);
    await hana.api("GET", `/api/memory/facts?kind=${MARKS[0]}`);
    clean("a log", JSON.stringify(app.logs));
  });
});
