/** Files of some megabytes through the built wasm: read while they arrive, indexed behind, found afterwards. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { boot, eventually } from "./harness.mjs";

let app;
before(async () => { app = await boot(); });
after(() => app.stop());

const send = (person, format, body, more = "") => person.ok("POST", `/api/import?format=${format}${more}`, body);
const waiting = async (person) => (await person.ok("GET", "/api/memory/mirrors")).archive;
const passages = async (person, query) => (await person.ok("POST", "/api/recall", { query, limit: 5 })).passages;
const indexed = (person) => eventually("the archive to be indexed", async () => {
  const { to_index: left } = await waiting(person);
  return left === 0;
}, { within: 120_000 });

/** Text that differs from line to line, so that nothing can be left out unseen. */
const filler = (n) => `Notes of day ${n}: ${"the weather was mild and we walked a while along the river. ".repeat(12)}`;

test("a file of megabytes is imported, indexed behind the chat, and found; sent again it adds nothing", async (t) => {
  const mika = await app.signIn("Mika");
  const lines = [];
  for (let n = 0; n < 4000; n += 1) {
    const content = n === 1234 ? "私は屋久島で縄文杉を見ました。" : n === 3210 ? "My grandmother carved wooden kokeshi dolls." : filler(n);
    lines.push(JSON.stringify({
      role: n % 2 === 0 ? "user" : "assistant", content, thread: `year-${n % 5}`,
      created_at: new Date(Date.UTC(2020, 0, 1) + n * 3_600_000).toISOString(), external_id: `L${n}`,
    }));
  }
  lines.splice(2000, 0, "{broken", JSON.stringify({ role: "user" }));
  const file = lines.join("\n");
  const began = Date.now();
  const answer = await send(mika, "messages", file);
  t.diagnostic(`${(file.length / 1e6).toFixed(1)} MB in ${Date.now() - began} ms`);
  assert.equal(answer.messages, 4000);
  assert.deepEqual(answer.broken.map(({ line }) => line), [2001, 2002]);
  // The chat answers while the archive is being indexed.
  const tab = await mika.chat();
  assert.ok((await waiting(mika)).to_index > 0, "indexing is a background job");
  const asked = Date.now();
  const { end } = await tab.say("Good morning!");
  assert.equal(end.type, "done");
  t.diagnostic(`a turn meanwhile took ${Date.now() - asked} ms`);
  await indexed(mika);
  t.diagnostic(`indexed after ${Date.now() - began} ms`);
  for (const [query, external] of [["縄文杉", "L1234"], ["Who carved kokeshi dolls?", "L3210"]]) {
    assert.equal((await passages(mika, query))[0]?.external_id, external, query);
  }
  const again = await send(mika, "messages", file);
  assert.deepEqual([again.messages, again.repeated], [0, 4000]);
  const { messages } = await mika.ok("GET", "/api/threads/year-4/messages?limit=1");
  assert.match(messages[0].text, /Notes of day 3999:/);
});

test("exports of ChatGPT and Claude are read from their trees and lists", async () => {
  const aki = await app.signIn("Aki");
  const message = (id, role, text, parent) => [id, {
    id, parent, children: [], message: { id, author: { role }, create_time: 1_700_000_000, content: { content_type: "text", parts: [text] } },
  }];
  const mapping = Object.fromEntries([
    message("q", "user", "能登で輪島塗の器を買った", null), message("old", "assistant", "An answer that was replaced", "q"),
    message("a", "assistant", `綺麗な漆器ですね。${"長い話。".repeat(100_000)}`.slice(0, 60_000), "q"),
  ]);
  const conversations = Array.from({ length: 40 }, (_, n) => ({
    title: `旅 ${n}`, create_time: 1_700_000_000, conversation_id: `c${n}`, current_node: "a", mapping,
  }));
  const chatgpt = await send(aki, "chatgpt", JSON.stringify(conversations, null, 1));
  assert.deepEqual([chatgpt.messages, chatgpt.threads, chatgpt.broken_total], [80, 40, 0]);
  const claude = await send(aki, "claude", JSON.stringify([{
    uuid: "u", name: "Bread", created_at: "2025-03-01T00:00:00Z",
    chat_messages: [
      { uuid: "m1", sender: "human", text: "My sourdough starter is called Herbert.", created_at: "2025-03-01T00:00:00Z" },
      { uuid: "m2", sender: "assistant", text: "Nice to meet Herbert.", created_at: "2025-03-01T00:00:05Z" },
    ],
  }]), "&facts=extract");
  assert.deepEqual([claude.messages, claude.threads], [2, 1]);
  await indexed(aki);
  assert.equal((await passages(aki, "sourdough starter"))[0].external_id, "m1");
  const { threads } = await aki.ok("GET", "/api/threads");
  assert.ok(threads.some(({ title }) => title === "Bread") && threads.some(({ title }) => title === "旅 7"));
});

test("an export of one user comes back in another's empty memory", async () => {
  const [rin, sora] = [await app.signIn("Rin"), await app.signIn("Sora")];
  await rin.ok("POST", "/api/memory/facts", { text: "琵琶湖の近くに住んでいる。", kind: "place" });
  const tab = await rin.chat();
  await tab.say("I play the shamisen.");
  const exported = await rin.ok("GET", "/api/export");
  const answer = await send(sora, "kioku", JSON.stringify(exported));
  assert.equal(answer.facts, exported.facts.length);
  assert.equal(answer.messages, exported.messages.length);
  const { facts } = await sora.ok("GET", "/api/memory/facts");
  assert.ok(facts.some(({ text }) => text === "琵琶湖の近くに住んでいる。"));
});

test("an import needs a person of its own and a format", async () => {
  const yo = await app.signIn("Yo");
  assert.equal((await yo.api("POST", "/api/import", "{}")).status, 400);
  assert.equal((await yo.api("POST", "/api/import?format=messages", "\n")).status, 400);
  assert.equal((await app.fetch("/api/import?format=messages", { method: "POST", body: "{}" })).status, 401);
  assert.equal((await yo.api("POST", "/api/import?format=messages", "{}", { headers: { origin: "https://elsewhere.example" } })).status, 403);
});
