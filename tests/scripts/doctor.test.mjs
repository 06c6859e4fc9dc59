/** `npm run doctor -- --deployed`, against a recorded account and a server that answers as told. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WRANGLER = fileURLToPath(new URL("wrangler.mjs", import.meta.url));
const VERSION = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version;

/** What a whole installation answers; a test changes some of it. */
const WHOLE = {
  "/healthz": [200, { status: "ok", version: VERSION }],
  "/readyz": [200, { status: "ready" }],
  "/api/me": [200, { providers: { chat_model: "m" } }],
  "/api/threads": [201, { id: "t_1" }],
  "/api/threads/t_1": [204, null],
  "/api/memory/mirrors": [200, {
    d1: { bound: true, pending: 0, parked: 0, lag_ms: null, last_error: null },
    vectorize: { bound: true, pending: 1, parked: 0, lag_ms: 2000, last_error: null }, jobs: [],
  }],
  "/api/memory/facts": [200, { facts: [], source: "vectorize" }],
};

describe("the doctor", () => {
  const folder = mkdtempSync(join(tmpdir(), "kioku-doctor-"));
  let server;
  let answers;
  let frame;
  let account;
  let seen;

  before(async () => {
    server = createServer((request, response) => {
      seen.push([request.method, request.url, request.headers.authorization]);
      const [status, body] = answers[request.url.split("?")[0]] ?? [404, {}];
      response.writeHead(status, { "content-type": "application/json" }).end(body === null ? undefined : JSON.stringify(body));
    });
    new WebSocketServer({ server }).on("connection", (socket) => socket.on("message", () => socket.send(JSON.stringify(frame))));
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
  });
  after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    answers = structuredClone(WHOLE);
    frame = { type: "done", timing: { total_ms: 321 } };
    seen = [];
    account = {
      loggedIn: true, accounts: [{ id: "acc1", name: "Hana's" }], databases: [{ uuid: "uuid-1", name: "kioku" }],
      indexes: [{ name: "kioku", dimensions: 1024, metric: "cosine", metadata: [{ name: "uid", lag: -1 }], vectors: 5 }],
      workers: { kioku: { tag: "x", message: `Kioku ${VERSION}`, version: "v", secrets: { SESSION_SECRET: "s" } } },
      applied: readdirSync(join(ROOT, "migrations")), faults: [], calls: [],
    };
    mkdirSync(folder, { recursive: true });
    const address = `http://127.0.0.1:${server.address().port}`;
    writeFileSync(join(folder, "settings.json"), JSON.stringify({
      worker: "kioku", account: "acc1", database: { name: "kioku", id: "uuid-1" }, index: "kioku", address,
      vars: { AUTH_MODE: "access", ACCESS_TEAM_DOMAIN: "t", ACCESS_AUD: "a" },
    }));
  });

  function run(env = { KIOKU_TOKEN: "kioku_pat_x" }) {
    writeFileSync(join(folder, "account.json"), JSON.stringify(account));
    return new Promise((resolve) => {
      execFile(process.execPath, [join(ROOT, "scripts/doctor.mjs"), "--deployed", "--folder", folder], {
        env: { ...process.env, CI: "true", KIOKU_WRANGLER: WRANGLER, WRANGLER_ACCOUNT: join(folder, "account.json"), ...env },
      }, (error, stdout, stderr) => {
        const { calls } = JSON.parse(readFileSync(join(folder, "account.json"), "utf8"));
        resolve({ code: error?.code ?? 0, output: stdout + stderr, lines: calls.map(({ line }) => line) });
      });
    });
  }

  test("finds nothing wrong with a whole installation, and changes nothing", async () => {
    const { code, output, lines } = await run();
    assert.equal(code, 0, output);
    assert.match(output, /Nothing is wrong\./);
    assert.match(output, /model answers: 321 ms/);
    for (const line of lines) assert.match(line, /whoami|list|info|status|view/, line);
    assert.deepEqual(seen.find(([method]) => method === "DELETE")?.[1], "/api/threads/t_1", "its thread is gone again");
    assert.ok(seen.filter(([, url]) => url.startsWith("/api")).every(([, , token]) => token === "Bearer kioku_pat_x"));
  });

  const FAULTS = [
    ["no database", () => { account.databases = []; }, /no database kioku[\s\S]*→ npm run deploy/],
    ["a migration that is missing", () => { account.applied = []; }, /not applied: 0001_facts\.sql/],
    ["an index of another length", () => { account.indexes[0].dimensions = 768; }, /takes 768[\s\S]*--index kioku-1024/],
    ["no metadata index", () => { account.indexes[0].metadata = []; }, /no metadata index uid/],
    ["no secret", () => { account.workers.kioku.secrets = {}; }, /SESSION_SECRET is missing/],
    ["another version", () => { account.workers.kioku.message = "Kioku 0.0.1"; }, /0\.0\.1 is deployed/],
    ["nobody signed in", () => { account.loggedIn = false; }, /wrangler login/],
    ["a command that fails", () => { account.faults = [{ match: "^d1 list", times: 1 }]; }, /✗ D1/],
    ["a variable that is missing", () => { answers["/readyz"] = [503, { missing: ["AUTH_MODE", "AI"] }]; }, /AUTH_MODE is missing[\s\S]*AI is missing/],
    ["a model that refuses", () => { frame = { type: "failed", code: "model_refused" }; }, /model_refused[\s\S]*CHAT_MODEL/],
    ["a mirror with an error", () => {
      Object.assign(answers["/api/memory/mirrors"][1].d1, { pending: 3, last_error: "unavailable: x" });
    }, /✗ d1: unavailable/],
    ["a mirror that is far behind", () => { answers["/api/memory/mirrors"][1].vectorize.lag_ms = 3_600_000; }, /3600 s behind/],
    ["memory work that fails", () => {
      answers["/api/memory/mirrors"][1].jobs = [{ kind: "extract", error: "model_garbled" }];
    }, /memory work \(extract\): model_garbled/],
    ["an embedding that doesn't answer", () => { answers["/api/memory/facts"][1].source = "keyword"; }, /✗ embedding/],
    ["a Worker that doesn't run", () => { answers["/healthz"] = [500, {}]; }, /status 500/],
  ];
  for (const [what, breaks, expected] of FAULTS) {
    test(`names ${what}`, async () => {
      breaks();
      const { code, output } = await run();
      assert.equal(code, 1, output);
      assert.match(output, expected);
      assert.match(output, /→ /);
    });
  }

  test("says what it could not look at", async () => {
    const { code, output } = await run({ KIOKU_TOKEN: "" });
    assert.equal(code, 0, output);
    assert.match(output, /- model, embedding and mirrors: not looked at\n +→ .*set KIOKU_TOKEN/);
  });
});
