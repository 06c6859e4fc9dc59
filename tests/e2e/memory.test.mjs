/** What is remembered, through the routes of the memory page, with mirrors that are late, broken or gone. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { boot, eventually } from "./harness.mjs";

const facts = async (person, query = "") => (await person.ok("GET", `/api/memory/facts${query}`)).facts;
const add = (person, text, more = {}) => person.ok("POST", "/api/memory/facts", { text, ...more });

/** The fact once both mirrors hold it. */
const synced = (person, id, within) => eventually(`${id} to be mirrored`, async () => {
  const fact = await person.ok("GET", `/api/memory/facts/${id}`);
  return fact.mirrors.d1 === "synced" && fact.mirrors.vectorize === "synced" && fact;
}, { within });

describe("learning from the chat, with the built-in model", () => {
  let app;
  before(async () => { app = await boot(); });
  after(() => app.stop());

  test("what is said about oneself becomes a fact with its quote", async () => {
    const hana = await app.signIn();
    const tab = await hana.chat();
    const text = "My name is Hana and I live in Sendai.";
    const { turn } = await tab.say(text);
    const remembered = await tab.frame("remembered", (frame) => frame.changes.some(({ op }) => op === "added"));
    const { fact } = remembered.changes.find(({ op }) => op === "added");
    assert.ok(text.includes(fact.source.quote), fact.source.quote);
    assert.equal(fact.source.thread, "main");
    const found = await eventually("Sendai among the facts", async () =>
      (await facts(hana)).find((fact) => /Sendai/.test(fact.text)));
    assert.equal(found.status, "current");
    assert.ok(turn);
  });

  test("「覚えて」 is done within five seconds, and used in the next answer", async () => {
    const kei = await app.signIn("恵");
    const tab = await kei.chat();
    await tab.say("覚えておいて：犬の名前はポチです。");
    await eventually("ポチ among the facts", async () => (await facts(kei)).find(({ text }) => text.includes("ポチ")), { within: 5000 });
    const { turn } = await tab.say("犬の名前は何でしたか？");
    const recalled = await tab.frame("recalled", (frame) => frame.turn === turn);
    assert.ok(recalled.facts.some(({ text }) => text.includes("ポチ")), JSON.stringify(recalled));
  });

  test("a question or a wish teaches nothing", async () => {
    const ren = await app.signIn("Ren");
    const tab = await ren.chat();
    await tab.say("What if I lived in Paris?");
    await tab.say("京都に住むのはどう思いますか？");
    await tab.say("Remember that my cat is called Tama.");
    await eventually("Tama among the facts", async () => (await facts(ren)).find(({ text }) => /Tama/.test(text)));
    assert.deepEqual((await facts(ren)).filter(({ text }) => /Paris|京都/.test(text)), []);
  });

  test("what happened long ago is merged by weeks, after a look at what would be merged", async () => {
    const mio = await app.signIn("Mio");
    const tab = await mio.chat();
    await tab.say("I bought a blue bicycle on March 4, 2025.");
    await tab.say("I visited Kyoto on March 6, 2025.");
    await eventually("two episodes", async () => (await facts(mio, "?kind=event")).length === 2);
    const merge = (query = "") => mio.ok("POST", `/api/memory/weeks/consolidate${query}`);
    const planned = await merge("?dry_run=true");
    assert.deepEqual(planned.weeks.map(({ week }) => week), ["2025-03-03"]);
    assert.match(planned.weeks[0].text, /bicycle.*Kyoto/);
    assert.deepEqual((await mio.ok("GET", "/api/memory/weeks")).weeks, [], "a dry run changes nothing");
    assert.deepEqual((await merge()).weeks, planned.weeks);
    await app.restart();
    assert.deepEqual((await mio.ok("GET", "/api/memory/weeks")).weeks, planned.weeks);
    assert.equal((await facts(mio, "?kind=event")).length, 2, "the facts stay");
  });

  test("facts outlive a restart", async () => {
    const yui = await app.signIn("Yui");
    const { id } = await add(yui, "緑茶が好き。");
    await app.restart();
    assert.deepEqual((await facts(yui)).map((fact) => fact.id), [id]);
  });
});

