/**
 * Finds the threshold of an embedding model from questions, their answers and near misses in both languages, prints
 * signal floor, noise ceiling and margin, and writes it to `.dev.vars` as RECALL_THRESHOLD.
 *
 *   npm run calibrate                 the model of .dev.vars, or the built-in one
 *   npm run calibrate -- --print      writes nothing
 *
 * For Workers AI, CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN must be set.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Failure, ROOT } from "./lib/run.mjs";

const FILE = join(ROOT, ".dev.vars");
const VARIABLE = "RECALL_THRESHOLD";

/** The variables of `.dev.vars` under those of the environment. */
function settings() {
  const found = {};
  for (const line of existsSync(FILE) ? readFileSync(FILE, "utf8").split("\n") : []) {
    const match = line.match(/^\s*([A-Z_]+)\s*=\s*"?(.*?)"?\s*$/);
    if (match) found[match[1]] = match[2];
  }
  return { ...found, ...process.env };
}

function model(vars) {
  const provider = vars.EMBEDDING_PROVIDER || "embedded";
  if (provider === "embedded") return { args: ["embedded"], name: "the built-in table" };
  if (provider === "workers-ai") {
    const name = vars.EMBEDDING_MODEL || "@cf/baai/bge-m3";
    const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token } = vars;
    if (!account || !token) throw new Failure("CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN must be set for Workers AI");
    const base = `https://api.cloudflare.com/client/v4/accounts/${account}/ai/run`;
    const ask = async ({ model, input }) => {
      const answer = await post(`${base}/${model}`, JSON.stringify(input), token);
      return JSON.stringify(JSON.parse(answer).result);
    };
    return { args: ["workers-ai", name], name, ask };
  }
  const base = vars.EMBEDDING_BASE_URL || vars.MODEL_BASE_URL;
  const key = vars.EMBEDDING_API_KEY || vars.MODEL_API_KEY;
  if (!base || !vars.EMBEDDING_MODEL) throw new Failure("EMBEDDING_BASE_URL (or MODEL_BASE_URL) and EMBEDDING_MODEL must be set");
  return { args: ["openai", base, vars.EMBEDDING_MODEL], name: vars.EMBEDDING_MODEL, ask: ({ url, body }) => post(url, body, key) };
}

async function post(url, body, key) {
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const answer = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(300_000) });
  if (!answer.ok) throw new Failure(`the embedding server answers ${answer.status}`);
  return answer.text();
}

/** Runs the measurement, sending what it asks for. Gives its result. */
function measure({ args, ask }) {
  const child = spawn("cargo", ["run", "--quiet", "--profile", "local", "--example", "calibrate", "--", ...args],
    { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Failure(`the measurement ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line);
      if (said.error) reject(new Failure(said.error));
      else if (said.result) resolve(said.result);
      else ask(said).then((answer) => child.stdin.write(`${answer.replaceAll("\n", " ")}\n`), (failed) => {
        child.kill();
        reject(failed);
      });
    });
  });
}

function write(threshold) {
  const line = `${VARIABLE}="${threshold}"`;
  const lines = existsSync(FILE) ? readFileSync(FILE, "utf8").split("\n") : [];
  const at = lines.findIndex((each) => each.trimStart().startsWith(`${VARIABLE}=`));
  if (at >= 0) lines[at] = line;
  else lines.splice(lines.at(-1) === "" ? lines.length - 1 : lines.length, 0, line);
  const text = lines.join("\n");
  writeFileSync(FILE, text.endsWith("\n") ? text : `${text}\n`);
}

try {
  const chosen = model(settings());
  const { sets, noise, threshold } = await measure(chosen);
  const number = (value) => value.toFixed(3).padStart(8);
  console.log(`${chosen.name}\n\n${"".padEnd(10)}  signal floor, median   noise median, ceiling    margin   silent  answered`);
  for (const set of sets) {
    console.log(`${set.set.padEnd(10)}  ${[set.signal_floor, set.signal_median].map(number).join("")}       ` +
      `${[set.noise_median, set.noise_ceiling].map(number).join("")}     ${number(set.margin)}   ${(set.silent * 100).toFixed(1)} %   ${(set.answered * 100).toFixed(1)} %`);
  }
  const value = threshold.toFixed(3);
  console.log(`\nnoise ${noise.toFixed(3)}, threshold ${value}`);
  if (process.argv.includes("--print")) console.log(`Nothing was written. To use it: ${VARIABLE}="${value}"`);
  else {
    write(value);
    console.log(`Written to .dev.vars as ${VARIABLE}. For a deployment, put ${VARIABLE} = "${value}" under [vars] in wrangler.toml.`);
  }
} catch (failed) {
  console.error(failed instanceof Failure ? failed.message : failed);
  process.exitCode = 1;
}
