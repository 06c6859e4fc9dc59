/** How long an object takes to come back, and what it holds then, by how much it has stored. */
import { copyFileSync, rmSync } from "node:fs";
import { added, connect, pause } from "./load.mjs";
import { distribution, median, residentMb } from "./machine.mjs";
import { signIn } from "./products.mjs";
import { objectFiles, start } from "./runtime.mjs";
import { addMessages, caller, unindexed, until, withFacts } from "./stored.mjs";

const SIZES = [0, 100, 100_000];
const QUESTIONS = ["Which pianos did I see in Oslo?", "奈良の和紙はどうだった？", "what did I buy in Cork", "硯の話", "my colleague number 7"];

export async function wake(bench, product) {
  const figures = [];
  for (const messages of SIZES.filter((size) => size <= bench.longest * 10)) {
    const storage = await prepared(bench, product, messages);
    const rounds = [];
    for (let round = 0; round < bench.rounds(7); round += 1) {
      const server = await start(product, { storage });
      bench.model.begin({});
      // Another user first: the process has run the code, only the object is cold.
      const [other] = await connect(product, server.url, ["other"]);
      await other.talk(20, 0);
      const before = residentMb(server.pid);
      const [user] = await connect(product, server.url, ["owner"]);
      await user.say(round + 1);
      const [turn] = added([user], bench.model.calls);
      const after = residentMb(server.pid);
      const recalls = [];
      const call = caller(server.url, await signIn(server.url, "owner"));
      for (let at = 0; at < 40; at += 1) {
        const began = performance.now();
        await call("POST", "/api/recall", { query: QUESTIONS[at % QUESTIONS.length] });
        recalls.push(performance.now() - began);
      }
      rounds.push({ connect: user.connectMs, turn: turn.total, memory: after - before, recall: distribution(recalls).p95 });
      [other, user].forEach((each) => each.close());
      await server.stop();
    }
    const middle = (name) => median(rounds.map((round) => round[name]));
    figures.push({
      messages,
      connect_ms: middle("connect"),
      next_turn_ms: middle("turn"),
      memory_mb: middle("memory"),
      recall_p95_ms: middle("recall"),
    });
    rmSync(storage, { recursive: true, force: true });
  }
  return { facts: bench.manyFacts, sizes: figures };
}

/** A storage with an object of the user `owner` that has so many messages and facts, searchable. */
async function prepared(bench, product, messages) {
  const storage = bench.folder("wake");
  let server = await start(product, { storage });
  const [user] = await connect(product, server.url, ["owner"]);
  user.close();
  await server.stop();
  const [file] = objectFiles(storage, product.className);
  if (messages === 0) return storage;
  if (messages > 1_000) {
    const template = await bench.once(`facts-${bench.manyFacts}`, () => withFacts(bench, product, bench.manyFacts));
    copyFileSync(template, file);
  }
  addMessages(file, messages);
  server = await start(product, { storage });
  const [again] = await connect(product, server.url, ["owner"]);
  // A turn asks for memory work, which goes through all that isn't searchable.
  await again.say(0);
  await until(() => unindexed(file) <= 2, "the archive to be searchable");
  await pause(12_000);
  again.close();
  await server.stop();
  return storage;
}
