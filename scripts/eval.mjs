// Measures memory with a real model: `npm run eval -- [--sample 40] [--minutes 30] [--out docs/eval]`.
//
// MODEL_BASE_URL (up to and with /v1), CHAT_MODEL and MODEL_API_KEY name any OpenAI-compatible server. The labelled cases,
// the prompts and the checks are the product's own, in examples/eval_memory.rs; this script only carries its calls.

import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { sample: { type: "string" }, out: { type: "string" }, minutes: { type: "string" }, timeout: { type: "string", default: "300" } },
});
if (!process.env.MODEL_BASE_URL) {
  console.error("MODEL_BASE_URL is not set: name an OpenAI-compatible server, up to and with /v1.");
  process.exit(2);
}

const cases = spawn("cargo", ["run", "--quiet", "--example", "eval_memory", "--", values.sample ?? ""], {
  stdio: ["pipe", "pipe", "inherit"],
});
const exited = new Promise((resolve) => cases.on("exit", resolve));

/** One call, whose failure is an answer too. */
async function call({ url, headers, body }) {
  const started = performance.now();
  const since = () => Math.round(performance.now() - started);
  try {
    const signal = AbortSignal.timeout(Number(values.timeout) * 1000);
    const response = await fetch(url, { method: "POST", headers: Object.fromEntries(headers), body, signal });
    return { status: response.status, body: await response.text(), ms: since() };
  } catch (error) {
    return { status: 0, body: String(error), ms: since() };
  }
}

const deadline = values.minutes ? Date.now() + Number(values.minutes) * 60_000 : Infinity;
let result;
for await (const line of createInterface({ input: cases.stdout })) {
  const message = JSON.parse(line);
  if (message.report) result = message;
  else cases.stdin.write(`${JSON.stringify({ ...(await call(message)), last: Date.now() > deadline })}\n`);
}
const code = await exited;
if (!result) {
  console.error(`The cases ended without a report (exit ${code}).`);
  process.exit(1);
}
console.log(result.markdown);
if (values.out) {
  await mkdir(values.out, { recursive: true });
  await writeFile(join(values.out, "REPORT.md"), result.markdown);
  await writeFile(join(values.out, "report.json"), `${JSON.stringify(result.report, null, 2)}\n`);
}
