/** The chat as a browser uses it: protocol 1 over a real WebSocket to the built wasm. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { boot, eventually, gate } from "./harness.mjs";

describe("with the built-in model", () => {
  let app;
  before(async () => { app = await boot(); });
  after(() => app.stop());

  test("a message is accepted, streamed and done, and stays", async () => {
    const hana = await app.signIn();
    const tab = await hana.chat();
    const [ready] = tab.frames;
    assert.equal(ready.type, "ready");
    assert.equal(ready.protocol, 1);
    assert.equal(ready.thread, "main");
    assert.deepEqual([ready.recent, ready.open_turns, ready.memory_mode], [[], [], "on"]);

    const { accepted, end, text, turn } = await tab.say("こんにちは！私は花です。");
    assert.deepEqual([accepted.thread, accepted.position, accepted.repeated], ["main", 0, false]);
    assert.equal(end.type, "done");
    assert.notEqual(text, "");
    assert.equal(end.message.text, text);
    assert.equal(end.message.role, "assistant");
    assert.equal(end.message.turn, turn);
    assert.ok(end.timing.total_ms >= 0 && end.usage.completion_tokens > 0);
    const seqs = tab.frames.filter(({ type }) => type === "delta").map(({ seq }) => seq);
    assert.deepEqual(seqs, seqs.map((_, i) => i + 1));

    const again = await hana.chat();
    assert.deepEqual(again.frames[0].recent.map(({ role, text }) => [role, text]), [
      ["user", "こんにちは！私は花です。"],
      ["assistant", text],
    ]);
  });

  test("what can't be understood is refused with a code, and the connection stays", async () => {
    const tab = await (await app.signIn("Kei")).chat();
    const send = (id, text) => JSON.stringify({ type: "send", id, text });
    const cases = [
      ["{", "bad_frame"],
      ["[]", "bad_frame"],
      ["", "bad_frame"],
      [`{"type":"sing"}`, "unknown_frame"],
      [`{"id":"a","text":"b"}`, "unknown_frame"],
      [send("", "hi"), "bad_id"],
      [send("a b", "hi"), "bad_id"],
      [send("犬", "hi"), "bad_id"],
      [send("x".repeat(65), "hi"), "bad_id"],
      [`{"type":"send","id":"a","text":7}`, "bad_frame"],
      [send("empty", ""), "empty_message"],
      [send("blank", " \u3000\u200b\n"), "empty_message"],
      [send("long", "あ".repeat(8001)), "message_too_long"],
      [send("paste", "x".repeat(3_000_000)), "message_too_long"],
      [`{"type":"stop","turn":"t_none"}`, "unknown_turn"],
      [`{"type":"stop"}`, "bad_id"],
      [`{"type":"retry","turn":"t_none"}`, "unknown_turn"],
      [`{"type":"resume","turn":"t_none","after":0}`, "unknown_turn"],
      [`{"type":"resume","turn":"t_none","after":-1}`, "bad_frame"],
      [Buffer.from([0, 1, 2]), "binary_frame"],
    ];
    for (const [frame, code] of cases) {
      const from = tab.frames.length;
      tab.write(frame);
      const error = await tab.frame("error", () => true, { from });
      const shown = String(frame).slice(0, 40);
      assert.equal(error.code, code, shown);
      assert.ok(error.message.length > 0, shown);
    }
    assert.equal((await tab.frame("error", ({ id }) => id === "long")).code, "message_too_long");
    assert.equal((await tab.say("The longest: " + "あ".repeat(7900))).end.type, "done");
    assert.equal(tab.frames.filter(({ type }) => type === "accepted").length, 1);
  });

  test("a text frame that is not UTF-8 harms nobody", async () => {
    const hana = await app.signIn("Utf");
    const tab = await hana.chat();
    tab.socket.send(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), { binary: false });
    await Promise.race([tab.closed, tab.frame("error").catch(() => {})]);
    assert.equal((await (await hana.chat()).say("still here?")).end.type, "done");
  });

  test("ping is answered", async () => {
    const tab = await (await app.signIn()).chat();
    tab.write("ping");
    assert.equal((await tab.frame("text")).text, "pong");
  });

  test("nobody gets in without the cookie, with a forged one, or from another site", async () => {
    const hana = await app.signIn();
    await assert.rejects(hana.connect({ cookie: null }), { status: 401 });
    await assert.rejects(hana.connect({ cookie: hana.cookie.slice(0, -2) + "xx" }), { status: 401 });
    await assert.rejects(hana.connect({ cookie: "kioku_session=" }), { status: 401 });
    await assert.rejects(hana.connect({ origin: "https://evil.example" }), { status: 403 });
    await assert.rejects(hana.connect({ thread: "no such thread" }), (error) => [400, 404].includes(error.status));
    const plain = await hana.api("GET", "/api/chat");
    assert.deepEqual([plain.status, plain.body.code], [426, "upgrade_required"]);
  });

  test("two people share nothing", async () => {
    const [hana, taro] = [await app.signIn("Hana2"), await app.signIn("Taro2")];
    const mine = await (await hana.chat()).say("a secret of mine");
    const theirs = await taro.chat();
    assert.deepEqual(theirs.frames[0].recent, []);
    theirs.write({ type: "resume", turn: mine.turn, after: 0 });
    assert.equal((await theirs.frame("error")).code, "unknown_turn");
  });
});

describe("with a scripted model", () => {
  let app;
  before(async () => { app = await boot({ model: true, variables: { MODEL_STALL_MS: "1500", QUEUE_MAX: "2" } }); });
  after(() => app.stop());

  /** A stream that says `first` and waits for the gate. */
  const held = (opened, first = "one ", rest = "two") =>
    ({ steps: [{ text: first }, { until: opened }, { text: rest }, { finish: "stop" }, { done: true }] });
  let people = 0;
  const somebody = () => app.signIn(`Somebody ${++people}`);

  test("every tab of a thread sees the message and its answer", async () => {
    const hana = await somebody();
    const [one, two] = [await hana.chat(), await hana.chat()];
    app.model.next("Hello there, both of you.");
    const said = await one.say("hello");
    const user = await two.frame("user");
    assert.deepEqual([user.turn, user.message.text], [said.turn, "hello"]);
    assert.equal((await two.ending(said.turn)).type, "done");
    assert.equal(two.deltas(said.turn), "Hello there, both of you.");
    assert.ok(one.frames.every(({ type }) => type !== "user"));
    assert.equal(one.frames.filter(({ type }) => type === "done").length, 1);
  });

  test("the same id is the same turn, and never a second answer", async () => {
    const hana = await somebody();
    const [one, two] = [await hana.chat(), await hana.chat()];
    const calls = app.model.answered.length;
    const { opened, open } = gate();
    app.model.next(held(opened));
    const first = await one.send("once", { id: "same" });
    const [again, other] = [await one.send("once", { id: "same" }), await two.send("once", { id: "same" })];
    open();
    await one.ending(first.turn);
    const late = await one.send("once", { id: "same" });
    for (const repeated of [again, other, late]) {
      assert.deepEqual([repeated.turn, repeated.repeated], [first.turn, true]);
    }
    assert.equal((await one.say("next")).end.type, "done");
    assert.equal(app.model.answered.length - calls, 2);
    assert.equal(one.frames.filter(({ type, turn }) => type === "done" && turn === first.turn).length, 1);
  });

  test("messages wait their turn in order, and a full queue says so", async () => {
    const hana = await somebody();
    const [one, two] = [await hana.chat(), await hana.chat()];
    const { opened, open } = gate();
    app.model.next(held(opened), "second", "third");
    const first = await one.send("1");
    await one.frame("delta", ({ turn }) => turn === first.turn);
    const second = await two.send("2");
    const third = await one.send("3");
    assert.deepEqual([first.position, second.position, third.position], [0, 1, 2]);
    two.write({ type: "send", id: "too-much", text: "4" });
    const error = await two.frame("error");
    assert.deepEqual([error.code, error.id], ["queue_full", "too-much"]);
    open();
    for (const { turn } of [first, second, third]) assert.equal((await one.ending(turn)).type, "done");
    const order = one.frames.filter(({ type }) => type === "done").map(({ turn }) => turn);
    assert.deepEqual(order, [first.turn, second.turn, third.turn]);
    assert.equal((await two.say("4", { id: "too-much" })).end.type, "done");
  });

  test("stop ends the answer, keeps what was said and hangs up on the model", async () => {
    const tab = await (await somebody()).chat();
    app.model.next({ steps: [{ text: "so far" }, { stall: true }] });
    const { turn } = await tab.send("talk");
    await tab.frame("delta", (frame) => frame.turn === turn);
    const record = app.model.answered.at(-1);
    const waiting = await tab.send("and then?");
    tab.write({ type: "stop", turn: waiting.turn });
    assert.deepEqual(await tab.ending(waiting.turn), { type: "stopped", turn: waiting.turn, message: null });
    tab.write({ type: "stop", turn });
    const end = await tab.ending(turn);
    assert.deepEqual([end.type, end.message.text], ["stopped", "so far"]);
    await eventually("the model's connection to be closed", () => record.closed);
    assert.equal((await tab.say("go on")).end.type, "done");
  });

  test("whatever the chunks, the text is whole", async () => {
    const tab = await (await somebody()).chat();
    const text = "犬と猫🐶🐱が好き。 A \"quoted\" line\nand another — 了解です。";
    for (const chunk of [1, 2, 3, 7]) {
      const pieces = [...text].map((character) => ({ text: character }));
      app.model.next({ chunk, steps: [...pieces, { finish: "stop" }, { raw: ": comment\r\n\r\n" }, { done: true }] });
      const said = await tab.say(`chunks of ${chunk}`);
      assert.equal(said.end.message.text, text);
      assert.equal(said.text, text);
    }
  });

  test("a model that breaks fails the turn, says why, and what was said is kept", async () => {
    const tab = await (await somebody()).chat();
    const cases = [
      [[{ steps: [{ text: "half a sen" }, { cut: true }] }], "half a sen"],
      [[{ steps: [{ text: "no finish reason" }] }], "no finish reason"],
      [[{ steps: [{ text: "silence" }, { stall: true }] }], "silence"],
      [[{ steps: [{ finish: "stop" }, { done: true }] }, { steps: [{ finish: "stop" }, { done: true }] }], null],
      [[{ steps: [{ text: "no " }, { text: "finish " }, { text: "either" }, { done: true }] }], "no finish either"],
      [[{ status: 307, headers: { location: "/v1/chat/completions" } }], null],
      [[{ status: 400 }], null],
      [[{ status: 401 }], null],
      [[{ status: 500 }, { status: 500 }], null],
      [[{ raw: "<html>not a model</html>" }, { raw: "<html>not a model</html>" }], null],
      [[{ raw: "data: {\"nonsense\":" }, { raw: "data: {\"nonsense\":" }], null],
    ];
    for (const [replies, kept] of cases) {
      const shown = JSON.stringify(replies);
      const calls = app.model.answered.length;
      app.model.next(...replies);
      const { turn } = await tab.send(`break: ${shown}`);
      const end = await tab.ending(turn);
      assert.equal(end.type, "failed", shown);
      assert.match(end.code, /^[a-z_]+$/, shown);
      assert.ok(end.message.length > 0 && typeof end.retryable === "boolean", shown);
      assert.equal(end.reply?.text ?? null, kept, shown);
      // At most one retry; none once something was said or the server refused.
      assert.ok(app.model.answered.length - calls <= replies.length, `${shown}: asked too often`);
      // What was not asked for must not reach the next case.
      app.model.forget();
    }
    assert.equal((await tab.say("well again")).end.type, "done");
  });

  test("a model server that points elsewhere is not followed there", async () => {
    const hana = await app.signIn("Redirected");
    const tab = await hana.chat();
    app.model.next({ status: 307, headers: { location: `${app.model.url}/elsewhere` } });
    const { end } = await tab.say("Good morning");
    assert.deepEqual([end.type, end.code], ["failed", "model_refused"]);
    assert.deepEqual(app.model.requests.filter(({ path }) => path.endsWith("/elsewhere")), []);
  });

  test("one 429 or 500 is survived, and its Retry-After respected", async () => {
    const tab = await (await somebody()).chat();
    app.model.next({ status: 429, headers: { "retry-after": "1" } }, "after the rush");
    const began = Date.now();
    assert.equal((await tab.say("busy?")).end.message.text, "after the rush");
    assert.ok(Date.now() - began >= 950);
    app.model.next({ status: 500 }, "better now");
    assert.equal((await tab.say("broken?")).end.message.text, "better now");
  });

  test("a failed turn can be tried again and is the same turn", async () => {
    const hana = await somebody();
    const tab = await hana.chat();
    app.model.next({ status: 500 }, { status: 500 });
    const { turn } = await tab.send("please");
    assert.equal((await tab.ending(turn)).type, "failed");
    const from = tab.frames.length;
    tab.write({ type: "retry", turn });
    const end = await tab.ending(turn, { from });
    assert.equal(end.type, "done");
    const { recent } = (await hana.chat()).frames[0];
    assert.deepEqual(recent.map(({ role }) => role), ["user", "assistant"]);
    tab.write({ type: "retry", turn });
    assert.equal((await tab.frame("error")).code, "not_retryable");
  });

  test("a tab that comes back gets exactly what it missed", async () => {
    const hana = await somebody();
    const lost = await hana.chat();
    const { opened, open } = gate();
    app.model.next(held(opened, "missed ", "and caught up"));
    const { turn, id } = await lost.send("a long answer");
    const { seq } = await lost.frame("delta", (frame) => frame.turn === turn);
    lost.close();
    const back = await hana.chat();
    const [open_turn] = back.frames[0].open_turns;
    assert.deepEqual([open_turn.turn, open_turn.id, open_turn.state], [turn, id, "running"]);
    back.write({ type: "resume", turn, after: seq });
    open();
    const end = await back.ending(turn);
    assert.equal(end.message.text, "missed and caught up");
    assert.equal(back.deltas(turn), "and caught up");
    // A finished turn is replayed whole, with its end.
    const later = await hana.chat();
    later.write({ type: "resume", turn, after: 0 });
    assert.equal((await later.ending(turn)).type, "done");
    assert.equal(later.deltas(turn), "missed and caught up");
  });
});

