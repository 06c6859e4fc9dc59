/** The account: whether what `npm run deploy` makes is there and as it should be. */
import { Account } from "./account.mjs";
import { METADATA_INDEXES } from "./installation.mjs";
import { Failure } from "./run.mjs";

const REMEDY = "npm run deploy (it makes what is missing)";

export async function lookAtAccount(report, installation, template, version) {
  if (!installation.exists) {
    return report.bad("deployment", `${installation.settingsPath} isn't there`, "npm run deploy (without it what was made is found by name)");
  }
  installation.choose({});
  const { settings } = installation;
  installation.saveConfig(template);
  const account = new Account({ config: installation.configPath });
  const user = await account.whoami();
  if (user === null) return report.bad("Cloudflare", "nobody is signed in", "npx wrangler login, or set CLOUDFLARE_API_TOKEN");
  account.id = settings.account;
  report.good("Cloudflare", user.accounts?.find(({ id }) => id === settings.account)?.name ?? settings.account);
  await attempt(report, "D1", () => database(report, account, settings));
  if (settings.index !== null) await attempt(report, "Vectorize", () => index(report, account, installation, template));
  await attempt(report, "secrets", () => secrets(report, account, installation, template));
  await attempt(report, "Worker", () => worker(report, account, version));
}

/** One look; a command that fails is a finding and not the end of all others. */
async function attempt(report, what, look) {
  try {
    await look();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report.bad(what, error.message.split("\n")[0], "see wrangler's message above; is the token allowed to see it?");
  }
}

async function database(report, account, { database: { name, id } }) {
  const found = await account.database(name);
  if (!found) return report.bad("D1", `the account has no database ${name}`, REMEDY);
  if (id && found !== id) return report.bad("D1", `${name} is another database than before`, "docs/operations.md, Rebuilding mirrors");
  const pending = await account.pendingMigrations();
  if (pending.length > 0) return report.bad("D1", `not applied: ${pending.join(", ")}`, "npm run deploy");
  report.good("D1", `${name}, all migrations applied`);
}

async function index(report, account, installation, template) {
  const name = installation.settings.index;
  const found = await account.index(name);
  if (!found) return report.bad("Vectorize", `the account has no index ${name}`, REMEDY);
  const dimensions = installation.dimensions(template);
  if (found.dimensions !== dimensions) {
    return report.bad("Vectorize", `${name} takes ${found.dimensions} dimensions, the embedding model gives ${dimensions}`,
      `npm run deploy -- --index ${name}-${dimensions}`);
  }
  const known = await account.metadataIndexes(name);
  const missing = METADATA_INDEXES.filter((wanted) => !known.includes(wanted.name)).map((wanted) => wanted.name);
  if (missing.length > 0) return report.bad("Vectorize", `${name} has no metadata index ${missing.join(", ")}`, REMEDY);
  report.good("Vectorize", `${name}, ${dimensions} dimensions, ${await account.vectors(name)} vectors`);
}

async function secrets(report, account, installation, template) {
  const present = await account.secrets();
  if (present === null) return report.bad("secrets", "there is no Worker to have them", "npm run deploy");
  for (const { name, required } of installation.secrets(template)) {
    if (present.includes(name)) report.good("secret", name);
    else if (required) report.bad("secret", `${name} is missing`, "npm run deploy (makes it)");
    else report.skip(`secret ${name}`, `not set; if the provider wants a key: ${name}=… npm run deploy -- --rotate ${name}`);
  }
}

async function worker(report, account, version) {
  const live = await account.live();
  if (!live) return report.bad("Worker", "isn't deployed", "npm run deploy");
  const deployed = live.message?.replace("Kioku ", "") ?? "unknown";
  if (deployed === version) report.good("Worker", `${deployed} (${live.tag})`);
  else report.bad("Worker", `${deployed} is deployed, ${version} is here`, "npm run deploy, or git checkout the deployed version");
}