describe("the memory page's routes", () => {
  let app;
  let hana;
  before(async () => {
    app = await boot();
    hana = await app.signIn();
  });
  after(() => app.stop());

  test("a fact is added, found, edited and read", async () => {
    const fact = await add(hana, "犬を飼っている。", { kind: "relationship" });
    assert.match(fact.id, /^f_/);
    assert.deepEqual([fact.kind, fact.scope, fact.status, fact.version], ["relationship", "global", "current", 1]);
    for (const q of ["犬", "犬を", "飼っている"]) {
      await eventually(`${q} to be found`, async () =>
        (await facts(hana, `?q=${encodeURIComponent(q)}&match=keyword`)).some(({ id }) => id === fact.id));
    }
    const edited = await hana.ok("PATCH", `/api/memory/facts/${fact.id}`, { text: "猫を飼っている。", pinned: true });
    assert.deepEqual([edited.text, edited.pinned], ["猫を飼っている。", true]);
    assert.ok(edited.version > fact.version);
    assert.equal((await hana.ok("GET", `/api/memory/facts/${fact.id}`)).text, "猫を飼っている。");
    await eventually("the old word to be gone from search", async () =>
      !(await facts(hana, `?q=${encodeURIComponent("犬")}`)).some(({ id }) => id === fact.id));
  });

  test("a search lists what was asked for, and nothing for being nearest", async () => {
    const yui = await app.signIn("Yui");
    const { id } = await add(yui, "Plays the cello on Sundays.");
    const other = await add(yui, "京都に住んでいる。");
    await synced(yui, id);
    await synced(yui, other.id);
    const found = async (q, match) =>
      (await facts(yui, `?q=${encodeURIComponent(q)}&match=${match}`)).map(({ text }) => text);
    for (const match of ["keyword", "hybrid"]) {
      assert.deepEqual(await found("cello", match), ["Plays the cello on Sundays."], match);
      assert.deepEqual(await found("京都", match), ["京都に住んでいる。"], match);
      assert.deepEqual(await found("volcano", match), [], match);
      assert.deepEqual(await found("火山", match), [], match);
    }
    assert.deepEqual(await found("cellos", "hybrid"), ["Plays the cello on Sundays."]);
    assert.deepEqual(await found("volcano", "semantic"), []);
  });

  test("what is forgotten is gone everywhere, with a receipt for each place", async () => {
    const fact = await add(hana, "My locker code word is swordfish-garden.");
    await synced(hana, fact.id);
    const vectors = (await app.vectorize.state()).ids.length;
    const receipt = await hana.ok("DELETE", `/api/memory/facts/${fact.id}`);
    assert.equal(receipt.forgotten, fact.id);
    assert.equal(receipt.object, "done");
    for (const [place, states] of [
      ["summary", ["done", "pending", "clean"]], ["d1", ["done", "pending"]], ["vectorize", ["done", "pending", "off"]],
    ]) assert.ok(states.includes(receipt[place]), `${place}: ${receipt[place]}`);
    // Its address shows the receipt from now on, and not a word of the fact.
    await eventually("every place to be done", async () => {
      const { body } = await hana.api("GET", `/api/memory/facts/${fact.id}`);
      assert.equal(body.forgotten, fact.id);
      assert.ok(!JSON.stringify(body).includes("swordfish"));
      return body.d1 === "done" && body.vectorize === "done" && body.summary !== "pending";
    });
    assert.equal((await hana.api("PATCH", `/api/memory/facts/${fact.id}`, { text: "back" })).status, 404);
    assert.ok(!(await facts(hana, "?status=all")).some(({ id }) => id === fact.id));
    await eventually("D1 to hold no word of it", async () => {
      const { results } = await app.d1.prepare("SELECT * FROM facts").all();
      return !JSON.stringify(results).includes("swordfish");
    });
    await eventually("its vector to be deleted", async () => (await app.vectorize.state()).ids.length === vectors - 1);
  });

  test("another person's fact does not exist", async () => {
    const fact = await add(hana, "Mine alone.");
    const taro = await app.signIn("Taro");
    for (const [method, body] of [["GET"], ["PATCH", { text: "stolen" }], ["DELETE"]]) {
      const answer = await taro.api(method, `/api/memory/facts/${fact.id}`, body);
      assert.deepEqual([answer.status, answer.body.code], [404, "not_found"], method);
    }
    assert.deepEqual(await facts(taro), []);
    assert.equal((await hana.ok("GET", `/api/memory/facts/${fact.id}`)).text, "Mine alone.");
  });

  test("what can't be used is refused by name", async () => {
    for (const query of ["match=magic", "status=gone", "kind=animal", "limit=0", "limit=201", "limit=x", "cursor=%00"]) {
      const answer = await hana.api("GET", `/api/memory/facts?${query}`);
      assert.deepEqual([answer.status, answer.body.code], [400, "bad_parameter"], query);
    }
    for (const body of ["", "{", "[]", { text: "" }, { text: "  " }, { text: 7 }, { text: "x".repeat(301) }, { text: "a", kind: "animal" }]) {
      const answer = await hana.api("POST", "/api/memory/facts", body);
      assert.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(body));
      assert.match(answer.headers.get("content-type"), /^application\/problem\+json/);
    }
    const card = await hana.api("POST", "/api/memory/facts", { text: "My card is 4111 1111 1111 1111." });
    assert.ok(card.status >= 400 && card.status < 500, "a card number was stored");
  });

  test("lists go on where they stopped", async () => {
    const mio = await app.signIn("Mio");
    for (let i = 1; i <= 5; i++) await add(mio, `Fact number ${i}.`);
    const seen = [];
    let cursor = "";
    do {
      const page = await eventually("a full page", () => mio.ok("GET", `/api/memory/facts?limit=2${cursor}`));
      seen.push(...page.facts.map(({ text }) => text));
      cursor = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : null;
    } while (cursor);
    assert.deepEqual(seen.sort(), [1, 2, 3, 4, 5].map((i) => `Fact number ${i}.`));
  });
});

