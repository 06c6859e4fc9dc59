/**
 * `node tests/e2e/release.mjs`: keeps what this version stores, for the versions to come.
 *
 * Somebody's object as the real runtime wrote it goes to `tests/releases/object-STEP.sql`, what its API answered to
 * `object-STEP.json`, and D1's migrations to `tests/releases/d1/`. `tests/native/upgrades.rs` and `upgrade.test.mjs` open
 * them with today's code. Run it once before a version with a new step or migration is released; what is kept is
 * never made again, unless with `--again` before its release.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ROOT, boot, eventually } from "./harness.mjs";

export const RELEASES = join(ROOT, "tests/releases");
/** Whose object it is; the owner's key is made of the name. */
export const OWNER = "Hana";

const SAID = [
  "My name is Hana.", "I live in Osaka.", "私は緑茶が好きです。", "Remember that my cat is called Tama.",
  "What is my cat called?", "I live in Kyoto now.", "私の誕生日は5月3日です。", "From now on always answer in French.",
  "Thank you.", "I work as a nurse.", "ありがとう。", "Good night.",
];

/** The file in which the runtime keeps the only object. */
export function objectFile(folder) {
  const objects = join(folder, "do/kioku-ChatAgent");
  return join(objects, readdirSync(objects).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)));
}

/** A database as SQL: tables, then rows; the runtime's own tables are left out. */
export function dump(path) {
  const database = new DatabaseSync(path);
  const tables = database.prepare("SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid").all()
    .filter(({ name }) => !/^(sqlite|_cf)_/.test(name));
  const virtual = tables.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => name);
  const isShadow = (name) => virtual.some((owner) => name.startsWith(`${owner}_`)) && !virtual.includes(name);
  const lines = tables.filter(({ name }) => !isShadow(name)).map(({ sql }) => `${sql};`);
  for (const { name, type } of tables.filter(({ name }) => !virtual.includes(name))) {
    if (type !== "table") continue;
    // A virtual table begins with rows of its own.
    if (isShadow(name)) lines.push(`DELETE FROM ${name};`);
    lines.push(...rows(database, name));
  }
  if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").get()) {
    lines.push("DELETE FROM sqlite_sequence;", ...rows(database, "sqlite_sequence"));
  }
  database.close();
  return `${lines.join("\n")}\n`;
}

/** Makes an object's file hold what was dumped; the runtime's own tables stay. */
export function load(sql, path) {
  // A search index is restored row by row, past its module.
  const database = new DatabaseSync(path, { defensive: false });
  for (;;) {
    const { name, type } = database.prepare(
      `SELECT name, type FROM sqlite_master WHERE sql IS NOT NULL AND type = 'table'
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
       ORDER BY sql NOT LIKE '%fts5vocab%', sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 1`,
    ).get() ?? {};
    if (!name) break;
    database.exec(`DROP ${type} ${name}`);
  }
  database.exec(sql);
  database.close();
}

/** What a user sees of an object, without what changes by itself. */
export async function seen(person) {
  const { facts } = await person.ok("GET", "/api/memory/facts?status=all&limit=200");
  const { messages } = await person.ok("GET", "/api/threads/main/messages?limit=200");
  const { threads } = await person.ok("GET", "/api/threads");
  const { changes } = await person.ok("GET", "/api/memory/changes");
  const { summary } = await person.ok("GET", "/api/threads/main/summary");
  const { settings } = await person.ok("GET", "/api/me");
  return {
    facts: facts.map(({ id, text, status, pinned, kind, observed_at, version }) => ({ id, text, status, pinned, kind, observed_at, version })),
    messages: messages.map(({ id, role, text }) => ({ id, role, text })),
    threads: threads.map(({ id, title }) => ({ id, title })),
    changes: changes.length,
    summary: typeof summary === "string" ? summary : summary?.text,
    settings,
  };
}

async function make() {
  const folder = mkdtempSync(join(tmpdir(), "kioku-release-"));
  const app = await boot({ persist: folder });
  let answers;
  try {
    const hana = await app.signIn(OWNER);
    await hana.ok("PATCH", "/api/me/settings", { timezone: "Asia/Tokyo" });
    const trip = await hana.ok("POST", "/api/threads", { title: "旅行" });
    const tab = await hana.chat();
    for (const text of SAID) {
      await tab.say(text);
      await settled(hana);
    }
    const aside = await hana.chat({ thread: trip.id });
    await aside.say("どこへ行こうかな。");
    const kept = await hana.ok("POST", "/api/memory/facts", { text: "I play the shamisen." });
    await hana.ok("PATCH", `/api/memory/facts/${kept.id}`, { pinned: true });
    const gone = await hana.ok("POST", "/api/memory/facts", { text: "I collect stamps." });
    await hana.ok("DELETE", `/api/memory/facts/${gone.id}`);
    await settled(hana);
    await eventually("the mirrors", async () => {
      const { d1, vectorize } = await hana.ok("GET", "/api/memory/mirrors");
      return d1.pending === 0 && vectorize.pending === 0;
    });
    answers = await seen(hana);
  } finally {
    await app.stop();
  }
  const sql = dump(objectFile(folder));
  rmSync(folder, { recursive: true, force: true });
  return { sql, answers };
}

/** Waits until no memory work is left. */
function settled(person) {
  return eventually("memory work to end", async () => {
    const { jobs } = await person.ok("GET", "/api/memory/mirrors");
    return jobs.every(({ kind }) => kind === "clean");
  }, { within: 60_000 });
}

function rows(database, table) {
  const read = database.prepare(`SELECT * FROM ${table}`);
  read.setReadBigInts(true);
  return read.all().map((row) => `INSERT INTO ${table} VALUES (${Object.values(row).map(literal).join(", ")});`);
}

function literal(value) {
  if (value === null) return "NULL";
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return typeof value === "number" && Number.isInteger(value) ? `${value}.0` : String(value);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const again = process.argv.includes("--again");
  const { sql, answers } = await make();
  const step = Math.max(...[...sql.matchAll(/^INSERT INTO schema_steps VALUES \((\d+),/gm)].map(([, step]) => Number(step)));
  mkdirSync(join(RELEASES, "d1"), { recursive: true });
  const path = join(RELEASES, `object-${step}.sql`);
  if (existsSync(path) && !again) throw new Error(`${path} is there already`);
  writeFileSync(path, sql);
  writeFileSync(join(RELEASES, `object-${step}.json`), `${JSON.stringify(answers, null, 1)}\n`);
  for (const name of readdirSync(join(ROOT, "migrations"))) {
    const kept = join(RELEASES, "d1", name);
    if (!existsSync(kept) || again) copyFileSync(join(ROOT, "migrations", name), kept);
  }
  console.log(`kept ${path}`);
}
