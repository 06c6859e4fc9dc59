/**
 * Tokens of Cloudflare Access and of an OpenID provider, against the runtime's own cryptography: keys made here, a key
 * set served by the test. Which token is believed, whose memory it opens, and what a token costs that isn't.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { boot } from "./harness.mjs";
import { encode, makeKey, token } from "./keys.mjs";

const AUDIENCE = "kioku-audience";
const seconds = () => Math.floor(Date.now() / 1000);

const MODES = {
  access: {
    issuer: "https://acme.cloudflareaccess.com",
    variables: { AUTH_MODE: "access", ACCESS_TEAM_DOMAIN: "acme", ACCESS_AUD: AUDIENCE },
    keys: "https://acme.cloudflareaccess.com/cdn-cgi/access/certs",
    show: (jwt) => ({ "cf-access-jwt-assertion": jwt }),
  },
  oidc: {
    issuer: "https://id.example",
    variables: { AUTH_MODE: "oidc", OIDC_ISSUER: "https://id.example", OIDC_AUDIENCE: AUDIENCE },
    keys: "https://id.example/keys",
    show: (jwt) => ({ authorization: `Bearer ${jwt}` }),
  },
};

for (const [mode, { issuer, variables, keys: keysUrl, show }] of Object.entries(MODES)) {
  describe(`tokens of ${mode}`, () => {
    const published = [];
    let fetches = 0;
    let down = false;
    let app;
    let rsa;
    let ec;
    let stranger;
    let weak;

    const claims = (more = {}) => ({
      iss: issuer, aud: [AUDIENCE], sub: "user-1", email: "hana@example.com",
      iat: seconds() - 5, nbf: seconds() - 5, exp: seconds() + 300, ...more,
    });
    const me = (jwt, headers = show(jwt)) => app.person(headers).api("GET", "/api/me");

    function outside(request) {
      if (!request.url.startsWith("https://")) return undefined;
      if (down) return new Response("down", { status: 500 });
      if (request.url === keysUrl) {
        fetches += 1;
        return Response.json({ keys: published });
      }
      if (request.url === `${issuer}/.well-known/openid-configuration`) {
        return Response.json({
          issuer, jwks_uri: keysUrl, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`,
        });
      }
      return new Response("nothing here", { status: 404 });
    }

    before(async () => {
      rsa = await makeKey("RS256", "rsa-1");
      ec = await makeKey("ES256", "ec-1");
      stranger = await makeKey("RS256", "rsa-1");
      weak = await makeKey("RS256_1024", "weak-1");
      published.push(rsa.jwk, ec.jwk, weak.jwk, { kty: "oct", kid: "shared", k: encode("secret") });
      app = await boot({ variables, outside });
    });
    after(() => app.stop());

    test("good ones name their user, by both algorithms", async () => {
      for (const [what, jwt] of [
        ["RS256", await token(rsa, claims())],
        ["ES256", await token(ec, claims())],
        ["one audience", await token(rsa, claims({ aud: AUDIENCE }))],
        ["several audiences", await token(rsa, claims({ aud: ["other", AUDIENCE] }))],
        ["no type", await token(rsa, claims(), { typ: undefined })],
        ["an access token's type", await token(rsa, claims(), { typ: "at+jwt" })],
        ["just expired, within the clocks' difference", await token(rsa, claims({ exp: seconds() - 20 }))],
        ["issued by a clock that is ahead", await token(rsa, claims({ iat: seconds() + 20, nbf: seconds() + 20 }))],
        ["fractions of a second", await token(rsa, claims({ exp: seconds() + 30.5 }))],
        ["keys brought along are not looked at", await token(rsa, claims(), { jwk: stranger.jwk, jku: "https://evil.example" })],
      ]) {
        const { status, body } = await me(jwt);
        assert.deepEqual([status, body.user?.name], [200, "hana@example.com"], what);
      }
    });

    test("every other one is refused, with the same words", async () => {
      const good = await token(rsa, claims());
      const [header, payload, signature] = good.split(".");
      const hmac = (alg) => {
        const signed = `${encode({ alg, kid: "rsa-1", typ: "JWT" })}.${payload}`;
        return `${signed}.${createHmac("sha256", Buffer.from(rsa.publicKey)).update(signed).digest("base64url")}`;
      };
      const none = (alg) => `${encode({ alg, typ: "JWT" })}.${payload}.`;
      const text = JSON.stringify(claims());
      const rs512 = await makeKey("RS512", "rsa-1");
      const bad = {
        "expired": await token(rsa, claims({ exp: seconds() - 120 })),
        "no end": await token(rsa, claims({ exp: undefined })),
        "an end that is text": await token(rsa, claims({ exp: String(seconds() + 300) })),
        "not valid yet": await token(rsa, claims({ nbf: seconds() + 300 })),
        "issued in the future": await token(rsa, claims({ iat: seconds() + 300 })),
        "another audience": await token(rsa, claims({ aud: ["other"] })),
        "no audience": await token(rsa, claims({ aud: undefined })),
        "part of the audience": await token(rsa, claims({ aud: AUDIENCE.slice(0, -1) })),
        "another issuer": await token(rsa, claims({ iss: "https://evil.example" })),
        "the issuer with a slash": await token(rsa, claims({ iss: `${issuer}/` })),
        "no issuer": await token(rsa, claims({ iss: undefined })),
        "no subject": await token(rsa, claims({ sub: undefined })),
        "an empty subject": await token(rsa, claims({ sub: "" })),
        "a subject that is a number": await token(rsa, claims({ sub: 7 })),
        "a subject without end": await token(rsa, claims({ sub: "x".repeat(2000) })),
        "a stranger's key of the same name": await token(stranger, claims()),
        "a key too short": await token(weak, claims()),
        "another kind of key": await token(ec, claims(), { kid: "rsa-1" }),
        "the other kind's algorithm": await token(ec, claims(), { alg: "RS256" }),
        "an unpinned algorithm": await token(rs512, claims(), { alg: "RS512" }),
        "none": none("none"), "None": none("None"), "NONE": none("NONE"),
        "the public key as a shared secret": hmac("HS256"),
        "HMAC that calls itself RS256": hmac("RS256"),
        "no algorithm": await token(rsa, claims(), { alg: undefined }),
        "an unknown key": await token(rsa, claims(), { kid: "nobody" }),
        "no key's name among several": await token(stranger, claims(), { kid: undefined }),
        "a key's name that is a number": await token(rsa, claims(), { kid: 1 }),
        "an extension that must be understood": await token(rsa, claims(), { crit: ["x"], x: 1 }),
        "a notice of sign-out": await token(rsa, claims(), { typ: "logout+jwt" }),
        "the signature cut": good.slice(0, -4),
        "no signature": `${header}.${payload}.`,
        "two parts": `${header}.${payload}`,
        "four parts": `${good}.${signature}`,
        "another payload": `${header}.${encode(claims({ sub: "user-2" }))}.${signature}`,
        "a byte of the signature changed": `${header}.${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
        "a padded signature": `${good}==`,
        "the subject twice": await token(rsa, `${text.slice(0, -1)},"sub":"user-2"}`),
        "the subject twice, once in disguise": await token(rsa, `${text.slice(0, -1)},"\\u0073ub":"user-2"}`),
        "the algorithm twice": await token(rsa, claims(), '{"alg":"none","alg":"RS256","kid":"rsa-1"}'),
        "claims that are no object": await token(rsa, "[]"),
        "claims that are no JSON": await token(rsa, "{"),
        "oversized": await token(rsa, claims({ filler: "x".repeat(13_000) })),
        "nothing": "",
        "words": "let me in",
        "dots": "..",
      };
      for (const [what, jwt] of Object.entries(bad)) {
        const { status, body } = await me(jwt);
        assert.deepEqual([status, body.code], [401, "unauthenticated"], what);
        assert.equal(body.detail, "Sign in, or send a personal access token as a bearer token.", what);
      }
    });

    test("subjects are taken letter by letter, and their memories are apart", async () => {
      const subjects = ["user-1", "User-1", "user-1 ", "桜", "é", "e\u0301", "👩‍👩‍👧", "a\u0000b", "{}", "../user-1", "user-1\u200b"];
      for (const [at, sub] of subjects.entries()) {
        const person = app.person(show(await token(ec, claims({ sub }))));
        const before = await person.ok("GET", "/api/memory/facts");
        assert.deepEqual(before.facts, [], JSON.stringify(sub));
        await person.ok("POST", "/api/memory/facts", { text: `I am number ${at}.`, kind: "identity" });
      }
      const [first] = (await app.person(show(await token(rsa, claims()))).ok("GET", "/api/memory/facts")).facts;
      assert.equal(first.text, "I am number 0.");
    });

    test("the socket opens by the same token, and only from our own page where the browser adds it", async () => {
      const headers = show(await token(rsa, claims()));
      const tab = await app.person(headers).chat();
      assert.equal((await tab.say("こんにちは")).end.type, "done");
      const elsewhere = app.person(headers).connect({ origin: "https://evil.example" });
      if (mode === "access") await assert.rejects(elsewhere, { status: 403 });
      else (await elsewhere).close();
    });

    test("names of keys that are made up cause no fetches", async () => {
      const before = fetches;
      for (let i = 0; i < 20; i += 1) {
        assert.equal((await me(await token(rsa, claims(), { kid: `made-up-${i}` }))).status, 401);
      }
      assert.ok(fetches <= before + 1, `${fetches - before} fetches for made-up keys`);
      assert.ok(fetches <= 3, "the key set was kept");
    });

    if (mode === "access") {
      test("the cookie serves where no header is, and the header wins", async () => {
        const jwt = await token(rsa, claims());
        assert.equal((await me(jwt, { cookie: `a=b; CF_Authorization=${jwt}` })).status, 200);
        assert.equal((await me(jwt, { cookie: `CF_Authorization=${jwt}`, "cf-access-jwt-assertion": "forged" })).status, 401);
        assert.equal((await me(jwt, { cookie: `CF_Authorization=${jwt}; CF_Authorization=${jwt}` })).status, 401);
      });
    }

    test("a change by a credential that browsers add needs our own page", async () => {
      const jwt = await token(rsa, claims());
      const change = (headers) => app.fetch("/api/threads", {
        method: "POST", headers: { ...headers, "content-type": "application/json" }, body: "{}",
      });
      const ambient = mode === "access";
      assert.equal((await change({ ...show(jwt), origin: "https://evil.example" })).status, ambient ? 403 : 201);
      assert.equal((await change({ ...show(jwt), "sec-fetch-site": "cross-site" })).status, ambient ? 403 : 201);
      assert.equal((await change({ ...show(jwt), origin: app.url })).status, 201);
    });

    test("there is no signing in by name, and no session of another mode counts", async () => {
      const answer = await app.fetch("/auth/local", {
        method: "POST", headers: { "content-type": "application/json", origin: app.url }, body: JSON.stringify({ name: "Hana" }),
      });
      assert.equal(answer.status, 404);
      const local = await boot();
      const { cookie } = await local.signIn("Hana");
      await local.stop();
      assert.equal((await app.person({ cookie }).api("GET", "/api/me")).status, 401);
    });

    test("an issuer that can't be reached is a temporary refusal", async () => {
      down = true;
      await app.restart();
      const { status, body } = await me(await token(rsa, claims()));
      assert.deepEqual([status, body.code], [503, "unavailable"]);
      down = false;
    });
  });
}
