/** `npm run deploy` as a process, against a wrangler command that records what it is told. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WRANGLER = fileURLToPath(new URL("wrangler.mjs", import.meta.url));
const VERSION = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;
const CHANGES = /^(d1 create|d1 migrations apply|vectorize create|vectorize create-metadata-index|secret put|deploy --tag)/;
const FIRST_RUN = [
  "d1 create kioku --update-config=false",
  "vectorize create kioku --dimensions=1024 --metric=cosine --update-config=false",
  "vectorize create-metadata-index kioku --propertyName=uid --type=string",
  "d1 migrations apply DB --remote",
  "deploy",
];

/** An account, a folder of settings and a server that answers as the deployed Worker would. */
class Place {
  constructor(account = {}) {
    this.folder = mkdtempSync(join(tmpdir(), "kioku-deploy-test-"));
    this.path = join(this.folder, "account.json");
    this.settings = join(this.folder, "deployment");
    this.lacks = ["AUTH_MODE"];
    this.version = VERSION;
    this.account = {
      loggedIn: true, accounts: [{ id: "acc1", name: "Hana's" }], databases: [], indexes: [], workers: {}, applied: [],
      metadataLag: 1, faults: [], calls: [], ...account,
    };
  }

  async open() {
    this.server = createServer((request, response) => {
      const answer = request.url === "/healthz"
        ? [200, { status: "ok", version: this.version }]
        : this.lacks.length > 0 ? [503, { code: "misconfigured", missing: this.lacks }] : [200, { status: "ready" }];
      response.writeHead(answer[0], { "content-type": "application/json" }).end(JSON.stringify(answer[1]));
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.account.targets = [`http://127.0.0.1:${this.server.address().port}`];
    return this;
  }

  close() {
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs the script; `calls` are the changing commands of this run. */
  run(args = [], env = {}) {
    this.account.calls = [];
    writeFileSync(this.path, JSON.stringify(this.account));
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(ROOT, "scripts/deploy.mjs"), "--no-build", "--wait", "4", "--folder", this.settings, ...args],
        { env: { ...process.env, CI: "true", KIOKU_WRANGLER: WRANGLER, WRANGLER_ACCOUNT: this.path, ...env } },
        (error, stdout, stderr) => {
          this.account = JSON.parse(readFileSync(this.path, "utf8"));
          const lines = this.account.calls.map(({ line }) => line);
          for (const line of lines) assert.doesNotMatch(line, /delete|rollback|--force|remove/, "something would be destroyed");
          resolve({ code: error ? error.code : 0, output: stdout + stderr, lines, changes: lines.filter((line) => CHANGES.test(line)) });
        },
      );
    });
  }

  get worker() {
    return this.account.workers.kioku;
  }

  saved() {
    return JSON.parse(readFileSync(join(this.settings, "settings.json"), "utf8"));
  }
}

const places = [];
async function place(account) {
  const made = await new Place(account).open();
  places.push(made);
  return made;
}

/** The verb of each change, as `FIRST_RUN` has it. */
const verbs = (changes) => changes.map((line) => (line.startsWith("deploy") ? "deploy" : line));