describe("when the object or the server dies", () => {
  let app;
  // Miniflare can't evict an object whose alarm waits for a server, and its embeddings are asked for just after a turn.
  before(async () => { app = await boot({ model: true, variables: { EMBEDDING_PROVIDER: "embedded", MODEL_STALL_MS: "3000" } }); });
  after(() => app.stop());

  test("an object that hibernates in a conversation goes on with it on the same socket", async () => {
    const hana = await app.signIn("Sleeper");
    const [tab, other] = [await hana.chat(), await hana.chat()];
    const before = await tab.say("before", { id: "before" });
    await app.evict();
    const again = await tab.send("before", { id: "before" });
    assert.deepEqual([again.turn, again.repeated], [before.turn, true]);
    const { turn } = await tab.say("after");
    // The tab that only listens is still told, and neither was greeted as if it were new.
    await other.ending(turn);
    for (const { frames } of [tab, other]) assert.equal(frames.filter(({ type }) => type === "ready").length, 1);
    const { messages } = await hana.ok("GET", "/api/threads/main/messages");
    assert.deepEqual(messages.filter(({ role }) => role === "user").map(({ text }) => text), ["after", "before"]);
    assert.equal(messages.length, 4);
    assert.equal(app.model.answered.at(-1).body.messages.filter(({ content }) => content === "before").length, 1);
  });

  test("ping wakes nobody, and a message does", async () => {
    const tab = await (await app.signIn("Dreamer")).chat();
    await tab.say("good night");
    // Memory work that follows a turn wakes them too.
    await eventually("everybody to sleep", async () => (await app.evict()) === 0);
    tab.write("ping");
    assert.equal((await tab.frame("text")).text, "pong");
    assert.equal(await app.evict(), 0, "nobody was awake");
    await tab.say("good morning");
    assert.ok((await app.evict()) > 0);
  });

  test("an eviction in mid-answer ends the turn once, whole or as interrupted", async () => {
    const hana = await app.signIn("Evicted");
    const tab = await hana.chat();
    const { opened, open } = gate();
    app.model.next({ steps: [{ text: "half of " }, { until: opened }, { text: "it" }, { finish: "stop" }, { done: true }] });
    const { turn } = await tab.send("tell me");
    await tab.frame("delta", (frame) => frame.turn === turn);
    const evicted = app.evict();
    open();
    await evicted;
    app.model.answers(() => "half of it");
    const back = await hana.chat();
    back.write({ type: "resume", turn, after: 0 });
    const end = await back.ending(turn);
    if (end.type === "done") assert.equal(end.message.text, "half of it");
    else assert.deepEqual([end.type, end.code, end.retryable], ["failed", "interrupted", true]);
    assert.equal((await back.say("and now?")).end.type, "done");
    const { messages } = await hana.ok("GET", "/api/threads/main/messages");
    assert.deepEqual(messages.filter(({ role }) => role === "user").map(({ text }) => text), ["and now?", "tell me"]);
    assert.ok(messages.filter((message) => message.role === "assistant" && message.turn === turn).length <= 1);
  });

  test("a turn of which nothing was said is answered after a restart", async () => {
    const hana = await app.signIn("Restart");
    const tab = await hana.chat();
    const calls = app.model.answered.length;
    app.model.next({ steps: [{ stall: true }] });
    const { turn, id } = await tab.send("did you get this?");
    await eventually("the model to be asked", () => app.model.answered.length > calls);
    await app.restart();
    app.model.answers(() => "yes, I did");
    const back = await hana.chat();
    const repeated = await back.send("did you get this?", { id });
    assert.deepEqual([repeated.turn, repeated.repeated], [turn, true]);
    assert.equal((await back.ending(turn)).message.text, "yes, I did");
    const { recent } = (await hana.chat()).frames[0];
    assert.deepEqual(recent.map(({ text }) => text), ["did you get this?", "yes, I did"]);
  });

  test("a turn of which something was said ends as interrupted and can be tried again", async () => {
    const hana = await app.signIn("Halfway");
    const tab = await hana.chat();
    app.model.next({ steps: [{ text: "half of " }, { wait: 1100 }, { text: "it" }, { stall: true }] });
    const { turn } = await tab.send("tell me");
    await eventually("both parts", () => tab.deltas(turn) === "half of it");
    await app.restart();
    app.model.answers(() => "all of it");
    const back = await hana.chat();
    back.write({ type: "resume", turn, after: 0 });
    const end = await back.ending(turn);
    assert.deepEqual([end.type, end.code, end.retryable], ["failed", "interrupted", true]);
    assert.ok("half of it".startsWith(end.reply.text) && end.reply.text !== "");
    back.write({ type: "retry", turn });
    assert.equal((await back.frame("done", (frame) => frame.turn === turn)).message.text, "all of it");
  });

  test("a dead D1 and a dead Vectorize do not stop the chat", async () => {
    await app.d1Down();
    await app.vectorize.fail("*", "fail_before", { times: 1000 });
    const tab = await (await app.signIn("Resilient")).chat();
    assert.equal((await tab.say("My dog's name is Pochi.")).end.type, "done");
    await app.d1Up();
    await app.vectorize.reset();
  });
});

