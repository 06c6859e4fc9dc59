/**
 * Forgotten words are looked for in every byte that was written: the object's file and its log, D1's, the local
 * Vectorize's, what was logged, and what every route still says.
 */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { boot, eventually, gate } from "./harness.mjs";

const files = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)]);

/** How often each word stands in each file, as UTF-8 or UTF-16; only where it does. */
function found(folder, words) {
  const hits = {};
  for (const file of files(folder)) {
    const bytes = readFileSync(file);
    for (const word of words) {
      for (const form of [Buffer.from(word), Buffer.from(word, "utf16le")]) {
        let count = 0;
        for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) count += 1;
        if (count > 0) hits[`${word} in ${file.slice(folder.length)}`] = count;
      }
    }
  }
  return hits;
}

const settled = (person) => eventually("every store to be done", async () => {
  const mirrors = await person.ok("GET", "/api/memory/mirrors");
  const waits = mirrors.jobs.some(({ kind }) => ["scrub", "fold", "extract", "index"].includes(kind));
  return !waits && mirrors.d1.pending === 0 && mirrors.vectorize.pending === 0;
}, { within: 60_000 });

test("what was forgotten with its messages is in no byte of any store and of any log", async (t) => {
  const app = await boot();
  t.after(() => app.stop());
  const words = ["Quixtrelle", "quixtrelle", "紫陽花寺"];
  const hana = await app.signIn();
  const tab = await hana.chat();
  await tab.say("My cat is called Quixtrelle.");
  await tab.say("覚えておいて：紫陽花寺の近くに住んでいます。");
  for (let n = 0; n < 12; n += 1) await tab.say(`Today I counted ${n + 3} sparrows in the garden.`);
  const list = async () => (await hana.ok("GET", "/api/memory/facts?status=all&limit=200")).facts;
  await eventually("both facts", async () => (await list()).filter(({ text }) => /Quixtrelle|紫陽花寺/.test(text)).length >= 2);
  const byHand = await hana.ok("POST", "/api/memory/facts", { text: "Quixtrelle sleeps on the piano." });
  // Between rows of others, and of another length every time.
  const taro = await app.signIn("Taro");
  for (const text of ["Quixtrelle sleeps on the piano, and now and then under it.", "The cat sleeps on the piano.", "Quixtrelle's piano."]) {
    await settled(hana);
    for (let n = 0; n < 8; n += 1) await taro.ok("POST", "/api/memory/facts", { text: `${text.length} notes to self, number ${n}.` });
    await settled(taro);
    await hana.ok("PATCH", `/api/memory/facts/${byHand.id}`, { text });
  }
  await settled(hana);
  assert.notDeepEqual(found(app.persist, words), {}, "the words were stored before");

  for (const { id, text } of await list()) {
    if (/Quixtrelle|紫陽花寺|piano/.test(text)) await hana.ok("DELETE", `/api/memory/facts/${id}?messages=erase`);
  }
  const { turn } = await tab.say("Good night.");
  await settled(hana);
  for (const path of ["/api/export?format=json", "/api/threads/main/messages?limit=200", "/api/memory/changes", `/api/traces/${turn}`, "/api/threads/main/summary"]) {
    assert.doesNotMatch(JSON.stringify(await hana.ok("GET", path)), /Quixtrelle|紫陽花寺/i, path);
  }
  assert.doesNotMatch(JSON.stringify(app.logs), /Quixtrelle|紫陽花寺/i, "the log");
  assert.deepEqual(found(app.persist, words), {}, "no file of any store, and no log");
});

test("everything forgotten is in no byte of any store", async (t) => {
  const app = await boot();
  t.after(() => app.stop());
  const words = ["Zimbrandel", "朧月夜橋"];
  const hana = await app.signIn();
  const tab = await hana.chat();
  await tab.say("I live near Zimbrandel Station.");
  await tab.say("朧月夜橋で転びました。");
  await settled(hana);
  await hana.ok("DELETE", "/api/memory", { confirm: "forget everything" });
  await settled(hana);
  assert.deepEqual(found(app.persist, words), {});
});

test("a reply that says what is forgotten while it is given goes with it, and is not replayed", async (t) => {
  const app = await boot({ model: true });
  t.after(() => app.stop());
  const words = ["Mirelleon", "藤袴小路"];
  const hana = await app.signIn();
  const tab = await hana.chat();
  for (const [n, [fact, reply]] of [
    ["My aunt is called Mirelleon.", "Your aunt? That is Mirelleon, I believe."],
    ["藤袴小路に住んでいます。", "お住まいは藤袴小路でしたね。"],
  ].entries()) {
    for (const messages of ["erase", "exclude"]) {
      const { id } = await hana.ok("POST", "/api/memory/facts", { text: fact });
      const told = gate();
      app.model.next({ steps: [{ text: reply }, { until: told.opened }, { text: " Anything else?" }, { finish: "stop" }, { done: true }] });
      const { turn } = await tab.send("What do you know?");
      await tab.frame("delta", (frame) => frame.turn === turn);
      await hana.ok("DELETE", `/api/memory/facts/${id}?messages=${messages}`);
      told.open();
      const { message } = await tab.ending(turn);
      assert.deepEqual([message.excluded, message.text], [true, messages === "erase" ? "" : `${reply} Anything else?`]);
      const again = await hana.chat();
      again.write({ type: "resume", turn, after: 0 });
      await again.ending(turn);
      const deltas = again.frames.filter((frame) => frame.type === "delta");
      assert.ok(!JSON.stringify(deltas).includes(words[n]), "replayed");
      const asked = app.model.requests.length;
      await tab.say("And now?");
      assert.ok(!JSON.stringify(app.model.requests.slice(asked)).includes(words[n]), "in a prompt");
      const { facts, passages } = await hana.ok("POST", "/api/recall", { query: `${words[n]} aunt 住まい` });
      assert.ok(!JSON.stringify([facts, passages]).includes(words[n]), "recalled");
    }
  }
});