describe("npm run deploy", { concurrency: 2 }, () => {
  after(() => places.forEach((place) => place.close()));

  test("a first run makes everything, each thing before what needs it, and says what is next", async () => {
    const here = await place();
    const { code, output, changes } = await here.run();
    assert.equal(code, 0, output);
    assert.deepEqual(verbs(changes), FIRST_RUN);
    assert.match(output, /Enable Cloudflare Access/);
    assert.match(output, /missing AUTH_MODE/);
    const { config, secrets, message } = here.worker;
    assert.equal(message, `Kioku ${VERSION}`);
    assert.equal(config.account_id, "acc1");
    assert.equal(config.d1_databases[0].database_id, "uuid-1");
    assert.equal(config.services, undefined, "the local stand-in is no part of it");
    assert.deepEqual(Object.keys(secrets), ["SESSION_SECRET"]);
    assert.ok(secrets.SESSION_SECRET.length >= 64);
    assert.equal(here.account.calls.at(-1).secretsMode, "600");
    assert.deepEqual(here.account.calls.at(-1).account, "acc1");
    const kept = readdirSync(here.settings, { recursive: true }).filter((name) => name.endsWith(".json"))
      .map((name) => readFileSync(join(here.settings, name), "utf8")).join();
    assert.ok(!kept.includes(secrets.SESSION_SECRET) && !output.includes(secrets.SESSION_SECRET), "the secret is nowhere else");
    assert.ok(!existsSync(changes.at(-1).match(/--secrets-file=(\S+)/)[1]), "nor in the file it was handed over in");
  });

  test("a second run changes nothing; --force deploys, and keeps the secret", async () => {
    const here = await place();
    await here.run();
    const secret = here.worker.secrets.SESSION_SECRET;
    const again = await here.run();
    assert.deepEqual([again.code, again.changes], [0, []], again.output);
    const forced = await here.run(["--force"]);
    assert.deepEqual(verbs(forced.changes), ["deploy"]);
    assert.doesNotMatch(forced.changes[0], /secrets-file/);
    assert.equal(here.worker.secrets.SESSION_SECRET, secret);
  });

  test("without its settings it finds what it made", async () => {
    const here = await place();
    await here.run();
    rmSync(here.settings, { recursive: true });
    const again = await here.run();
    // Only a deployment tells the address.
    assert.deepEqual([again.code, verbs(again.changes)], [0, ["deploy"]], again.output);
    assert.equal(here.saved().database.id, "uuid-1");
    assert.equal(here.saved().address, here.account.targets[0]);
  });

  for (const step of FIRST_RUN) {
    for (const after of [false, true]) {
      test(`broken off at "${step.split(" ").slice(0, 2).join(" ")}"${after ? ", which worked all the same" : ""}, the next run goes on`, async () => {
        const here = await place();
        here.account.faults = [{ match: step === "deploy" ? "^deploy --tag" : `^${step}`, times: 1, after }];
        const broken = await here.run();
        // Whether a metadata index is made is seen in the list, not in the answer.
        const isSeen = after && step.startsWith("vectorize create-metadata-index");
        assert.equal(broken.code, isSeen ? 0 : 1, broken.output);
        if (!isSeen) assert.match(broken.output, /Run this again/);
        const mended = await here.run();
        assert.equal(mended.code, 0, mended.output);
        const made = [...verbs(broken.changes), ...verbs(mended.changes)];
        assert.equal(made.filter((line) => line === step).length, after && step !== "deploy" ? 1 : 2, made.join("\n"));
        assert.deepEqual(made.filter((line) => line !== step), FIRST_RUN.filter((line) => line !== step));
        assert.equal(here.account.databases.length, 1);
        assert.equal(here.account.indexes[0].metadata.length, 1);
        assert.ok(here.worker.secrets.SESSION_SECRET);
        assert.deepEqual((await here.run()).changes, []);
      });
    }
  }

  test("what exists for something else is left alone, with a way out", async () => {
    const other = await place({ workers: { kioku: { config: {}, tag: "x", message: "my site", version: "v", secrets: {} } } });
    const refused = await other.run();
    assert.deepEqual([refused.code, refused.changes], [1, []]);
    assert.match(refused.output, /--name/);
    const renamed = await other.run(["--name", "kioku-two"], {});
    assert.equal(renamed.code, 0, renamed.output);
    assert.deepEqual(Object.keys(other.account.workers), ["kioku", "kioku-two"]);
    assert.equal(other.account.databases[0].name, "kioku-two");

    const short = await place({ indexes: [{ name: "kioku", dimensions: 768, metric: "cosine", metadata: [] }] });
    const mismatch = await short.run();
    assert.equal(mismatch.code, 1);
    assert.match(mismatch.output, /768.*1024[\s\S]*--index kioku-1024/);
    assert.equal(short.worker, undefined);
    assert.equal((await short.run(["--index", "kioku-1024"])).code, 0);
  });

  test("an index that has vectors and no metadata index gets one, and the operator hears what that means", async () => {
    const here = await place({ indexes: [{ name: "kioku", dimensions: 1024, metric: "cosine", metadata: [], vectors: 7 }] });
    const { code, output, changes } = await here.run();
    assert.equal(code, 0, output);
    assert.ok(changes.includes(FIRST_RUN[2]) && !changes.includes(FIRST_RUN[1]));
    assert.match(output, /7 vectors[\s\S]*Rebuilding mirrors/);
  });

  test("who vouches for users is chosen once, checked, and kept", async () => {
    const here = await place();
    const incomplete = await here.run(["--auth", "access", "--var", "ACCESS_AUD:tag"]);
    assert.equal(incomplete.code, 1);
    assert.match(incomplete.output, /ACCESS_TEAM_DOMAIN/);
    assert.match((await here.run(["--auth", "everyone"])).output, /access, oidc or later/);
    here.lacks = [];
    const chosen = await here.run(["--auth", "access", "--var", "ACCESS_AUD:tag", "--var", "ACCESS_TEAM_DOMAIN:hana.cloudflareaccess.com"]);
    assert.equal(chosen.code, 0, chosen.output);
    assert.match(chosen.output, /Kioku is at http/);
    const wanted = { AUTH_MODE: "access", ACCESS_AUD: "tag", ACCESS_TEAM_DOMAIN: "hana.cloudflareaccess.com" };
    for (const [name, value] of Object.entries(wanted)) assert.equal(here.worker.config.vars[name], value);
    assert.deepEqual((await here.run()).changes, []);
    const changed = await here.run(["--var", "CHAT_MODEL:@cf/openai/gpt-oss-120b"]);
    assert.deepEqual(verbs(changed.changes), ["deploy"]);
    assert.equal(here.worker.config.vars.AUTH_MODE, "access");
  });

  test("a provider's key comes from the environment and goes only into the Worker", async () => {
    const here = await place();
    const vars = ["--var", "MODEL_PROVIDER:openai", "--var", "MODEL_BASE_URL:https://m.example/v1", "--var", "CHAT_MODEL:m"];
    const { code, output } = await here.run(vars, { MODEL_API_KEY: "sk-not-real" });
    assert.equal(code, 0, output);
    assert.equal(here.worker.secrets.MODEL_API_KEY, "sk-not-real");
    assert.ok(!JSON.stringify([output, here.saved(), here.worker.config]).includes("sk-not-real"));
    const secret = here.worker.secrets.SESSION_SECRET;
    await here.run(["--rotate", "SESSION_SECRET"]);
    assert.notEqual(here.worker.secrets.SESSION_SECRET, secret);
    assert.equal(here.worker.secrets.MODEL_API_KEY, "sk-not-real");
    assert.match((await here.run(["--rotate", "SESSION_SECRET_PREVIOUS"])).output, /environment/);
    await here.run(["--rotate", "SESSION_SECRET_PREVIOUS"], { SESSION_SECRET_PREVIOUS: secret });
    assert.equal(here.worker.secrets.SESSION_SECRET_PREVIOUS, secret);
  });

  test("vectors of unknown length are asked about; an installation can do without Vectorize", async () => {
    const here = await place();
    const vars = ["--var", "EMBEDDING_PROVIDER:openai", "--var", "EMBEDDING_MODEL:my-model", "--var", "EMBEDDING_BASE_URL:https://e/v1"];
    const unknown = await here.run(vars);
    assert.equal(unknown.code, 1);
    assert.match(unknown.output, /--dimensions/);
    assert.equal((await here.run(["--dimensions", "640"])).code, 0);
    assert.equal(here.account.indexes[0].dimensions, 640);
    const without = await place();
    const { code, changes } = await without.run(["--index", "none"]);
    assert.equal(code, 0);
    assert.deepEqual(changes.filter((line) => line.startsWith("vectorize")), []);
    assert.equal(without.worker.config.vectorize, undefined);
  });

  test("the free plan, which takes no limits, is found out by trying", async () => {
    const here = await place({ plan: "free" });
    const { code, output } = await here.run();
    assert.equal(code, 0, output);
    assert.equal(here.worker.config.limits, undefined);
    assert.ok(here.worker.secrets.SESSION_SECRET);
    assert.deepEqual((await here.run()).changes, []);
  });

  test("a new migration is applied before the Worker that needs it", async () => {
    const here = await place();
    await here.run();
    here.account.applied = [];
    here.worker.tag = `${VERSION}-00000000`;
    assert.deepEqual(verbs((await here.run()).changes), ["d1 migrations apply DB --remote", "deploy"]);
  });

  test("nobody, or somebody with several accounts, is told what to do", async () => {
    const nobody = await place({ loggedIn: false });
    const refused = await nobody.run();
    assert.equal(refused.code, 1);
    assert.match(refused.output, /wrangler login/);
    const several = await place({ accounts: [{ id: "a1", name: "Hana" }, { id: "b2", name: "Work" }] });
    const which = await several.run();
    assert.deepEqual([which.code, which.changes], [1, []]);
    assert.match(which.output, /--account b2 +Work/);
    assert.match((await several.run(["--account", "c3"])).output, /not signed in to the account c3/);
    assert.equal((await several.run(["--account", "b2"])).code, 0);
    assert.equal(several.worker.config.account_id, "b2");
  });

  test("an address that doesn't come up is an error, one behind a sign-in is not", async () => {
    const here = await place();
    here.version = "0.0.1";
    const old = await here.run();
    assert.equal(old.code, 1);
    assert.match(old.output, /version 0\.0\.1/);
    here.server.removeAllListeners("request");
    here.server.on("request", (_request, response) => response.writeHead(302, { location: "https://hana.cloudflareaccess.com/cdn-cgi/access/login" }).end());
    const guarded = await here.run(["--force"]);
    assert.equal(guarded.code, 0, guarded.output);
    assert.match(guarded.output, /sign-in page/);
  });

  test("a dry run shows each command and changes nothing, signed in or not", async () => {
    for (const loggedIn of [true, false]) {
      const here = await place({ loggedIn });
      const { code, output, changes } = await here.run(["--dry-run"]);
      assert.deepEqual([code, changes], [0, []], output);
      for (const line of FIRST_RUN) assert.ok(output.includes(`would run: wrangler ${line}`), `${line}\n${output}`);
      assert.ok(!existsSync(join(here.settings, "settings.json")) && !existsSync(join(here.settings, "wrangler.json")));
    }
    const here = await place();
    await here.run();
    const { output } = await here.run(["--dry-run"]);
    assert.match(output, /Nothing would change/);
  });

  test("the real wrangler takes the configuration, with everything that can be chosen", async () => {
    const here = await place();
    const { code, output } = await here.run(
      ["--dry-run", "--domain", "chat.example.com", "--metrics", "kioku", "--auth", "oidc",
        "--var", "OIDC_ISSUER:https://i.example", "--var", "OIDC_AUDIENCE:a"],
      { KIOKU_WRANGLER: join(ROOT, "node_modules/.bin/wrangler"), WRANGLER_SEND_METRICS: "false" },
    );
    assert.equal(code, 0, output);
    assert.match(output, /✓ the configuration holds/);
  });

  test("the real wrangler takes [env.production] as it is, too", async () => {
    const wrangler = join(ROOT, "node_modules/.bin/wrangler");
    const env = { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false" };
    const output = await new Promise((resolve, reject) => {
      execFile(wrangler, ["deploy", "--dry-run", "--env", "production"], { cwd: ROOT, env }, (error, stdout, stderr) =>
        error ? reject(new Error(stdout + stderr)) : resolve(stdout));
    });
    for (const name of ["AGENT", "DB", "VECTORIZE", "AI", "ASSETS"]) assert.match(output, new RegExp(`env\\.${name}\\b`));
  });

  test("options that make no sense are refused with the list of those that do", async () => {
    const here = await place();
    for (const args of [["--var", "AUTH_MODE"], ["--dimensions", "many"], ["--destroy"]]) {
      const { code, changes } = await here.run(args);
      assert.deepEqual([code, changes], [1, []]);
    }
  });
});
