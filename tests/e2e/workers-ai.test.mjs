/** The `workers-ai` provider over a local `AI` binding: the same wasm and the same calls as with the real one. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { boot, eventually } from "./harness.mjs";

const OPENAI_FORM = "@cf/openai/gpt-oss-120b";
const variables = { MODEL_PROVIDER: "workers-ai", EMBEDDING_PROVIDER: "workers-ai", MODEL_STALL_MS: "1500" };

/** Starts Kioku on the local Workers AI for one test file part. */
function withAi(more = {}, options = {}) {
  const place = {};
  before(async () => { place.app = await boot({ ai: true, variables: { ...variables, ...more }, ...options }); });
  after(() => place.app?.stop());
  beforeEach(() => place.app.ai.reset());
  return place;
}

let people = 0;
const somebody = (app) => app.signIn(`Hana ${++people}`);
const chats = (state) => state.calls.filter(({ inputs }) => inputs.stream);

describe("answers", () => {
  const place = withAi();

  test("stream word for word in any chunks, with a cap on every call", async () => {
    const tab = await (await somebody(place.app)).chat();
    for (const chunk of [1, 7, 4096]) {
      await place.app.ai.next("chat", { text: "はい、緑茶です🍵。Yes.", chunk });
      const { end, text } = await tab.say(`お茶は？ ${chunk}`);
      assert.deepEqual([end.type, end.message.text, text], ["done", "はい、緑茶です🍵。Yes.", "はい、緑茶です🍵。Yes."]);
      assert.equal(end.usage.estimated, false);
      assert.ok(end.usage.prompt_tokens > 0 && end.usage.completion_tokens > 0);
    }
    for (const { inputs, options, model } of (await place.app.ai.state()).calls.filter(({ inputs }) => inputs.messages)) {
      assert.equal(model, "@cf/meta/llama-3.3-70b-instruct-fp8-fast");
      assert.ok(Number.isInteger(inputs.max_tokens) && inputs.max_tokens > 0);
      assert.deepEqual(options, {});
    }
  });

  test("that are longer than the binding's own default are whole", async () => {
    const tab = await (await somebody(place.app)).chat();
    const long = "word ".repeat(300);
    const { end } = await tab.say(long);
    assert.equal(end.message.text.trimEnd(), `You said: ${long}`.trimEnd());
  });

  test("a stream that is cut fails and keeps what was said; the turn can be retried", async () => {
    const tab = await (await somebody(place.app)).chat();
    for (const cut of ["end", "error"]) {
      await place.app.ai.next("chat", { text: "半分まで", cut });
      const { end, turn } = await tab.say(`tell me (${cut})`);
      assert.deepEqual([end.type, end.retryable, end.reply.text], ["failed", true, "半分まで"]);
      const from = tab.frames.length;
      tab.write({ type: "retry", turn });
      const again = await tab.ending(turn, { from });
      assert.equal(again.type, "done");
    }
  });

  test("a model that falls silent is given up, and its run ended", async () => {
    const tab = await (await somebody(place.app)).chat();
    await place.app.ai.next("chat", { text: "Well, ", hang: true });
    const { end } = await tab.say("hello?");
    assert.deepEqual([end.type, end.code], ["failed", "model_stalled"]);
    await eventually("the run to be ended", async () => (await place.app.ai.state()).stopped === 1);
  });

  test("an answer that is stopped isn't generated on", async () => {
    const tab = await (await somebody(place.app)).chat();
    await place.app.ai.next("chat", { text: "One, two, ", hang: true });
    const { turn } = await tab.send("count");
    await eventually("the beginning", () => tab.deltas(turn) !== "");
    tab.write({ type: "stop", turn });
    assert.equal((await tab.ending(turn)).type, "stopped");
    await eventually("the run to be ended", async () => (await place.app.ai.state()).stopped === 1);
  });

  test("no capacity is tried once more, then said so", async () => {
    const tab = await (await somebody(place.app)).chat();
    const full = { error: { code: 3040, text: "Capacity temporarily exceeded, please try again." } };
    await place.app.ai.next("chat", full);
    assert.equal((await tab.say("once")).end.type, "done");
    await place.app.ai.next("chat", full, full);
    const { end } = await tab.say("twice");
    assert.deepEqual([end.type, end.code, end.retryable], ["failed", "model_busy", true]);
    await place.app.ai.reset();
    const spent = { error: { code: 3036, text: "You have used up your daily free allocation of 10,000 neurons." } };
    await place.app.ai.next("chat", spent, spent);
    assert.equal((await tab.say("spent")).end.code, "model_busy");
    assert.ok(chats(await place.app.ai.state()).length <= 2, "at most one retry");
  });
});

describe("another model", () => {
  const place = withAi({ CHAT_MODEL: OPENAI_FORM, MEMORY_MODEL: "@cf/meta/llama-3.2-1b-instruct", AI_GATEWAY: "mine" });

  test("that answers in OpenAI's form is read too, through a gateway that keeps nothing", async () => {
    const tab = await (await somebody(place.app)).chat();
    await place.app.ai.next("chat", { text: "京都です。", chunk: 3 }, { text: "cut sho", finish: "length" });
    const { end } = await tab.say("where?");
    assert.deepEqual([end.type, end.message.text], ["done", "京都です。"]);
    const cut = await tab.say("more?");
    assert.deepEqual([cut.end.type, cut.end.message.status], ["done", "truncated"]);
    for (const { options } of (await place.app.ai.state()).calls) {
      assert.deepEqual(options, { gateway: { id: "mine", skipCache: true, collectLog: false } });
    }
  });

  test("that knows no JSON mode is asked in words", async () => {
    const tab = await (await somebody(place.app)).chat();
    const operations = [{
      op: "add", text: "I live in Kyoto.", kind: "place", target: null, message: "u1", quote: "I live in Kyoto.",
      valid_from: null, valid_until: null,
    }];
    // It comes fenced, as small models give it.
    await place.app.ai.next("words", { about: "I live in Kyoto.", text: "```json\n" + JSON.stringify({ operations }) + "\n```" });
    await tab.say("I live in Kyoto.");
    const { changes } = await tab.frame("remembered", () => true, { within: 30_000 });
    assert.equal(changes[0].fact.text, "I live in Kyoto.");
  });
});

