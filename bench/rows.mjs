/** What the object's SQLite does for a turn and for a change of memory: rows, statements, transactions, alarms. */
import { rmSync } from "node:fs";
import { connect, pause } from "./load.mjs";
import { signIn } from "./products.mjs";
import { start } from "./runtime.mjs";
import { caller, remembering } from "./stored.mjs";

const TURNS = 20;
const CHANGES = 20;

export async function countRows(bench, product) {
  const storage = await remembering(bench, product, ["counted"]);
  const server = await start(product, { storage, counted: true });
  try {
    bench.model.begin({});
    const [user] = await connect(product, server.url, ["counted"]);
    const call = caller(server.url, await signIn(server.url, "counted"));
    const counted = async () => (await fetch(`${server.url}/counted`)).json();
    for (let number = 1; number <= 20; number += 1) await user.say(number);
    // A turn, without what memory makes of it: that is counted by what follows.
    await pause(12_000);
    const before = await counted();
    await user.say(101);
    const alone = difference(await counted(), before, 1);
    await pause(12_000);
    const start20 = await counted();
    for (let number = 121; number <= 120 + TURNS; number += 1) await user.say(number);
    await pause(12_000);
    const whole = difference(await counted(), start20, TURNS);
    const changing = await counted();
    for (let at = 0; at < CHANGES; at += 1) {
      await call("POST", "/api/memory/facts", { text: `My neighbour number ${at} plays the harp.` });
    }
    await pause(4_000);
    const change = difference(await counted(), changing, CHANGES);
    user.close();
    return { turn_to_done: alone, turn_with_memory_work: whole, fact_change_with_mirrors: change };
  } finally {
    await server.stop();
    rmSync(storage, { recursive: true, force: true });
  }
}

function difference(after, before, by) {
  return Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] - before[name]) / by]));
}
