/**
 * A Cloudflare account through wrangler's own commands: looking and making, never deleting.
 *
 * Looking happens always; with `dry`, a command that would change something is only shown.
 */
import { Failure, run } from "./run.mjs";

/** `KIOKU_WRANGLER` is another command to use, for tests. */
const WRANGLER = process.env.KIOKU_WRANGLER ?? "wrangler";

export class Account {
  /** What commands would have changed something, in order. */
  shown = [];

  constructor({ config, dry = false }) {
    Object.assign(this, { config, dry, id: undefined, offline: false });
  }

  /** Who is signed in: `{email, accounts}`, or null. */
  async whoami() {
    const { code, stdout } = await this.#wrangler(["whoami", "--json"], { may_fail: true });
    const answer = json(stdout);
    if (code === 0 && answer?.loggedIn) return answer;
    if (answer?.loggedIn === false) return null;
    throw new Failure(`wrangler can't tell who is signed in:\n${stdout.trim()}`);
  }

  /** A D1 database's id by its name; undefined when there is none. */
  async database(name) {
    const list = await this.#json(["d1", "list", "--json"]);
    return list?.find((database) => database.name === name)?.uuid;
  }

  makeDatabase(name) {
    return this.#change(["d1", "create", name, "--update-config=false"]);
  }

  /** A Vectorize index: `{dimensions, metric}`; undefined when there is none. */
  async index(name) {
    const list = await this.#json(["vectorize", "list", "--json"]);
    const found = list?.find((index) => index.name === name);
    return found && { dimensions: found.config?.dimensions, metric: found.config?.metric };
  }

  makeIndex(name, dimensions) {
    return this.#change([
      "vectorize", "create", name, `--dimensions=${dimensions}`, "--metric=cosine", "--update-config=false",
    ]);
  }

  /** Names of the metadata properties that can be filtered by. */
  async metadataIndexes(name) {
    const list = await this.#json(["vectorize", "list-metadata-index", name, "--json"]);
    return (list ?? []).map(({ propertyName }) => propertyName);
  }

  /** Asks for a metadata index; resolves to `{code, output}`, whatever the code. */
  makeMetadataIndex(index, { name, type }) {
    const args = ["vectorize", "create-metadata-index", index, `--propertyName=${name}`, `--type=${type}`];
    return this.#change(args, { may_fail: true });
  }

  /** How many vectors an index holds. */
  async vectors(name) {
    const info = await this.#json(["vectorize", "info", name, "--json"]);
    return info?.vectorCount ?? 0;
  }

  /** Names of D1 migrations that are not applied yet. */
  async pendingMigrations() {
    if (this.offline) return undefined;
    const { stdout } = await this.#wrangler(["d1", "migrations", "list", "DB", "--remote"]);
    return [...new Set(stdout.match(/\b\d{4}_\w+\.sql\b/g) ?? [])];
  }

  migrate() {
    return this.#change(["d1", "migrations", "apply", "DB", "--remote"]);
  }

  /** Names of the Worker's secrets; null when there is no such Worker. */
  async secrets() {
    const list = await this.#ofWorker(["secret", "list", "--format=json"]);
    return list && list.map(({ name }) => name);
  }

  /** Tag and message of the version that answers; null when there is no such Worker. */
  async live() {
    const deployment = await this.#ofWorker(["deployments", "status", "--json"]);
    const version = deployment?.versions?.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id;
    if (!version) return null;
    const { annotations = {} } = await this.#json(["versions", "view", version, "--json"]);
    return { id: version, tag: annotations["workers/tag"], message: annotations["workers/message"] };
  }

  /** Builds what would be uploaded and uploads nothing: finds a broken configuration before anything is made. */
  rehearse() {
    return this.#wrangler(["deploy", "--dry-run"]);
  }

  /** Deploys; resolves to `{code, output}`, whatever the code. `secrets` is a file of new secrets. */
  deploy({ tag, message, secrets, outputPath }) {
    const more = secrets ? [`--secrets-file=${secrets}`] : [];
    return this.#change(["deploy", `--tag=${tag}`, `--message=${message}`, ...more], {
      may_fail: true,
      env: { WRANGLER_OUTPUT_FILE_PATH: outputPath },
    });
  }

  async #json(args) {
    if (this.offline) return undefined;
    const { stdout } = await this.#wrangler(args);
    const answer = json(stdout);
    if (answer === undefined) throw new Failure(`\`wrangler ${args.join(" ")}\` gave no JSON:\n${stdout.slice(0, 500)}`);
    return answer;
  }

  /** As `#json`, about the Worker; null when there is none. */
  async #ofWorker(args) {
    if (this.offline) return null;
    const { code, stdout, output } = await this.#wrangler(args, { may_fail: true });
    if (code === 0) return json(stdout) ?? null;
    if (/not found|does not exist|no deployments|10007|10090/i.test(output)) return null;
    throw new Failure(`\`wrangler ${args.join(" ")}\` failed:\n${output.trim()}`);
  }

  async #change(args, options) {
    const line = ["wrangler", ...args, "-c", this.config].map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(" ");
    this.shown.push(line);
    if (this.dry) {
      console.log(`  would run: ${line}`);
      return { code: 0, output: "", stdout: "" };
    }
    return this.#wrangler(args, options);
  }

  #wrangler(args, { env, ...options } = {}) {
    return run(WRANGLER, [...args, "-c", this.config], {
      quiet: true,
      // Nothing here can answer a question of wrangler's.
      env: { CI: "true", ...(this.id ? { CLOUDFLARE_ACCOUNT_ID: this.id } : {}), ...env },
      ...options,
    });
  }
}

/** The JSON that a command printed, whatever it printed before it; undefined when there is none. */
function json(text) {
  for (const { index } of text.matchAll(/^[[{]/gm)) {
    try {
      return JSON.parse(text.slice(index));
    } catch {
      // A line that only begins like JSON.
    }
  }
  return undefined;
}
