/**
 * The steps of a deployment, in the order in which each needs the one before: a configuration that holds, what must
 * exist before the Worker, the Worker with its secrets, and a look at it from outside.
 *
 * Invariant: every step first looks whether it is done, so that running it all again finishes what broke off and
 * changes nothing that is there.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Account } from "./account.mjs";
import { ask } from "./ask.mjs";
import { chooseAccount, chooseSignIn, whatIsNext } from "./choices.mjs";
import { Installation, METADATA_INDEXES, readTemplate } from "./installation.mjs";
import { missing, waitForVersion } from "./probe.mjs";
import { Failure, ROOT } from "./run.mjs";
import { hashOf } from "./stamp.mjs";

const VERSION = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;
/** What the deployment's message begins with; a Worker of this name with another message is somebody else's. */
const MESSAGE = "Kioku ";
/** A metadata index is made in the background, in seconds. */
const INDEX_WITHIN_MS = 60_000;

/** Does it all; resolves to an exit code. */
export async function deploy(options) {
  for (const path of ["build/release/index.js", "web/dist"]) {
    if (!existsSync(join(ROOT, path))) throw new Failure(`${path} is not built: leave --no-build out`);
  }
  const template = await readTemplate();
  const installation = new Installation(options.folder);
  const work = new Deployment(options, template, installation);
  try {
    return await work.run();
  } finally {
    work.end();
  }
}

class Deployment {
  constructor(options, template, installation) {
    Object.assign(this, { options, template, installation, settings: installation.settings });
    this.scratch = mkdtempSync(join(tmpdir(), "kioku-deploy-"));
    this.account = new Account({ config: installation.configPath, dry: options.dry });
  }

  end() {
    rmSync(this.scratch, { recursive: true, force: true });
    // A rehearsal leaves no trace of choices that were not made.
    if (this.options.dry && !this.installation.exists) rmSync(this.installation.configPath, { force: true });
  }

  async run() {
    const { options, installation } = this;
    this.#choose();
    installation.saveConfig(this.template);
    await this.#signedIn();
    await this.#signIn();
    installation.saveConfig(this.template);
    await this.#step("the configuration holds", () => this.account.rehearse());
    await this.#worker();
    this.#save();
    await this.#step("D1", () => this.#database());
    if (this.settings.index !== null) await this.#step("Vectorize", () => this.#index());
    await this.#step("D1 migrations", () => this.#migrations());
    await this.#step("the Worker", () => this.#deploy());
    if (options.dry) {
      console.log(this.account.shown.length === 0
        ? "\nNothing would change."
        : `\n${this.account.shown.length} commands would be run; nothing was changed.`);
      return 0;
    }
    const report = await this.#look();
    whatIsNext({ installation, vars: installation.vars(this.template), ...report });
    return report.isBroken ? 1 : 0;
  }