describe("mirrors that fail", () => {
  let app;
  let hana;
  before(async () => {
    app = await boot();
    hana = await app.signIn();
  });
  after(() => app.stop());

  test("a write that fails before, after, or without an answer ends as exactly one vector", async () => {
    for (const kind of ["fail_before", "fail_after", "limited"]) {
      const before = (await app.vectorize.state()).ids.length;
      await app.vectorize.fail("upsert", kind);
      const fact = await add(hana, `Told while Vectorize does ${kind}.`);
      await synced(hana, fact.id, 60_000);
      assert.equal((await app.vectorize.state()).ids.length, before + 1, kind);
    }
  });

  test("a late Vectorize leaves the fact readable and pending", async () => {
    await app.vectorize.set({ hold: true });
    const fact = await add(hana, "Known before the index knows.");
    assert.equal((await hana.ok("GET", `/api/memory/facts/${fact.id}`)).mirrors.vectorize, "pending");
    assert.ok((await facts(hana)).some(({ id }) => id === fact.id));
    await app.vectorize.reset();
    await synced(hana, fact.id, 60_000);
  });

  test("without D1 the object answers, and D1 catches up", async () => {
    await app.d1Down();
    const fact = await add(hana, "Told while D1 was down.");
    assert.equal((await hana.ok("GET", `/api/memory/facts/${fact.id}`)).mirrors.d1, "pending");
    const mirrors = await hana.ok("GET", "/api/memory/mirrors");
    assert.match(JSON.stringify(mirrors), /pending/);
    await app.d1Up();
    await synced(hana, fact.id, 60_000);
    const { results } = await app.d1.prepare("SELECT text FROM facts WHERE id = ?").bind(fact.id).all();
    assert.deepEqual(results, [{ text: "Told while D1 was down." }]);
  });
});

test("without Vectorize everything else works", async () => {
  const app = await boot({ vectorize: false });
  try {
    const hana = await app.signIn();
    const fact = await add(hana, "No index anywhere.");
    // Whether it is bound is looked at when the mirrors are told for the first time.
    await eventually("no index", async () => (await hana.ok("GET", `/api/memory/facts/${fact.id}`)).mirrors.vectorize === "off");
    assert.equal((await (await hana.chat()).say("hello")).end.type, "done");
  } finally {
    await app.stop();
  }
});
