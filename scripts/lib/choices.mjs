/** What only the person who deploys can know: which account, who vouches for users, and what they do next. */
import { ask, choose, isInteractive } from "./ask.mjs";
import { Failure } from "./run.mjs";

const NEEDS = {
  access: ["ACCESS_TEAM_DOMAIN", "ACCESS_AUD"],
  oidc: ["OIDC_ISSUER", "OIDC_AUDIENCE"],
};

/** The account's id. */
export async function chooseAccount(accounts, wanted) {
  const given = wanted ?? process.env.CLOUDFLARE_ACCOUNT_ID;
  // A token that may not list accounts still works with one that is named.
  if (given && (accounts.length === 0 || accounts.some(({ id }) => id === given))) return given;
  if (given) throw new Failure(`You are not signed in to the account ${given}`);
  if (accounts.length === 1) return accounts[0].id;
  if (accounts.length === 0) throw new Failure("Which account? Say --account ID");
  if (!isInteractive()) {
    const list = accounts.map(({ id, name }) => `  --account ${id}   ${name}`).join("\n");
    throw new Failure(`You have several accounts. Say which:\n${list}`);
  }
  return choose("Which account?", accounts.map(({ id, name }) => ({ value: id, label: name })));
}

/** The variables that say who vouches for users. */
export async function chooseSignIn({ wanted, known, vars }) {
  if (wanted !== undefined && wanted !== "later" && !(wanted in NEEDS)) {
    throw new Failure(`--auth is access, oidc or later, not ${wanted}`);
  }
  const mode = wanted ?? (known || (await choose("Who vouches for your users?", [
    { value: "later", label: "I choose later (until then Kioku answers nobody)" },
    { value: "access", label: "Cloudflare Access: its application for the address has to exist" },
    { value: "oidc", label: "another OpenID provider" },
  ])));
  if (mode === "later") return { AUTH_MODE: "" };
  const chosen = { AUTH_MODE: mode };
  for (const name of NEEDS[mode] ?? []) {
    const value = vars[name] || (await ask(name));
    if (!value) throw new Failure(`--auth ${mode} needs ${NEEDS[mode].map((n) => `--var ${n}:VALUE`).join(" ")}`);
    chosen[name] = value;
  }
  return chosen;
}

/** Says what to do next. */
export function whatIsNext({ installation, vars, health, lacks }) {
  const { address } = installation.settings;
  const again = "npm run deploy --";
  const lines = [];
  if (health.state === "silent" || health.state === "old") {
    lines.push(
      `${address ?? "The Worker"} doesn't answer as it should yet (${health.detail}).`,
      "A new workers.dev address takes some minutes. Look again:  npm run doctor -- --deployed",
      "What the Worker says:  npx wrangler tail -c deployment/wrangler.json",
    );
  } else if (!vars.AUTH_MODE) {
    lines.push(
      "Nobody can sign in yet. With Cloudflare Access:",
      `  1. In the dashboard: Workers & Pages → ${installation.settings.worker} → Settings → Domains & Routes → workers.dev →`,
      "     Enable Cloudflare Access, and choose who may come in. It shows the audience tag (AUD).",
      "     Your team domain is in Zero Trust → Settings: TEAM.cloudflareaccess.com.",
      `  2. ${again} --auth access --var ACCESS_TEAM_DOMAIN:TEAM.cloudflareaccess.com --var ACCESS_AUD:TAG`,
      `With another provider:  ${again} --auth oidc --var OIDC_ISSUER:https://… --var OIDC_AUDIENCE:…`,
    );
  } else if (lacks.length > 0) {
    lines.push(
      `Kioku runs and isn't ready: ${lacks.join(", ")}.`,
      `Variables: ${again} --var NAME:VALUE. Secrets: ${again} --rotate NAME. Then:  npm run doctor -- --deployed`,
    );
  } else {
    lines.push(
      `Kioku is at ${address}. Sign in and say something.`,
      "A new version:  git pull && npm run deploy      How it does:  npm run doctor -- --deployed",
      "Keep the folder deployment: it has your choices and no secret. More: docs/operations.md",
    );
  }
  console.log(`\n${lines.map((line) => `  ${line}`).join("\n")}\n`);
}