  #choose() {
    const { account, name, domain, index, dimensions, metrics, vars } = this.options;
    // Another name would be another Worker with other objects: an empty memory.
    if (name && this.settings.worker && name !== this.settings.worker) {
      throw new Failure(`${this.installation.folder} is about the Worker ${this.settings.worker}; use --folder for another one`);
    }
    this.installation.choose({ account, worker: name, domain, index, dimensions, metrics, vars });
  }

  async #signedIn() {
    const user = await this.account.whoami();
    if (user === null) {
      if (!this.options.dry) {
        throw new Failure("Nobody is signed in to Cloudflare: run `npx wrangler login` (or set CLOUDFLARE_API_TOKEN), then this again");
      }
      this.account.offline = true;
      console.log("• Nobody is signed in to Cloudflare; shown is what a first deployment would run.");
      return;
    }
    this.settings.account = await chooseAccount(user.accounts ?? [], this.settings.account);
    this.account.id = this.settings.account;
    console.log(`• Account: ${user.accounts?.find(({ id }) => id === this.account.id)?.name ?? this.account.id}`);
  }

  /** Who vouches for users: from the command line, from before, or by asking. */
  async #signIn() {
    const known = this.installation.vars(this.template).AUTH_MODE;
    Object.assign(this.settings.vars, await chooseSignIn({ wanted: this.options.auth, known, vars: this.settings.vars }));
  }

  /** A Worker of this name that isn't Kioku's must not be written over. */
  async #worker() {
    this.live = await this.account.live();
    const { worker } = this.settings;
    if (this.live && !this.live.message?.startsWith(MESSAGE) && !this.installation.exists) {
      throw new Failure(`The account has a Worker named ${worker} that this script didn't deploy. Choose another name with --name`);
    }
  }

  async #database() {
    const { database } = this.settings;
    const found = await this.account.database(database.name);
    if (database.id && found && found !== database.id) {
      throw new Failure(
        `The D1 database ${database.name} is not the one this installation had (${database.id}). If that is right, take "id"`
        + ` out of ${this.installation.settingsPath}; the new one is filled from the objects (see docs/operations.md)`,
      );
    }
    if (!found) {
      await this.account.makeDatabase(database.name);
      database.id = await this.account.database(database.name);
      if (!database.id && !this.options.dry) throw new Failure(`D1 doesn't list ${database.name} after making it; try again`);
    } else {
      database.id = found;
    }
    this.#save();
    return found ? "is there" : this.#did("made");
  }

  /** The index, and what can be filtered by before the first vector is in it. */
  async #index() {
    const { index: name } = this.settings;
    const dimensions = this.installation.dimensions(this.template);
    const found = await this.account.index(name);
    if (found && (found.dimensions !== dimensions || found.metric !== "cosine")) {
      throw new Failure(
        `The Vectorize index ${name} is for ${found.dimensions} dimensions by ${found.metric}, and the embedding model needs`
        + ` ${dimensions} by cosine. Nothing is deleted here: choose another with --index ${name}-${dimensions}`,
      );
    }
    if (!found) await this.account.makeIndex(name, dimensions);
    const known = found ? await this.account.metadataIndexes(name) : [];
    const wanted = METADATA_INDEXES.filter((index) => !known.includes(index.name));
    if (wanted.length === 0) return "is there";
    const held = found ? await this.account.vectors(name) : 0;
    for (const index of wanted) await this.#metadataIndex(name, index);
    if (held > 0) {
      console.log(`! ${held} vectors were there before the metadata index and can't be found by it until every user's`
        + " mirrors are rebuilt: see \"Rebuilding mirrors\" in docs/operations.md");
    }
    return this.#did(found ? "given its metadata indexes" : "made");
  }

  async #metadataIndex(name, wanted) {
    // A refusal may mean that it is being made since a run that broke off; the list tells.
    const { code, output } = await this.account.makeMetadataIndex(name, wanted);
    if (this.options.dry) return;
    const deadline = Date.now() + (code === 0 ? INDEX_WITHIN_MS : INDEX_WITHIN_MS / 6);
    while (!(await this.account.metadataIndexes(name)).includes(wanted.name)) {
      if (Date.now() > deadline) {
        throw new Failure(code === 0 ? `${name} has no metadata index ${wanted.name} yet; it takes a minute` : output.trim());
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  async #migrations() {
    const pending = this.settings.database.id ? await this.account.pendingMigrations() : undefined;
    if (pending?.length === 0) return "all applied";
    await this.account.migrate();
    return this.#did(pending ? `applied: ${pending.join(", ")}` : "applied");
  }

  async #deploy() {
    const secrets = await this.#newSecrets();
    const names = Object.keys(secrets);
    const tag = this.#tag();
    const isSame = this.live?.tag === tag && this.settings.address !== undefined;
    if (names.length === 0 && isSame && !this.options.force) return `${VERSION} is there already`;
    const outputPath = join(this.scratch, "output.jsonl");
    const file = names.length > 0 ? join(this.scratch, "secrets.json") : undefined;
    if (file) writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
    const call = { tag, message: `${MESSAGE}${VERSION}`, secrets: file, outputPath };
    let result = await this.account.deploy(call);
    if (result.code !== 0 && /\b100328\b/.test(result.output) && this.settings.limits !== false) {
      console.log("• This account's plan takes no CPU limits; deploying without");
      this.settings.limits = false;
      this.#save();
      result = await this.account.deploy({ ...call, tag: this.#tag() });
    }
    if (result.code !== 0) throw new Failure(`wrangler deploy failed:\n${result.output.trim()}`);
    if (this.options.dry) return this.#did("deployed");
    this.settings.address = this.#address(outputPath) ?? this.settings.address;
    this.#save();
    return `${VERSION} deployed${names.length > 0 ? `, with new ${names.join(" and ")}` : ""}`;
  }

  /** What is deployed, in a few letters: the same for the same build and configuration. */
  #tag() {
    const config = JSON.stringify(this.installation.config(this.template));
    return `${VERSION}-${hashOf(["build/release", "web/dist", `text:${config}`]).slice(0, 8)}`;
  }

  /** Values for the secrets that the Worker lacks, or that are to be rotated. */
  async #newSecrets() {
    const present = (await this.account.secrets()) ?? [];
    const values = {};
    const wanted = this.installation.secrets(this.template);
    for (const name of this.options.rotate) {
      if (wanted.some((known) => known.name === name)) continue;
      if (!process.env[name]) throw new Failure(`--rotate ${name}: give its value in the environment of this command`);
      wanted.push({ name, required: true });
    }
    for (const { name, required, made } of wanted) {
      if (present.includes(name) && !this.options.rotate.includes(name)) continue;
      const asks = !made && !this.options.dry;
      const given = process.env[name] ?? (asks ? await ask(`${name} (empty for none)`, { hidden: true }) : "");
      if (given) values[name] = given;
      else if (made) values[name] = randomBytes(32).toString("hex");
      else if (required) throw new Failure(`${name} is needed: set it in the environment of this command`);
      else if (!present.includes(name)) console.log(`• No ${name}: it goes without one`);
    }
    return values;
  }

  /** The address that a deployment names in wrangler's own record of it. */
  #address(path) {
    if (!existsSync(path)) return undefined;
    const lines = readFileSync(path, "utf8").split("\n").filter((line) => line.trim() !== "");
    const targets = lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === "deploy")?.targets ?? [];
    const { domain } = this.settings;
    const target = targets.find((target) => domain && target.includes(domain)) ?? targets[0];
    if (!target) return undefined;
    const host = target.split(" ")[0];
    return /^https?:\/\//.test(host) ? host : `https://${host}`;
  }

  async #look() {
    const { address } = this.settings;
    if (!address) return { isBroken: true, health: { state: "silent", detail: "no address" }, lacks: [] };
    const health = await waitForVersion(address, VERSION, this.options.wait * 1000);
    console.log(`${health.state === "alive" || health.state === "guarded" ? "✓" : "✗"} ${address}/healthz: ${health.detail}`);
    const lacks = health.state === "alive" ? await missing(address) : [];
    if (health.state === "alive") {
      console.log(lacks.length === 0 ? `✓ ${address}/readyz` : `! ${address}/readyz: missing ${lacks.join(", ")}`);
    }
    return { isBroken: health.state === "silent" || health.state === "old", health, lacks };
  }

  #save() {
    if (!this.options.dry) this.installation.save();
    this.installation.saveConfig(this.template);
  }

  #did(what) {
    return this.options.dry ? `would be ${what}` : what;
  }

  async #step(name, action) {
    try {
      const result = await action();
      console.log(`✓ ${name}${typeof result === "string" ? `: ${result}` : ""}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Failure(`${name}: ${error.message}\n\nWhat was made stays. Run this again when it is mended: it goes on from here.`);
    }
  }
}
