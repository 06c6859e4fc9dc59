/**
 * An installation: what `npm run deploy` was told and what it has made, in `deployment/settings.json`, and the
 * configuration that wrangler gets, `deployment/wrangler.json`, made from the first and from `wrangler.toml`.
 *
 * Invariant: everything an account owns is in that folder, which git ignores, and nothing in it is secret or can't
 * be found again: without it, a run asks its questions anew and finds what it made by name.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Failure, ROOT } from "./run.mjs";

/** Stands where an id will be; the real wrangler takes it for a dry run. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** Lengths of the embeddings that are known by name; others are told with `--dimensions`. */
const DIMENSIONS = {
  "@cf/baai/bge-m3": 1024,
  "@cf/baai/bge-large-en-v1.5": 1024,
  "@cf/baai/bge-base-en-v1.5": 768,
  "@cf/baai/bge-small-en-v1.5": 384,
  "@cf/google/embeddinggemma-300m": 768,
  "@cf/qwen/qwen3-embedding-0.6b": 1024,
  "text-embedding-3-small": 1536,
};
const BUILT_IN_DIMENSIONS = 192;

/** The properties that queries filter by. One that is made after a vector leaves that vector out. */
export const METADATA_INDEXES = [{ name: "uid", type: "string" }];

/**
 * Settings: `account` its id · `worker` its name · `database` `{name, id}` · `index` its name, or null for none ·
 * `dimensions` · `domain` an own host name · `metrics` a dataset's name · `limits` false where the plan takes none ·
 * `vars` variables that differ from `wrangler.toml` · `address` where it was last deployed to.
 */
export class Installation {
  constructor(folder = join(ROOT, "deployment")) {
    this.folder = resolve(folder);
    this.settingsPath = join(this.folder, "settings.json");
    this.configPath = join(this.folder, "wrangler.json");
    this.exists = existsSync(this.settingsPath);
    this.settings = this.exists ? readSettings(this.settingsPath) : {};
    this.settings.vars ??= {};
  }

  /** Takes what the command line says over what is there. */
  choose(chosen) {
    const { vars, ...rest } = chosen;
    for (const [name, value] of Object.entries(rest)) if (value !== undefined) this.settings[name] = value;
    Object.assign(this.settings.vars, vars);
    const settings = this.settings;
    settings.worker ??= "kioku";
    settings.database ??= { name: settings.worker };
    if (settings.index === undefined) settings.index = settings.worker;
    if (settings.index === "none") settings.index = null;
  }

  save() {
    this.#write(this.settingsPath, this.settings);
  }

  /** Writes what wrangler gets. `template` is `wrangler.toml`, read. */
  saveConfig(template) {
    this.#write(this.configPath, this.config(template));
  }

  /** `[env.production]` as a configuration of its own, with this installation's ids and choices. */
  config(template) {
    const { settings } = this;
    const production = structuredClone(template.env.production);
    const fromFolder = (path) => relative(this.folder, join(ROOT, path));
    const { services: _none, ...config } = production;
    config.name = settings.worker;
    config.compatibility_date = template.compatibility_date;
    if (settings.account) config.account_id = settings.account;
    config.main = fromFolder(production.main);
    config.assets.directory = fromFolder(production.assets.directory);
    for (const database of config.d1_databases) {
      database.database_name = settings.database.name;
      database.database_id = settings.database.id ?? NO_ID;
      database.migrations_dir = fromFolder(database.migrations_dir);
    }
    if (settings.index === null) delete config.vectorize;
    else config.vectorize[0].index_name = settings.index;
    if (settings.limits === false) delete config.limits;
    if (settings.metrics) config.analytics_engine_datasets = [{ binding: "METRICS", dataset: settings.metrics }];
    if (settings.domain) config.routes = [{ pattern: settings.domain, custom_domain: true }];
    config.vars = this.vars(template);
    return config;
  }

  /** The variables of the Worker. */
  vars(template) {
    return { ...template.env.production.vars, ...this.settings.vars };
  }

  /** How long this installation's vectors are. */
  dimensions(template) {
    if (this.settings.dimensions) return this.settings.dimensions;
    const { EMBEDDING_PROVIDER: provider = "embedded", EMBEDDING_MODEL: model } = this.vars(template);
    if (provider === "embedded") return BUILT_IN_DIMENSIONS;
    const name = model ?? (provider === "workers-ai" ? "@cf/baai/bge-m3" : undefined);
    const known = DIMENSIONS[name];
    if (!known) {
      throw new Failure(
        `How long are the vectors of ${name ?? "EMBEDDING_MODEL, which isn't set"}? Say --dimensions N`
        + " (or --index none to do without Vectorize)",
      );
    }
    return known;
  }

  /** Names of the secrets that this installation's variables need, required ones first. */
  secrets(template) {
    const vars = this.vars(template);
    const wanted = [{ name: "SESSION_SECRET", required: true, made: true }];
    if (vars.MODEL_PROVIDER === "openai") wanted.push({ name: "MODEL_API_KEY", required: false });
    if (vars.EMBEDDING_PROVIDER === "openai" && (vars.EMBEDDING_BASE_URL || vars.MODEL_PROVIDER !== "openai")) {
      wanted.push({ name: "EMBEDDING_API_KEY", required: false });
    }
    if (vars.AUTH_MODE === "oidc") wanted.push({ name: "OIDC_CLIENT_SECRET", required: false });
    return wanted;
  }

  #write(path, content) {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** `wrangler.toml`, read. */
export async function readTemplate() {
  // Not at the top: a first run installs it.
  const { parse } = await import("smol-toml");
  return parse(readFileSync(join(ROOT, "wrangler.toml"), "utf8"));
}

function readSettings(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Failure(`${path} can't be read (${error.message}). Mend it, or move it away: what was made is found again`);
  }
}
