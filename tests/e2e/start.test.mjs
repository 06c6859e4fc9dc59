/** The README's first command, and a power cut in the middle of an answer. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ROOT, eventually } from "./harness.mjs";
import { startModel } from "./model.mjs";
import { startServer } from "./server.mjs";

/** Runs the script to its end. */
function said(args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, "scripts/start.mjs"), ...args], (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
  });
}

/** Two starts and what is between them, on a machine with other work. */
const timeout = 400_000;

describe("npm start", { timeout }, () => {
  const folder = mkdtempSync(join(tmpdir(), "kioku-start-"));
  let model;
  let server;

  before(async () => {
    model = await startModel();
    server = await startServer({
      folder,
      variables: { MODEL_PROVIDER: "openai", MODEL_BASE_URL: model.url, CHAT_MODEL: "scripted" },
    });
  }, { timeout });
  after(async () => {
    await server?.kill();
    await model?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("killed in mid-answer and started again, it has lost nothing and doubled nothing", { timeout }, async () => {
    const hana = await server.signIn();
    const tab = await hana.chat();
    await tab.say("Remember that my cat is called Tama.");
    await tab.frame("remembered", ({ changes }) => changes.some(({ op }) => op === "added"));
    model.next({ steps: [{ text: "half of " }, { wait: 1100 }, { text: "it" }, { stall: true }] });
    const { turn } = await tab.send("tell me everything", { id: "cut" });
    const waiting = await tab.send("and then?", { id: "waiting" });
    assert.deepEqual([waiting.position, waiting.repeated], [1, false]);
    await eventually("both parts", () => tab.deltas(turn) === "half of it");

    await server.endBy("SIGKILL");
    model.answers(() => "all of it");
    await server.start();

    const back = await hana.chat();
    for (const [id, text, known] of [["cut", "tell me everything", turn], ["waiting", "and then?", waiting.turn]]) {
      const again = await back.send(text, { id });
      assert.deepEqual([again.turn, again.repeated], [known, true]);
    }
    back.write({ type: "resume", turn, after: 0 });
    back.write({ type: "resume", turn: waiting.turn, after: 0 });
    const end = await back.ending(turn);
    assert.deepEqual([end.type, end.code, end.retryable], ["failed", "interrupted", true]);
    assert.ok("half of it".startsWith(end.reply.text) && end.reply.text !== "", end.reply.text);
    const next = await back.ending(waiting.turn);
    assert.deepEqual([next.type, next.message.text], ["done", "all of it"]);

    const asked = await back.say("What is my cat called?");
    const recalled = await back.frame("recalled", (frame) => frame.turn === asked.turn);
    assert.ok(recalled.facts.some(({ text }) => text.includes("Tama")), JSON.stringify(recalled));
    assert.match(JSON.stringify(model.answered.at(-1).body.messages), /Tama/);

    const { messages } = await hana.ok("GET", "/api/threads/main/messages");
    const shown = messages.reverse().map(({ role, turn }) => `${role} ${turn}`);
    assert.deepEqual(shown.length, new Set(shown).size, "a message is there twice");
    assert.deepEqual(messages.filter(({ role }) => role === "user").map(({ text }) => text), [
      "Remember that my cat is called Tama.", "tell me everything", "and then?", "What is my cat called?",
    ]);
    const { facts } = await hana.ok("GET", "/api/memory/facts?q=Tama&match=keyword");
    assert.equal(facts.length, 1);

    // Its port is taken as long as it runs, and free when it is told to end.
    const second = await said(["--", "--port", String(server.port), "--persist-to", folder]);
    assert.equal(second.code, 1);
    assert.match(second.output, /✗ Port \d+ is taken/);
    assert.doesNotMatch(second.output, /Building|at .*mjs:\d+/, "one line, before anything is done");
    await server.endBy("SIGTERM");
  });
});
