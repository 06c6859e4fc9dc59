/**
 * `npm run bench`: measures Kioku, beside its peers where there are any, prints tables and writes JSON.
 *
 *     npm run bench -- --scenarios u1,u10 --rounds 3 --peers ../peers --beside bare,seed-stream,ai-chat --out bench.json
 *
 * Products take turns within a round, so that what else the machine does meets all of them; only ratios taken in one
 * run are worth comparing.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Failure, conduct } from "../scripts/lib/run.mjs";
import { Bench } from "./bench.mjs";
import { kioku, peers } from "./products.mjs";
import { report } from "./report.mjs";
import { SCENARIOS } from "./scenarios.mjs";

/**
 * The process has to have answered its first request by then, wasm and all. The runtime gives a Worker's start-up a
 * second of its CPU; this leaves room for slower machines than this one.
 */
const MAX_START_MS = 400;

const OPTIONS = {
  scenarios: Object.keys(SCENARIOS).join(","),
  rounds: "3",
  peers: process.env.KIOKU_BENCH_PEERS ?? "",
  beside: "bare,seed-stream,ai-chat",
  build: process.env.KIOKU_BUILD ?? "release",
  longest: "10000",
  facts: "10000",
  out: "",
};

await conduct(async () => {
  const options = read(process.argv.slice(2));
  const bench = new Bench(options);
  await bench.model.start();
  try {
    const products = [kioku(options.build, bench.model.url)];
    if (options.peers !== "") products.push(...await peers(options.peers, options.beside.split(","), bench.model.url));
    const results = {};
    for (const scenario of options.scenarios.split(",")) {
      if (!(scenario in SCENARIOS)) throw new Failure(`no scenario ${scenario}: ${Object.keys(SCENARIOS).join(", ")}`);
      for (let round = 0; round < bench.repeated(scenario); round += 1) {
        for (const product of products) {
          const began = performance.now();
          const figures = await SCENARIOS[scenario](bench, product);
          if (figures === null) continue;
          ((results[scenario] ??= {})[product.name] ??= []).push(figures);
          console.error(`${scenario} ${product.name} #${round + 1}: ${Math.round((performance.now() - began) / 1000)} s`);
          if (options.out !== "") writeFileSync(resolve(options.out), `${JSON.stringify({ options, results }, null, 1)}\n`);
        }
      }
    }
    console.log(report(results));
    const started = results.start?.kioku?.[0].first_byte_ms ?? 0;
    if (started > MAX_START_MS) throw new Failure(`the first answer came ${Math.round(started)} ms after the start; ${MAX_START_MS} are allowed`);
    return 0;
  } finally {
    bench.model.stop();
    bench.clean();
  }
});

function read(args) {
  const options = { ...OPTIONS };
  for (let at = 0; at < args.length; at += 2) {
    const name = args[at].replace(/^--/, "");
    if (!(name in OPTIONS) || args[at + 1] === undefined) throw new Failure(`unknown ${args[at]}: --${Object.keys(OPTIONS).join(", --")}`);
    options[name] = args[at + 1];
  }
  return options;
}
