/** Stored state to measure with: users who are remembered a thousand facts of, and long archives. */
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { ROOT } from "../scripts/lib/run.mjs";
import { connect, pause } from "./load.mjs";
import { signIn } from "./products.mjs";
import { objectFiles, start } from "./runtime.mjs";

export const FACTS = 1_000;
const WITHIN_MS = 300_000;

/** A storage folder in which each of these users has a thousand facts, where the product knows facts. */
export async function remembering(bench, product, names) {
  const storage = bench.folder("storage");
  if (!product.counted) return storage;
  const template = await bench.once(`facts-${FACTS}`, () => withFacts(bench, product, FACTS));
  const server = await start(product, { storage });
  (await connect(product, server.url, names)).forEach((user) => user.close());
  await server.stop();
  // Every object is a copy of the one that learned the facts, under its own owner.
  for (const file of objectFiles(storage, product.className)) {
    const own = open(file, (sql) => sql.prepare("SELECT value FROM meta WHERE name = 'owner'").get()?.value);
    copyFileSync(template, file);
    for (const rest of ["-wal", "-shm"]) rmSync(file + rest, { force: true });
    if (own) open(file, (sql) => sql.prepare("UPDATE meta SET value = ? WHERE name = 'owner'").run(own));
  }
  await mirrored(product, storage, names);
  return storage;
}

/**
 * Has the users' mirrors written: copied objects believe that theirs are, and would find and repair a thousand missing
 * facts while they are measured.
 */
async function mirrored(product, storage, names) {
  const server = await start(product, { storage });
  for (const name of names) {
    const call = caller(server.url, await signIn(server.url, name));
    await until(async () => (await call("POST", "/api/memory/mirrors/reconcile")).complete, "the mirrors to be compared");
    await until(() => areMirrored(call), "the mirrors to have every fact");
  }
  await server.stop();
}

/** Whether both mirrors have every change. */
export async function areMirrored(call) {
  const { d1, vectorize } = await call("GET", "/api/memory/mirrors");
  return d1.pending + vectorize.pending + vectorize.unconfirmed === 0;
}

/** The object file of a user with so many facts, all of them mirrored. */
export async function withFacts(bench, product, count) {
  const storage = bench.folder(`facts-${count}`);
  const server = await start(product, { storage });
  const cookie = await signIn(server.url, "template");
  const call = caller(server.url, cookie);
  for (let at = 0; at < count; at += 1) await call("POST", "/api/memory/facts", { text: factOf(at) });
  await until(() => areMirrored(call), "the mirrors to have every fact");
  await server.stop();
  const [file] = objectFiles(storage, product.className);
  checkpoint(file);
  return file;
}

/**
 * A storage with an object of the user `owner` that has so many facts and messages, searchable: written natively, because
 * the object would need minutes for it. `dimensions` are those of made-up vectors, instead of the built-in table's.
 */
export async function filled(bench, product, { facts, messages, dimensions = [] }) {
  const storage = bench.folder("filled");
  const server = await start(product, { storage });
  const [user] = await connect(product, server.url, ["owner"]);
  user.close();
  await caller(server.url, await signIn(server.url, "owner"))("POST", "/api/memory/facts", { text: factOf(0) });
  // The mirrors have it by then.
  await pause(3_000);
  await server.stop();
  const [file] = objectFiles(storage, product.className);
  checkpoint(file);
  execFileSync("cargo", [
    "run", "--quiet", "--profile", "bench", "--example", "bench_recall", "--",
    "--fill", file, facts, messages, ...dimensions,
  ].map(String), { cwd: ROOT, stdio: "inherit" });
  checkpoint(file);
  return storage;
}

/** Calls the API as a user: JSON in, JSON out. */
export function caller(url, cookie) {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { cookie, origin: url, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
}

export async function until(holds, what) {
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; await pause(100)) {
    if (await holds()) return;
  }
  throw new Error(`waited too long for ${what}`);
}

const THINGS = ["coffee", "trains", "gardens", "paper", "harbours", "laptops", "recipes", "clocks", "bridges", "pianos"];
const PLACES = ["Kyoto", "Lisbon", "Oslo", "Nara", "Quito", "Perth", "Turin", "Osaka", "Bergen", "Cork"];
const 物 = ["珈琲", "列車", "庭園", "和紙", "港", "時計", "料理", "橋", "琴", "硯"];

function factOf(at) {
  const [ones, tens, more] = [at % 10, Math.floor(at / 10) % 10, Math.floor(at / 100)];
  return at % 2 === 0
    ? `I looked at ${THINGS[ones]} in ${PLACES[tens]} with colleague number ${more}.`
    : `${PLACES[tens]}で${more}番目の${物[ones]}を買った。`;
}

function open(file, act) {
  const sql = new DatabaseSync(file);
  try {
    return act(sql);
  } finally {
    sql.close();
  }
}

function checkpoint(file) {
  open(file, (sql) => sql.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
}
