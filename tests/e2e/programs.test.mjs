/** Other programs over the chat-completions protocol, with the client that most of them use, against the built Worker. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import OpenAI from "openai";
import { boot, gate } from "./harness.mjs";

describe("another program", () => {
  let app;
  let hana;
  let client;
  before(async () => {
    app = await boot({ model: true });
    hana = await app.signIn();
    client = await clientWith(["chat"]);
  });
  after(() => app.stop());

  async function clientWith(scopes) {
    const { token } = await hana.ok("POST", "/api/tokens", { name: "program", scopes });
    return new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
  }

  test("finds the one model", async () => {
    const { data } = await client.models.list();
    assert.deepEqual(data.map(({ id }) => id), ["kioku"]);
  });

  for (const [asked, answer] of [["Good morning", "Good morning to you"], ["猫の名前は？", "麦です🐈。"]]) {
    test(`hears an answer while it is said: ${asked}`, async () => {
      const { opened, open } = gate();
      const middle = [...answer].slice(0, 3).join("");
      app.model.next({ steps: [{ text: middle }, { until: opened }, { text: answer.slice(middle.length) }, { finish: "stop" }, { done: true }] });
      const stream = await client.chat.completions.create({
        model: "kioku", stream: true, stream_options: { include_usage: true }, messages: [{ role: "user", content: asked }],
      });
      let said = "";
      let last;
      for await (const chunk of stream) {
        said += chunk.choices[0]?.delta.content ?? "";
        // The rest is only said once the beginning has arrived.
        if (said === middle) open();
        last = chunk;
      }
      assert.equal(said, answer);
      assert.ok(last.usage.total_tokens > 0);
    });
  }

  test("gets a whole answer, and its conversation stands before the question", async () => {
    await hana.ok("POST", "/api/memory/facts", { text: "妹の名前は花子です" });
    app.model.next("I remember.");
    const { choices, usage } = await client.chat.completions.create({
      model: "kioku",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "I planted tomatoes" },
        { role: "assistant", content: "Lovely." },
        { role: "user", content: "妹の名前は何ですか？" },
      ],
    });
    assert.deepEqual([choices[0].message.content, choices[0].finish_reason], ["I remember.", "stop"]);
    assert.ok(usage.prompt_tokens > 0);
    const { messages } = app.model.answered.at(-1).body;
    assert.ok(messages[0].content.endsWith("Be brief.") && !messages[0].content.includes("花子"));
    assert.ok(messages.some(({ role, content }) => role === "user" && content.includes("reference_memory") && content.includes("花子")));
    assert.ok(messages.some(({ role, content }) => role === "assistant" && content === "Lovely."));
  });

  test("that goes in mid-answer loses nothing of it", async () => {
    const { opened, open } = gate();
    app.model.next({ steps: [{ text: "Once " }, { until: opened }, { text: "upon a time." }, { finish: "stop" }, { done: true }] });
    const stream = await client.chat.completions.create({ model: "kioku", stream: true, messages: [{ role: "user", content: "A story" }] });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    stream.controller.abort();
    const tab = await hana.chat({ thread: "programs" });
    open();
    const end = await tab.frame("done");
    assert.equal(end.message.text, "Once upon a time.");
  });

  test("is refused in words that its client shows", async () => {
    const reader = await clientWith(["memory:read"]);
    const ask = (who, body) => who.chat.completions.create({ model: "kioku", messages: [{ role: "user", content: "hello" }], ...body })
      .then(() => null, ({ status, code, message }) => [status, code ?? message]);
    assert.equal((await ask(reader))[0], 403);
    assert.match((await ask(client, { messages: [] }))[1], /bad_body/);
    assert.match((await ask(client, { tools: [{ type: "function", function: { name: "f" } }] }))[1], /bad_body/);
    assert.equal((await hana.api("POST", "/v1/chat/completions", { messages: [] })).status, 401, "a cookie is no token");
    app.model.next({ status: 401, body: { error: { message: "no key" } } });
    assert.equal((await ask(client))[0], 503);
  });
});