describe("signing in", () => {
  let app;
  before(async () => { app = await boot(); });
  after(() => app.stop());
  const post = (path, body, headers = {}) =>
    app.fetch(path, { method: "POST", headers: { "content-type": "application/json", origin: app.url, ...headers }, body });

  test("the server is alive without anybody", async () => {
    const answer = await app.fetch("/healthz");
    assert.equal(answer.status, 200);
    const body = await answer.json();
    assert.equal(body.status, "ok");
    assert.match(body.version, /^\d+\.\d+\.\d+/);
  });

  test("the pages are there, and a path of neither is nothing", async () => {
    for (const path of ["/", "/memory"]) {
      const page = await app.fetch(path);
      assert.equal(page.status, 200, path);
      assert.match(await page.text(), /<!doctype html>/i, path);
    }
    assert.equal((await app.fetch("/nowhere")).status, 404);
    assert.equal((await app.fetch("/api/nowhere")).status, 404);
  });

  test("a name is enough, the cookie is closed to scripts, and leaving takes it back", async () => {
    const answer = await post("/auth/local", JSON.stringify({ name: "花" }));
    assert.equal(answer.ok, true);
    const [cookie] = answer.headers.getSetCookie();
    assert.match(cookie, /^kioku_session=[^;]+;/);
    for (const part of [/HttpOnly/i, /SameSite=Lax/i, /Path=\//i]) assert.match(cookie, part);
    const headers = { cookie: cookie.split(";")[0], origin: app.url };
    const me = await app.fetch("/api/me", { headers });
    assert.equal(me.status, 200);
    assert.match(JSON.stringify(await me.json()), /花/);
    const left = await post("/auth/logout", "{}", headers);
    assert.equal(left.ok, true);
    assert.match(left.headers.getSetCookie()[0], /Max-Age=0|expires=Thu, 01 Jan 1970/i);
  });

  test("names that are none, and bodies that are none, are refused", async () => {
    for (const body of ["", "{", "[]", "{}", `{"name":""}`, `{"name":"  "}`, `{"name":7}`, `{"name":"${"x".repeat(5000)}"}`]) {
      const answer = await post("/auth/local", body);
      assert.ok(answer.status >= 400 && answer.status < 500, body.slice(0, 30));
      assert.match(answer.headers.get("content-type"), /^application\/problem\+json/);
      const problem = await answer.json();
      assert.deepEqual(["type", "title", "status", "detail", "code"].filter((field) => !(field in problem)), []);
    }
  });

  test("another site can neither sign in nor call, and another host gets no local sign-in", async () => {
    const evil = await post("/auth/local", JSON.stringify({ name: "x" }), { origin: "https://evil.example" });
    assert.deepEqual([evil.status, (await evil.json()).code], [403, "wrong_origin"]);
    const hana = await app.signIn();
    const call = await hana.api("PATCH", "/api/me/settings", { memory_mode: "off" }, { headers: { origin: "https://evil.example" } });
    assert.deepEqual([call.status, call.body.code], [403, "wrong_origin"]);
    const host = await app.mf.dispatchFetch("http://kioku.example/auth/local", {
      method: "POST",
      headers: { "content-type": "application/json", origin: "http://kioku.example" },
      body: JSON.stringify({ name: "x" }),
    });
    assert.deepEqual([host.status, (await host.json()).code], [403, "local_only"]);
  });

  test("everything under /api asks who you are", async () => {
    for (const path of ["/api/me", "/api/threads", "/api/memory/facts", "/api/traces/t_x", "/api/export"]) {
      const answer = await app.fetch(path);
      assert.deepEqual([answer.status, (await answer.json()).code], [401, "unauthenticated"], path);
    }
    const hana = await app.signIn();
    const unknown = await hana.api("GET", "/api/nothing");
    assert.deepEqual([unknown.status, unknown.body.code], [404, "not_found"]);
    // Words that HTTP doesn't know at all are refused by the runtime itself.
    for (const method of ["PROPFIND", "QUERY", "OPTIONS"]) {
      const { status, body } = await hana.api(method, "/api/memory/facts");
      assert.deepEqual([status, body.code], [405, "method_not_allowed"], method);
    }
  });

  test("an installation without its secret says which variable is missing", async () => {
    const bare = await boot({ variables: { SESSION_SECRET: "" } });
    try {
      const answer = await bare.fetch("/api/me");
      const problem = await answer.json();
      assert.deepEqual([answer.status, problem.code], [503, "misconfigured"]);
      assert.match(problem.detail, /SESSION_SECRET/);
    } finally {
      await bare.stop();
    }
  });
});
