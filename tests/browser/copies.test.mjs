/** The memory page while a mirror is down: the user's own last change, and how fresh what is shown is. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, boot } from '../e2e/harness.mjs';
import { launch, signIn } from './browser.mjs';

const TOLD = {
  'en-US': {
    first: 'I was born in Nara.', second: 'I drink tea every morning.', edited: 'I drink coffee every morning.',
    straight: 'straight from your memory', copy: 'from the list copy',
    waits: { d1: 'List and word search: still to do', vectorize: 'Search by meaning: still to do' },
  },
  'ja-JP': {
    first: '奈良で生まれました。', second: '毎朝お茶を飲みます。', edited: '毎朝コーヒーを飲みます。',
    straight: '記憶から直接', copy: '一覧の写しから',
    waits: { d1: '一覧と言葉の検索：処理待ち', vectorize: '意味の検索：処理待ち' },
  },
};

let app;
let browser;
let people = 0;
const known = new Set();

before(async () => {
  browser = await launch();
  app = await boot({ front: join(ROOT, 'tests/e2e/faulty.mjs') });
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

/** Breaks a mirror of whoever came last, or mends it. */
async function fault(owner, mirror, kind) {
  await app.fetch('/faults', { method: 'POST', body: JSON.stringify({ owner, mirror, kind }) });
}

async function newestOwner() {
  const owners = (await (await app.fetch('/faults')).json()).map(([key]) => key.split(' ')[0]);
  const owner = owners.find((it) => !known.has(it));
  known.add(owner);
  return owner;
}

for (const mirror of ['d1', 'vectorize']) {
  for (const [name, options] of [
    ['desktop, light, English', { viewport: { width: 1100, height: 800 }, colorScheme: 'light', locale: 'en-US' }],
    ['phone, dark, Japanese', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'ja-JP' }],
    ['desktop, dark, Japanese', { viewport: { width: 1100, height: 800 }, colorScheme: 'dark', locale: 'ja-JP' }],
    ['phone, light, English', { viewport: { width: 390, height: 844 }, colorScheme: 'light', locale: 'en-US' }],
  ]) {
    test(`with ${mirror} down the page shows one's own last change and how fresh it is (${name})`, async () => {
      const told = TOLD[options.locale];
      const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      await signIn(page, app.url, `Copy ${people += 1}`);
      const owner = await newestOwner();
      const list = page.locator('.facts-view > .facts .fact');
      const view = page.locator('.facts-view');
      const api = (method, path, body) => page.evaluate(async ([way, to, sent]) => (await fetch(to, {
        method: way, ...(sent ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) } : {}),
      })).json(), [method, path, body]);
      const until = async (holds) => {
        for (let left = 150; left > 0 && !await holds(); left -= 1) await page.waitForTimeout(200);
      };
      const synced = (store) => until(async () =>
        (await api('GET', '/api/memory/facts?status=all')).facts.every((fact) => fact.mirrors[store] === 'synced'));
      await api('POST', '/api/memory/facts', { text: told.first });
      await synced('d1');
      await synced('vectorize');

      await fault(owner, mirror, 'down');
      const { id } = await api('POST', '/api/memory/facts', { text: told.second });
      await api('PATCH', `/api/memory/facts/${id}`, { text: told.edited });
      await page.goto(`${app.url}/memory`);
      await list.filter({ hasText: told.edited }).waitFor();
      assert.equal(await list.filter({ hasText: told.second }).count(), 0, 'the text of before');
      await list.filter({ hasText: told.first }).waitFor();
      if (mirror === 'd1') await view.getByText(told.straight).first().waitFor();
      await list.filter({ hasText: told.edited }).getByText(told.waits[mirror]).waitFor();
      await page.screenshot({ path: `test-artifacts/screenshots/${mirror} down, ${name}.png`, fullPage: true });

      // Search goes on as well, by words and by meaning.
      for (const match of ['keyword', 'semantic', 'hybrid']) {
        const found = await api('GET', `/api/memory/facts?match=${match}&q=${encodeURIComponent(told.edited)}`);
        assert.ok(found.facts.some((fact) => fact.text === told.edited), `${match}: ${JSON.stringify(found)}`);
      }
      await fault(owner, mirror, null);
      await api('POST', '/api/memory/mirrors/reconcile');
      await synced(mirror);
      await page.reload();
      await list.filter({ hasText: told.edited }).waitFor();
      await view.getByText(told.copy).first().waitFor();
      await context.close();
    });
  }
}
