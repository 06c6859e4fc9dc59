/** What the Worker refuses before anybody is asked who they are, and the rules that it gives to browsers. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { SECRET, boot } from "./harness.mjs";
import { makeKey, token } from "./keys.mjs";

const code = async (response) => [response.status, (await response.json()).code];

describe("an unfinished installation", () => {
  test("says at once everything that is missing, and is otherwise alive", async () => {
    const app = await boot({ variables: { AUTH_MODE: "", SESSION_SECRET: "short", MODEL_PROVIDER: "openai" } });
    try {
      const answer = await app.fetch("/api/me");
      const { code, detail } = await answer.json();
      assert.deepEqual([answer.status, code], [503, "misconfigured"]);
      for (const name of ["AUTH_MODE", "SESSION_SECRET", "MODEL_BASE_URL", "CHAT_MODEL"]) assert.ok(detail.includes(name), `${name}: ${detail}`);
      assert.ok(!detail.includes("short"));
      assert.equal((await app.fetch("/healthz")).status, 200);
    } finally {
      await app.stop();
    }
  });

  test("names the bindings too", async () => {
    const app = await boot({ without: ["DB"], variables: { MODEL_PROVIDER: "workers-ai" } });
    try {
      const answer = await app.fetch("/api/me");
      assert.equal(answer.status, 503);
      assert.match((await answer.json()).detail, /DB.*AI/);
    } finally {
      await app.stop();
    }
  });
});

describe("local sign-in", () => {
  let app;
  before(async () => { app = await boot(); });
  after(() => app.stop());

  test("is for this machine alone, whatever host is asked for", async () => {
    const signIn = (url, headers = {}) => app.mf.dispatchFetch(`${url}/auth/local`, {
      method: "POST", headers: { "content-type": "application/json", origin: url, ...headers }, body: '{"name":"Mal"}',
    });
    assert.equal((await signIn("http://localhost")).status, 200);
    for (const url of ["https://kioku.example", "http://localhost.evil.example", "http://192.168.0.7:8787", "http://127.0.0.1.nip.io"]) {
      assert.deepEqual(await code(await signIn(url)), [403, "local_only"], url);
    }
    for (const address of ["192.168.0.7", "2001:db8::1", "::ffff:10.0.0.1"]) {
      assert.deepEqual(await code(await signIn("http://localhost", { "cf-connecting-ip": address })), [403, "local_only"], address);
    }
  });

  test("a session is renewed after half its time, and one that ended isn't", async () => {
    const session = (iat) => {
      const day = 24 * 3600 * 1000;
      const payload = Buffer.from(JSON.stringify({ v: 1, iss: "local", sub: "Hana", name: "Hana", iat, exp: iat + 30 * day })).toString("base64url");
      const key = createHmac("sha256", SECRET).update("kioku session cookie v1").digest();
      return `kioku_session=${payload}.${createHmac("sha256", key).update(payload).digest("base64url")}`;
    };
    const me = (cookie) => app.fetch("/api/me", { headers: { cookie } });
    const days = (count) => Date.now() - count * 24 * 3600 * 1000;
    assert.deepEqual((await me(session(days(14)))).headers.getSetCookie(), []);
    const old = await me(session(days(16)));
    assert.equal(old.status, 200);
    const [renewed] = old.headers.getSetCookie();
    assert.match(renewed, /^kioku_session=.+HttpOnly; SameSite=Lax/);
    assert.equal((await me(session(days(31)))).status, 401);
    const ended = await app.person({ cookie: session(days(16)) }).api("POST", "/auth/logout?everywhere=true");
    assert.equal(ended.status, 204);
    assert.match(ended.headers.getSetCookie().at(-1), /^kioku_session=;.*Max-Age=0/);
    const after = await me(session(days(16)));
    assert.deepEqual([after.status, after.headers.getSetCookie()], [401, []], "and isn't renewed either");
    assert.equal((await me(renewed.split(";")[0])).status, 401);
  });

  test("the pages run our own script alone, are framed by nobody and tell nobody where one was", async () => {
    for (const path of ["/", "/memory"]) {
      const { headers, status } = await app.fetch(path);
      assert.equal(status, 200);
      const policy = Object.fromEntries(headers.get("content-security-policy").split(";").map((rule) => {
        const [name, ...values] = rule.trim().split(" ");
        return [name, values.join(" ")];
      }));
      assert.deepEqual([policy["default-src"], policy["script-src"], policy["style-src"]], ["'none'", "'self'", "'self'"]);
      assert.deepEqual([policy["connect-src"], policy["form-action"], policy["frame-ancestors"], policy["base-uri"]],
        ["'self'", "'self'", "'none'", "'none'"]);
      assert.equal(policy["require-trusted-types-for"], "'script'");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.match(headers.get("strict-transport-security"), /^max-age=\d{8}/);
    }
  });
});

describe("off loopback", () => {
  test("every answer asks for TLS from then on, and cookies travel on it alone", async () => {
    const key = await makeKey("ES256", "k");
    const app = await boot({
      variables: { AUTH_MODE: "access", ACCESS_TEAM_DOMAIN: "acme", ACCESS_AUD: "a" },
      outside: (request) => (request.url.includes("/certs") ? Response.json({ keys: [key.jwk] }) : undefined),
    });
    try {
      const now = Math.floor(Date.now() / 1000);
      const jwt = await token(key, { iss: "https://acme.cloudflareaccess.com", aud: "a", sub: "u", iat: now, exp: now + 60 });
      const get = (path, headers) => app.mf.dispatchFetch(`https://kioku.example${path}`, { headers });
      for (const [path, headers, status] of [
        ["/api/me", { "cf-access-jwt-assertion": jwt }, 200], ["/api/me", {}, 401], ["/api/threads/none/messages", { "cf-access-jwt-assertion": jwt }, 404],
      ]) {
        const answer = await get(path, headers);
        assert.equal(answer.status, status);
        assert.equal(answer.headers.get("strict-transport-security"), "max-age=63072000", path);
        assert.equal(answer.headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
      }
      const out = await app.mf.dispatchFetch("https://kioku.example/auth/logout", { method: "POST", headers: { origin: "https://kioku.example" } });
      assert.match(out.headers.get("set-cookie"), /; Secure/);
    } finally {
      await app.stop();
    }
  });
});

describe("the site's switch", () => {
  const until = new Date(Date.now() + 3600_000).toISOString();

  test("off: nothing that needs an identity is answered, and when it will be", async () => {
    const app = await boot({ variables: { SITE_SWITCH: "off", SITE_SWITCH_UNTIL: until } });
    try {
      const answer = await app.fetch("/api/me");
      const body = await answer.json();
      assert.deepEqual([answer.status, body.code, new Date(body.until).toISOString()], [503, "switched_off", until]);
      assert.ok(Number(answer.headers.get("retry-after")) > 3000);
      assert.equal((await app.fetch("/healthz")).status, 200);
      assert.equal((await app.fetch("/")).status, 200);
    } finally {
      await app.stop();
    }
  });

  test("no_model: nobody chats, everybody reads and deletes", async () => {
    const app = await boot({ variables: { SITE_SWITCH: "no_model" } });
    try {
      const hana = await app.signIn();
      const tab = await hana.chat();
      tab.write({ type: "send", id: "a", text: "hello" });
      assert.deepEqual([(await tab.frame("error")).code, (await tab.frame("error")).id], ["switched_off", "a"]);
      const fact = await hana.ok("POST", "/api/memory/facts", { text: "I like tea." });
      await hana.ok("DELETE", `/api/memory/facts/${fact.id}`);
    } finally {
      await app.stop();
    }
  });
});

describe("limits", () => {
  let app;
  before(async () => { app = await boot({ variables: { REQUESTS_PER_MINUTE: "12", CONNECTIONS_MAX: "1" } }); });
  after(() => app.stop());

  test("what is too much is refused by its announced length, and by its real one", async () => {
    const hana = await app.signIn("Big");
    const big = JSON.stringify({ text: "x".repeat(3_000_000) });
    const { status, body } = await hana.api("POST", "/api/memory/facts", big);
    assert.deepEqual([status, body.code], [413, "too_large"]);
    const streamed = await app.fetch("/api/memory/facts", {
      method: "POST", duplex: "half", headers: { cookie: hana.cookie, origin: app.url },
      body: new ReadableStream({ pull(c) { c.enqueue(Buffer.alloc(1 << 19, 0x20)); this.n = (this.n ?? 0) + 1; if (this.n > 4) c.close(); } }),
    });
    assert.equal(streamed.status, 413);
  });

  test("a minute and the open windows are bounded for each user by themselves", async () => {
    const [hana, ken] = [await app.signIn("Hana"), await app.signIn("Ken")];
    await hana.chat();
    const second = await hana.connect().catch((error) => error);
    assert.deepEqual([second.status, JSON.parse(second.body).code], [429, "too_many_connections"]);
    let refused;
    for (let i = 0; i < 40 && !refused; i += 1) {
      const answer = await hana.api("GET", "/api/threads");
      if (answer.status === 429) refused = answer;
    }
    assert.equal(refused.body.code, "too_many_requests");
    const wait = new Date(refused.body.until) - Date.now();
    assert.ok(wait > -1000 && wait <= 60_000 && Number(refused.headers.get("retry-after")) <= 60);
    assert.equal((await ken.api("GET", "/api/me")).body.usage.connections, 0);
  });
});
