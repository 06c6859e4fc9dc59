/** What the object's SQLite does for a turn and for a change of memory: rows, statements, transactions, alarms. */
import { rmSync } from "node:fs";
import { connect, pause } from "./load.mjs";
import { signIn } from "./products.mjs";
import { start } from "./runtime.mjs";
import { areMirrored, caller, remembering, until } from "./stored.mjs";

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
    user.close();
    return { turn_to_done: alone, turn_with_memory_work: whole, ...await changes(call, counted) };
  } finally {
    await server.stop();
    rmSync(storage, { recursive: true, force: true });
  }
}

/** What each kind of change costs in the object and in the mirrors: alone, until both mirrors have it. */
async function changes(call, counted) {
  const texts = (of) => Array.from({ length: CHANGES }, (_, at) => `My neighbour number ${at} ${of}.`);
  const ids = [];
  const costs = {};
  const measure = async (name, list, act) => {
    const before = await counted();
    for (const [at, item] of list.entries()) {
      await act(item, at);
      await until(() => areMirrored(call), "both mirrors to have a change");
    }
    costs[name] = difference(await counted(), before, list.length);
  };
  await measure("add_a_fact", texts("plays the harp"), async (text) => ids.push((await call("POST", "/api/memory/facts", { text })).id));
  await measure("pin_a_fact", ids, (id) => call("PATCH", `/api/memory/facts/${id}`, { pinned: true }));
  await measure("edit_a_fact", texts("plays the lute"), (text, at) => call("PATCH", `/api/memory/facts/${ids[at]}`, { text }));
  await measure("forget_a_fact", ids, (id) => call("DELETE", `/api/memory/facts/${id}`));
  const before = await counted();
  await pause(15_000);
  costs.overwrite_what_was_forgotten = difference(await counted(), before, 1);
  return costs;
}

function difference(after, before, by) {
  return Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] - before[name]) / by]));
}
