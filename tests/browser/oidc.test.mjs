/** Signing in with a real OpenID provider, in a real browser, from the first click to the last session's end. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import Provider from 'oidc-provider';
import { boot } from '../e2e/harness.mjs';
import { launch } from './browser.mjs';

const CLIENT = 'kioku-web';
const SECRET = 'a client secret, only used in tests';

let provider;
let app;
let browser;
let context;
let page;

before(async () => {
  browser = await launch();
  provider = await startProvider();
  app = await boot({ variables: {
    AUTH_MODE: 'oidc', OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: 'kioku-api', OIDC_CLIENT_ID: CLIENT, OIDC_CLIENT_SECRET: SECRET,
  } });
  provider.allow(`${app.url}/auth/callback`);
});
after(async () => {
  await browser?.close();
  await app?.stop();
  await provider?.stop();
});
beforeEach(() => open());
afterEach(() => context.close());

async function open() {
  context = await browser.newContext({ locale: 'en-US', viewport: { width: 1000, height: 800 } });
  context.setDefaultTimeout(15_000);
  // The provider's page asks for fonts that nobody here needs.
  await context.route(/fonts\.googleapis/, (route) => route.abort());
  page = await context.newPage();
}

/** A provider with its own sign-in page, where any name and password will do. */
async function startProvider() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const redirects = ['http://127.0.0.1/not-known-yet'];
  const oidc = new Provider(issuer, {
    clients: [{
      client_id: CLIENT, client_secret: SECRET, redirect_uris: redirects, grant_types: ['authorization_code'],
      response_types: ['code'], token_endpoint_auth_method: 'client_secret_basic',
    }],
    clientBasedCORS: () => false,
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@example.com` }) }),
    cookies: { keys: ['only used in tests'] },
    features: { devInteractions: { enabled: true } },
    ttl: { AccessToken: 600, IdToken: 600, Session: 600, Grant: 600, Interaction: 600 },
  });
  // The address of what is tested is known only once that runs, and it has to know the provider's.
  const { Client } = oidc;
  const find = Client.find.bind(Client);
  Client.find = async (id) => {
    const client = await find(id);
    if (client) client.redirectUris = redirects;
    return client;
  };
  server.on('request', oidc.callback());
  return {
    issuer,
    allow: (address) => redirects.push(address),
    stop: () => new Promise((done) => {
      server.closeAllConnections();
      server.close(done);
    }),
  };
}

/** Clicks through to the provider and signs in there. */
async function signIn(name, path = '/') {
  await page.goto(app.url + path);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  // The provider asks whether Kioku may know who it is.
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a person signs in, chats, comes back, and is signed out everywhere', async () => {
  await signIn('hana');
  await page.locator('#message').waitFor();
  assert.equal(new URL(page.url()).origin, app.url);
  await page.locator('#message').fill('Remember that my dog is called Pochi.');
  await page.keyboard.press('Enter');
  await page.locator('.turn[data-state=done]').waitFor();
  await page.reload();
  await page.locator('.bubble').filter({ hasText: 'Pochi' }).waitFor();

  // A host's cookies are shared by its ports, so the provider's are here too.
  const cookies = (await context.cookies(app.url)).filter(({ name }) => name.startsWith('kioku'));
  assert.deepEqual(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]), [['kioku_session', true, 'Lax']]);
  const me = await page.evaluate(async () => (await fetch('/api/me')).json());
  assert.deepEqual([me.user.name, me.sign_in], ['hana@example.com', '/auth/login']);

  // Another device of the same person.
  const other = app.person({ cookie: `kioku_session=${cookies[0].value}` });
  const tab = await other.chat();
  await page.goto(`${app.url}/memory#settings`);
  await page.reload();
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  assert.equal((await tab.closed).code, 4401);
  assert.equal((await other.api('GET', '/api/me')).status, 401, 'the cookie that was copied before is worth nothing');
});

test('whoever signs in is somebody of their own, and comes back to the page that was left', async () => {
  await signIn('ken', '/memory');
  await page.waitForURL(`${app.url}/memory`);
  await page.locator('.facts-view').filter({ hasText: 'Nothing is remembered here yet.' }).waitFor();
});

test('a sign-in that is refused, made up or replayed signs nobody in, and the page says so', async () => {
  await page.goto(app.url);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.locator('.trouble').filter({ hasText: 'refused' }).waitFor();
  for (const query of ['?code=x&state=y', '', '?error=access_denied&state=z', `?code=${'x'.repeat(5000)}`]) {
    await page.goto(`${app.url}/auth/callback${query}`);
    await page.locator('.trouble').filter({ hasText: 'try again' }).waitFor();
  }
  assert.deepEqual((await context.cookies(app.url)).filter(({ name }) => name === 'kioku_session'), []);

  // The answer to one browser is no use in another, nor a second time.
  let stolen = '';
  page.on('request', (request) => {
    if (request.url().includes('/auth/callback')) stolen = request.url();
  });
  await signIn('mai');
  await page.locator('#message').waitFor();
  assert.match(stolen, /code=/);
  const thief = await app.fetch(stolen.slice(app.url.length));
  assert.equal(thief.headers.get('location'), '/?sign_in=expired');
  await page.goto(stolen);
  await page.waitForURL(`${app.url}/?sign_in=expired`);
  assert.ok(!thief.headers.getSetCookie().some((line) => line.startsWith('kioku_session=') && !line.includes('Max-Age=0')));
});
