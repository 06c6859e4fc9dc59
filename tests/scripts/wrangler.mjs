#!/usr/bin/env node
/**
 * A stand-in for the wrangler command over an account in a JSON file, WRANGLER_ACCOUNT: it records every call, keeps
 * what is made, answers in wrangler's shapes, and fails when the account's `faults` say so. Never a network.
 *
 * The account: `{loggedIn, accounts, databases, indexes, workers, applied, metadataLag, faults, calls}`; a fault is
 * `{match, output, times, after}`: calls whose words match fail; with `after` they fail having done their work.
 */
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const PATH = process.env.WRANGLER_ACCOUNT;
const account = JSON.parse(readFileSync(PATH, "utf8"));
const words = process.argv.slice(2);
const command = words.filter((word) => !word.startsWith("-")).join(" ");
const option = (name) => words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const configPath = words[words.indexOf("-c") + 1];
const config = JSON.parse(readFileSync(configPath, "utf8"));

const call = { line: words.join(" ").replace(` -c ${configPath}`, ""), account: process.env.CLOUDFLARE_ACCOUNT_ID ?? null };
account.calls.push(call);
const fault = account.faults.find((fault) => new RegExp(fault.match).test(call.line) && fault.times > 0);
let failed = null;
if (fault) {
  fault.times -= 1;
  failed = fault.output ?? "✘ [ERROR] A request to the Cloudflare API failed.";
}
if (!failed || fault.after) answer();
writeFileSync(PATH, JSON.stringify(account, null, 2));
if (failed) fail(failed);

function answer() {
  if (command.startsWith("whoami")) return account.loggedIn
    ? print({ loggedIn: true, email: "a@example.com", accounts: account.accounts })
    : refuse(JSON.stringify({ loggedIn: false }), "stdout");
  if (!account.loggedIn && !words.includes("--dry-run")) return refuse("✘ [ERROR] You are not logged in.");
  const [group, verb, subject] = words;
  switch (`${group} ${verb}`) {
    case "d1 list": return print(account.databases);
    case "d1 create": return makeDatabase(subject);
    case "d1 migrations": return migrations(subject);
    case "vectorize list": return print(account.indexes.map(({ name, dimensions, metric }) => ({ name, config: { dimensions, metric } })));
    case "vectorize create": return makeIndex(subject);
    case "vectorize info": return print({ dimensions: index(subject).dimensions, vectorCount: index(subject).vectors ?? 0 });
    case "vectorize list-metadata-index": return listMetadata(subject);
    case "vectorize create-metadata-index": return makeMetadata(subject);
    case "secret list": return ofWorker((worker) => print(Object.keys(worker.secrets).map((name) => ({ name, type: "secret_text" }))));
    case "deployments status": return ofWorker((worker) => print({ id: "d", versions: [{ version_id: worker.version, percentage: 100 }] }));
    case "versions view": return ofWorker((worker) => print({ id: subject, annotations: { "workers/tag": worker.tag, "workers/message": worker.message } }));
  }
  if (group === "deploy") return deploy();
  refuse(`✘ [ERROR] Unknown command ${command}`);
}

function makeDatabase(name) {
  if (account.databases.some((database) => database.name === name)) return refuse("✘ [ERROR] A database with that name already exists");
  account.databases.push({ uuid: `uuid-${account.databases.length + 1}`, name });
  console.log(`✅ Successfully created DB '${name}'`);
}

function migrations(verb) {
  const database = config.d1_databases[0];
  if (!account.databases.some(({ uuid }) => uuid === database.database_id)) return refuse("✘ [ERROR] The database could not be found [code: 7404]");
  const folder = join(dirname(configPath), database.migrations_dir);
  const pending = readdirSync(folder).filter((name) => name.endsWith(".sql") && !account.applied.includes(name));
  if (pending.length === 0) return console.log("✅ No migrations to apply!");
  console.log(`Migrations to be applied:\n│ ${pending.join(" │\n│ ")} │`);
  if (verb === "apply") account.applied.push(...pending);
}

function makeIndex(name) {
  if (account.indexes.some((index) => index.name === name)) return refuse("✘ [ERROR] vectorize.index.duplicate_name [code: 3002]");
  account.indexes.push({ name, dimensions: Number(option("dimensions")), metric: option("metric"), metadata: [], vectors: 0 });
}

function index(name) {
  return account.indexes.find((index) => index.name === name) ?? {};
}

/** A metadata index is listed some looks after it was asked for. */
function listMetadata(name) {
  const found = index(name);
  for (const property of found.metadata) property.lag -= 1;
  print(found.metadata.filter(({ lag }) => lag < 0).map(({ name: propertyName }) => ({ propertyName, indexType: "String" })));
}

function makeMetadata(name) {
  if (index(name).metadata.some((known) => known.name === option("propertyName"))) {
    return refuse("✘ [ERROR] vectorize.index.metadata_index_exists");
  }
  index(name).metadata.push({ name: option("propertyName"), lag: account.metadataLag ?? 0 });
}

function ofWorker(act) {
  const worker = account.workers[config.name];
  return worker ? act(worker) : refuse(`✘ [ERROR] Worker "${config.name}" not found.`);
}

function deploy() {
  for (const path of [config.main, config.assets.directory]) {
    if (!existsSync(join(dirname(configPath), path))) return refuse(`✘ [ERROR] ${path} does not exist`);
  }
  if (words.includes("--dry-run")) return console.log("--dry-run: exiting now.");
  if (account.plan === "free" && config.limits) return refuse("✘ [ERROR] CPU limits are not supported for the Free plan. [code: 100328]");
  if (!account.databases.some(({ uuid }) => uuid === config.d1_databases[0].database_id)) return refuse("✘ [ERROR] D1 database not found");
  for (const { index_name: name } of config.vectorize ?? []) {
    if (!index(name).name) return refuse("✘ [ERROR] Vectorize index not found");
    if (!index(name).metadata.some(({ name: property, lag }) => property === "uid" && lag < 0)) return refuse("✘ [ERROR] deployed before its metadata index");
  }
  const file = option("secrets-file");
  const secrets = file ? JSON.parse(readFileSync(file, "utf8")) : {};
  call.secretsMode = file ? (statSync(file).mode & 0o777).toString(8) : null;
  const before = account.workers[config.name];
  account.workers[config.name] = {
    config, tag: option("tag"), message: option("message"),
    version: `v${Object.keys(account.workers).length}-${account.calls.length}`,
    secrets: { ...before?.secrets, ...secrets },
  };
  const targets = account.targets ?? [];
  writeFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, [
    { type: "wrangler-session", version: 1 }, { type: "deploy", version: 1, worker_name: config.name, targets },
  ].map((line) => JSON.stringify(line)).join("\n"));
  console.log(`Deployed ${config.name} triggers\n  ${targets.join("\n  ")}`);
}

function print(value) {
  console.log(JSON.stringify(value, null, 2));
}

function refuse(text, stream = "stderr") {
  failed = text;
  account.stream = stream;
}

function fail(text) {
  (account.stream === "stdout" ? console.log : console.error)(text);
  process.exitCode = 1;
}
