/**
 * `npm run doctor`: looks whether Kioku is whole, here or (`--deployed`) in your account, and names the remedy for
 * what isn't. Changes nothing, except that it signs in locally as `doctor` and says one sentence.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lookAtAccount } from "./lib/doctor-account.mjs";
import { lookHere } from "./lib/doctor-here.mjs";
import { lookAtAddress } from "./lib/doctor-live.mjs";
import { Installation, readTemplate } from "./lib/installation.mjs";
import { Report } from "./lib/report.mjs";
import { Failure, ROOT, conduct } from "./lib/run.mjs";

const HELP = `npm run doctor -- OPTIONS

  --deployed     look at the account and the address that npm run deploy made
  --url ADDRESS  look at this address (http://localhost:8787, or where it was deployed)
  --folder DIR   where the settings of the deployment are (deployment)

KIOKU_TOKEN, a personal access token with the scopes chat and memory:read, lets it try the model, the embedding and
the mirrors of a deployed Kioku; CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET, an Access service token, lead it past
the sign-in page.`;

await conduct(async () => {
  let options;
  try {
    options = parseArgs({
      args: process.argv.slice(2).filter((arg) => arg !== "--"),
      options: {
        deployed: { type: "boolean", default: false },
        url: { type: "string" },
        folder: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new Failure(`${error.message}\n\n${HELP}`);
  }
  if (options.help) return void console.log(HELP);
  const version = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;
  const report = new Report();
  let address = options.url;
  if (options.deployed) {
    const installation = new Installation(options.folder);
    await lookAtAccount(report, installation, await readTemplate(), version);
    address ??= installation.settings.address;
    if (!address) report.bad("address", "unknown", "npm run deploy");
  } else {
    await lookHere(report, version);
    address ??= "http://localhost:8787";
  }
  if (address) await lookAtAddress(report, address, version);
  return report.close();
});
