/** How long an object takes to come back, and what it holds then, by how much it has stored. */
import { rmSync } from "node:fs";
import { added, connect } from "./load.mjs";
import { distribution, median, residentMb } from "./machine.mjs";
import { signIn } from "./products.mjs";
import { start } from "./runtime.mjs";
import { caller, filled } from "./stored.mjs";

const SIZES = [0, 100, 100_000];
const QUESTIONS = ["Which pianos did I see in Oslo?", "奈良の和紙はどうだった？", "what did I buy in Cork", "硯の話", "my colleague number 7"];

const VECTORS = [0, 1_000, 10_000, 100_000];

export async function wake(bench, product) {
  const figures = [];
  for (const messages of SIZES.filter((size) => size <= bench.longest * 10)) {
    const storage = await filled(bench, product, { facts: messages > 1_000 ? bench.manyFacts : 0, messages });
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

/**
 * A question over many vectors of 1,024 numbers by a model over HTTP, beside the same question without any: what is more
 * is the search. The first question after the object came back reads them.
 */
export async function search(bench, product) {
  const sizes = [];
  for (const vectors of VECTORS) {
    const storage = await filled(bench, product, { facts: 0, messages: vectors, dimensions: [1_024] });
    const vars = { EMBEDDING_PROVIDER: "openai", EMBEDDING_MODEL: "bench", EMBEDDING_BASE_URL: bench.model.url };
    const server = await start(product, { storage, vars });
    bench.model.begin({});
    const ask = caller(server.url, await signIn(server.url, "owner"));
    await caller(server.url, await signIn(server.url, "other"))("POST", "/api/recall", { query: "anything" });
    const before = residentMb(server.pid);
    const took = [];
    for (let at = 0; at < 41; at += 1) {
      const began = performance.now();
      // A word that no message has: only meaning is searched.
      await ask("POST", "/api/recall", { query: "zeppelins" });
      took.push(performance.now() - began);
    }
    const [first, ...rest] = took;
    sizes.push({ vectors, first_ms: first, ...distribution(rest), memory_mb: residentMb(server.pid) - before });
    await server.stop();
    rmSync(storage, { recursive: true, force: true });
  }
  return { sizes };
}
