/**
 * `npm run deploy -- OPTIONS`: puts Kioku into your Cloudflare account, and brings a new version there. Makes what is
 * missing, changes what differs, deletes nothing; a run that failed is gone on with by the next one.
 */
import { parseArgs } from "node:util";
import { buildWasm, buildWeb } from "./lib/build.mjs";
import { deploy } from "./lib/deploy.mjs";
import { Failure, conduct } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

const HELP = `npm run deploy -- OPTIONS

  --dry-run               show what would be done and change nothing; needs no account
  --auth MODE             access, oidc, or later: who vouches for users
  --var NAME:VALUE        a variable of the Worker, kept for the next time; repeatable
  --account ID            which account, if you have several
  --name NAME             the Worker's name (kioku); the database and the index are named like it
  --domain HOST           an own host name of a zone in the account
  --index NAME|none       the Vectorize index, or none to do without search by meaning in Vectorize
  --dimensions N          how long the vectors of your embedding model are, where that isn't known
  --metrics DATASET       write metrics to this Analytics Engine dataset
  --rotate NAME           give the secret NAME a new value
  --force                 deploy even if what is deployed is the same
  --no-build              deploy what is built
  --wait SECONDS          how long to wait for the address to answer (90)
  --folder DIR            where your settings are (deployment)
`;

await conduct(async () => {
  const options = read(process.argv.slice(2));
  if (options.help) return void console.log(HELP);
  if (!options["no-build"]) {
    await setUp();
    await buildWeb();
    await buildWasm("release");
  }
  return deploy(options);
});

function read(args) {
  let values;
  try {
    ({ values } = parseArgs({
      args: args.filter((arg) => arg !== "--"),
      options: {
        "dry-run": { type: "boolean", default: false },
        auth: { type: "string" },
        var: { type: "string", multiple: true, default: [] },
        account: { type: "string" },
        name: { type: "string" },
        domain: { type: "string" },
        index: { type: "string" },
        dimensions: { type: "string" },
        metrics: { type: "string" },
        rotate: { type: "string", multiple: true, default: [] },
        force: { type: "boolean", default: false },
        "no-build": { type: "boolean", default: false },
        wait: { type: "string", default: "90" },
        folder: { type: "string" },
        help: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    throw new Failure(`${error.message}\n\n${HELP}`);
  }
  return {
    ...values,
    dry: values["dry-run"],
    dimensions: positive("--dimensions", values.dimensions),
    wait: positive("--wait", values.wait),
    vars: Object.fromEntries(values.var.map(variable)),
  };
}

function variable(text) {
  const at = text.indexOf(":");
  if (at < 1) throw new Failure(`--var needs NAME:VALUE, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function positive(name, text) {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d*$/.test(text)) throw new Failure(`${name} needs a whole number, not ${text}`);
  return Number(text);
}
