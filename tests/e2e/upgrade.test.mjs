/** Versions that follow each other, and one that is taken back, on the real runtime's files. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { boot } from "./harness.mjs";
import { OWNER, RELEASES, dump, load, objectFile, seen } from "./release.mjs";

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function folder() {
  const made = mkdtempSync(join(tmpdir(), "kioku-upgrade-"));
  folders.push(made);
  return made;
}

/** Runs Kioku on a folder for as long as `act` takes. */
async function during(persist, act) {
  const app = await boot({ persist });
  try {
    return await act(app);
  } finally {
    await app.stop();
  }
}

function change(path, sql) {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe("an upgrade", () => {
  for (const name of readdirSync(RELEASES).filter((name) => name.endsWith(".sql"))) {
    test(`finds everything that ${name} holds, fills the mirrors from it, and goes on`, async () => {
      const persist = folder();
      await during(persist, async (app) => (await app.signIn(OWNER)).ok("GET", "/api/me"));
      load(readFileSync(join(RELEASES, name), "utf8"), objectFile(persist));
      const before = JSON.parse(readFileSync(join(RELEASES, name.replace(".sql", ".json")), "utf8"));
      await during(persist, async (app) => {
        const hana = await app.signIn(OWNER);
        // This D1 never heard of the facts.
        await hana.ok("POST", "/api/memory/mirrors/reconcile");
        const now = await seen(hana);
        assert.deepEqual(now.facts, before.facts);
        assert.deepEqual(now.messages, before.messages);
        assert.deepEqual([now.changes, now.summary], [before.changes, before.summary]);
        for (const [setting, value] of Object.entries(before.settings)) assert.deepEqual(now.settings[setting], value, setting);
        const tab = await hana.chat();
        const { turn } = await tab.say("What is my cat called?");
        const { facts } = await tab.frame("recalled", (frame) => frame.turn === turn);
        assert.ok(facts.some(({ text }) => text.includes("Tama")));
      });
    });
  }
});

describe("a version that is taken back", () => {
  test("refuses what a newer one has stored, says why, and changes nothing; with the newer one all is there", async () => {
    const persist = folder();
    await during(persist, async (app) => {
      const hana = await app.signIn(OWNER);
      await hana.ok("POST", "/api/memory/facts", { text: "I play the shamisen." });
    });
    const path = objectFile(persist);
    change(path, "INSERT INTO schema_steps VALUES (999, 0); CREATE TABLE of_the_future (x)");
    const stored = dump(path);
    await during(persist, async (app) => {
      const hana = await app.signIn(OWNER);
      for (const [method, address] of [["GET", "/api/me"], ["GET", "/api/memory/facts"], ["DELETE", "/api/memory"]]) {
        const { status, body } = await hana.api(method, address, method === "DELETE" ? { confirm: "forget everything" } : undefined);
        assert.deepEqual([status, body.code], [503, "unavailable"]);
        assert.match(body.detail, /older than the stored memory/);
      }
      await assert.rejects(hana.connect(), ({ status }) => status === 503);
      assert.equal((await app.fetch("/healthz")).status, 200, "others are served");
      assert.ok(app.logs.some(({ message }) => /open_failed/.test(message)));
    });
    assert.equal(dump(path), stored);
    change(path, "DELETE FROM schema_steps WHERE step = 999; DROP TABLE of_the_future");
    await during(persist, async (app) => {
      const { facts } = await (await app.signIn(OWNER)).ok("GET", "/api/memory/facts");
      assert.deepEqual(facts.map(({ text }) => text), ["I play the shamisen."]);
    });
  });
});