describe("a model that doesn't exist", () => {
  const place = withAi({ CHAT_MODEL: "@cf/nobody/has-this" });

  test("is refused at once and not asked again", async () => {
    const tab = await (await somebody(place.app)).chat();
    const { end } = await tab.say("hello");
    assert.deepEqual([end.type, end.code, end.retryable], ["failed", "model_refused", false]);
    assert.equal(chats(await place.app.ai.state()).length, 1);
  });
});

describe("memory", () => {
  const place = withAi();

  for (const asString of [false, true]) {
    test(`learns from JSON mode's answer as ${asString ? "a string" : "an object"}, and embeds what it learned`, async () => {
      const hana = await somebody(place.app);
      const tab = await hana.chat();
      const said = asString ? "私は京都に住んでいます。" : "I live in Kyoto.";
      await place.app.ai.next("json", { asString, object: { operations: [{
        op: "add", text: said, kind: "place", target: null, message: "u1", quote: said, valid_from: null, valid_until: null,
      }] } });
      await tab.say(`${said}`);
      const remembered = await tab.frame("remembered", ({ changes }) => changes.some(({ op }) => op === "added"), { within: 30_000 });
      const { id } = remembered.changes[0].fact;
      const call = (await place.app.ai.state()).calls.find(({ inputs }) => inputs.response_format);
      assert.equal(call.inputs.response_format.type, "json_schema");
      assert.equal(call.inputs.response_format.json_schema.type, "object");
      assert.equal(call.inputs.stream, undefined);
      await eventually("its vector", async () => (await hana.ok("GET", `/api/memory/facts/${id}`)).mirrors.vectorize === "synced");
      const { calls } = await place.app.ai.state();
      assert.ok(calls.some(({ model, inputs }) => model === "@cf/baai/bge-m3" && [inputs.text].flat().includes(said)));
      const { facts } = await hana.ok("GET", `/api/memory/facts?match=semantic&q=${encodeURIComponent(said)}`);
      assert.equal(facts[0]?.id, id);
    });
  }

  test("that fails is seen, and tried again", async () => {
    const hana = await somebody(place.app);
    const tab = await hana.chat();
    // By schema, as an object, in words: all refused.
    await place.app.ai.next("json", { error: { code: 5024, text: "JSON Mode couldn't be met" } }, { error: { code: 5024, text: "JSON Mode couldn't be met" } });
    await tab.say("I keep bees.");
    await eventually("three ways of asking", async () => {
      const { calls } = await place.app.ai.state();
      const types = calls.filter(({ inputs }) => inputs.messages && !inputs.stream).map(({ inputs }) => inputs.response_format?.type ?? "words");
      return ["json_schema", "json_object", "words"].every((type) => types.includes(type));
    }, { within: 30_000 });
    const { jobs } = await hana.ok("GET", "/api/memory/mirrors");
    const extract = jobs.find(({ kind }) => kind === "extract");
    assert.ok(extract?.error ?? extract?.last_error, JSON.stringify(jobs));
  });
});

describe("an index of another length", () => {
  const place = withAi({}, { vectorize: { DIMENSIONS: "768" } });

  test("is reported, and neither chat nor search by words needs it", async () => {
    const hana = await somebody(place.app);
    const fact = await hana.ok("POST", "/api/memory/facts", { text: "I play the shamisen." });
    const vectorize = await eventually("the mismatch to be seen", async () => {
      const mirrors = await hana.ok("GET", "/api/memory/mirrors");
      return JSON.stringify(mirrors).match(/[^"]*dimensions[^"]*/i)?.[0];
    });
    assert.match(vectorize, /takes 768 dimensions.*gives 1024/);
    const { facts } = await hana.ok("GET", "/api/memory/facts?match=keyword&q=shamisen");
    assert.equal(facts[0].id, fact.id);
    assert.equal((await (await hana.chat()).say("hello")).end.type, "done");
  });
});

describe("embeddings that fail", () => {
  const place = withAi();

  test("leave the fact to be found by its words, and come later", async () => {
    const hana = await somebody(place.app);
    await place.app.ai.next("embeddings", { error: { code: 3040, text: "Capacity temporarily exceeded" } }, { drop: true });
    const { id } = await hana.ok("POST", "/api/memory/facts", { text: "三味線を弾きます。" });
    const { facts } = await hana.ok("GET", `/api/memory/facts?match=keyword&q=${encodeURIComponent("三味線")}`);
    assert.equal(facts[0].id, id);
    await hana.ok("POST", "/api/memory/mirrors/reconcile");
    await hana.ok("POST", "/api/memory/mirrors/reconcile");
    await eventually("the vector after all", async () => {
      await hana.ok("POST", "/api/memory/mirrors/reconcile");
      return (await hana.ok("GET", `/api/memory/facts/${id}`)).mirrors.vectorize === "synced";
    });
  });
});
