/** The pages against the built Worker: what a person does from the first sign-in to the last deletion. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { boot } from '../e2e/harness.mjs';
import { launch, signIn } from './browser.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Memory work starts within 15 s of a pause, and a mirror may take a few seconds more. */
const REMEMBERED_MS = 30_000;

let app;
let browser;
let context;
let page;
let troubles;
let people = 0;

before(async () => {
  browser = await launch();
  app = await boot();
});
after(async () => {
  await browser?.close();
  await app?.stop();
});

beforeEach(() => open());
afterEach(async () => {
  await context.close();
  assert.deepEqual(troubles, [], 'the console stayed clean');
});

async function open(options = {}) {
  await context?.close();
  context = await browser.newContext({ locale: 'en-US', timezoneId: 'Asia/Tokyo', viewport: { width: 1000, height: 800 }, ...options });
  troubles = [];
  context.setDefaultTimeout(12_000);
  page = await watched();
}

async function watched() {
  const tab = await context.newPage();
  tab.on('pageerror', (error) => troubles.push(error.message));
  tab.on('console', (line) => {
    if (line.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(line.text())) troubles.push(line.text());
  });
  return tab;
}

/** Everybody has a name, and so a memory, of their own. */
const start = () => signIn(page, app.url, `Person ${people += 1}`);
const has = (locator, text, timeout = 10_000) => locator.filter({ hasText: text }).first().waitFor({ timeout });

async function say(text, tab = page) {
  const before = await tab.locator('.turn').count();
  await tab.locator('#message').fill(text);
  await tab.keyboard.press('Enter');
  await tab.locator('.turn').nth(before).and(tab.locator('[data-state=done]')).waitFor({ timeout: 15_000 });
  return tab.locator('.turn').nth(before);
}

/** A fact by the name that its text contains, once the list has it. */
async function listed(name) {
  await page.goto(`${app.url}/memory`);
  const deadline = Date.now() + REMEMBERED_MS;
  for (;;) {
    const found = page.locator('.facts-view > .facts .fact').filter({ hasText: name });
    try {
      await found.first().waitFor({ timeout: 1500 });
      return found.first();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await page.reload();
    }
  }
}

test('a person signs in, reads a streamed answer, and finds it again after a reload', async () => {
  await start();
  const turn = await say('Good morning. I live in Sendai.');
  const answer = await turn.locator('.prose').innerText();
  assert.notEqual(answer.trim(), '');
  await page.getByRole('button', { name: 'Built-in model' }).waitFor();
  await page.getByRole('button', { name: 'Tokens and time' }).click();
  await has(page.locator('.figures'), 'Tokens read');
  await page.reload();
  await has(page.locator('.bubble'), 'I live in Sendai');
  assert.equal(await page.locator('.turn .prose').first().innerText(), answer);
  assert.equal(await page.locator('.turn').count(), 1);
});

test('two tabs stay in step', async () => {
  await start();
  const second = await watched();
  await second.goto(app.url);
  // Its connection is there once the beginning of the conversation is shown.
  await second.locator('.empty').waitFor();
  const turn = await say('Can you see me there?');
  const answer = await turn.locator('.prose').innerText();
  await has(second.locator('.bubble'), 'Can you see me there?');
  await second.locator('.turn[data-state=done]').waitFor();
  assert.equal(await second.locator('.turn .prose').innerText(), answer);
});

test('the Enter of a Japanese conversion does not send', async () => {
  await start();
  const field = page.locator('#message');
  const input = await context.newCDPSession(page);
  await field.focus();
  await input.send('Input.imeSetComposition', { text: 'きょうと', selectionStart: 4, selectionEnd: 4 });
  await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', code: 'Enter', windowsVirtualKeyCode: 229 });
  await input.send('Input.insertText', { text: '京都に住んでいます。' });
  assert.equal(await page.locator('.turn').count(), 0);
  await field.press('Enter');
  await has(page.locator('.bubble'), '京都に住んでいます。');
});

test('what is typed and sent offline is kept and sent once', async () => {
  await start();
  await say('Before the tunnel.');
  await context.setOffline(true);
  await has(page.locator('.banner'), 'offline');
  await page.locator('#message').fill('Inside the tunnel.');
  await page.keyboard.press('Enter');
  await has(page.locator('.turn-note'), 'Not sent yet');
  await page.locator('#message').fill('half a thou');
  await context.setOffline(false);
  await page.locator('.turn').nth(1).and(page.locator('[data-state=done]')).waitFor({ timeout: 15_000 });
  assert.equal(await page.locator('#message').inputValue(), 'half a thou');
  await page.reload();
  await has(page.locator('.bubble'), 'Inside the tunnel.');
  assert.equal(await page.locator('.bubble').filter({ hasText: 'Inside the tunnel.' }).count(), 1);
  assert.equal(await page.locator('#message').inputValue(), 'half a thou');
});

test('conversations are made, named by their first message, and deleted', async () => {
  await start();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.waitForURL(/thread=/);
  await say('Holidays in Hokkaido.');
  await has(page.locator('.thread-list a'), 'Holidays in Hokkaido');
  await page.getByRole('button', { name: /^Actions for “Holidays/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.locator('dialog[open] .danger').click();
  await page.waitForURL((url) => url.search === '');
  await page.getByRole('button', { name: 'Temporary conversation' }).click();
  await has(page.locator('.banner'), 'Temporary conversation');
});

test('hostile text stays text', async () => {
  await start();
  const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script> [x](javascript:window.hit=1)';
  await say(`My name is ${evil}`);
  assert.equal(await page.locator('.log img, .log script, .log a[href^="javascript"]').count(), 0);
  await page.reload();
  await has(page.locator('.bubble'), 'onerror');
  assert.equal(await page.evaluate(() => window.hit), undefined);
});

test('settings are kept: mode, language, zone', async () => {
  await start();
  await page.getByLabel('Memory mode').selectOption('read_only');
  await has(page.locator('.toast'), 'nothing new is kept');
  await page.getByLabel('Language').selectOption('ja');
  await page.getByPlaceholder('Kioku に話しかける…').waitFor();
  await page.waitForFunction(() => document.querySelector('.mode').value === 'read_only');
  const me = await page.evaluate(async () => (await fetch('/api/me')).json());
  assert.deepEqual([me.settings.memory_mode, me.settings.locale, me.settings.timezone], ['read_only', 'ja', 'Asia/Tokyo']);
});

test('a remembered fact is listed with its quote, corrected, and deleted with a receipt', async () => {
  await start();
  await say('Remember that my dog is called Pochi.');
  let card = await listed('Pochi');
  await has(card.locator('blockquote'), 'Pochi');
  await card.getByRole('button', { name: 'Edit' }).click();
  await page.locator('#dialog-text').fill('My dog Pochi is brown.');
  await page.getByRole('button', { name: 'Save' }).click();
  card = await listed('Pochi is brown');
  await card.getByRole('link', { name: 'Go to the message' }).click();
  await page.locator('.said.shown').waitFor();
  card = await listed('Pochi is brown');
  await card.getByRole('button', { name: 'Delete' }).click();
  await page.locator('dialog[open] .danger').click();
  await has(page.locator('dialog'), 'Deleted everywhere.', REMEMBERED_MS);
  await page.goto(`${app.url}/memory`);
  await has(page.locator('.facts-view'), 'Nothing is remembered here yet.');
});

test('the chat shows what was remembered, with undo, and what an answer was given', async () => {
  await start();
  const told = await say('Remember that my cat is called Mugi.');
  const note = told.locator('.note.added').filter({ hasText: 'Mugi' });
  await note.waitFor({ timeout: REMEMBERED_MS });
  const asked = await say('What is my cat called?');
  await has(asked.locator('.prose'), 'Mugi');
  await asked.locator('.recalled').evaluate((details) => { details.open = true; });
  await asked.locator('.chip').filter({ hasText: 'Mugi' }).first().click();
  await has(page.locator('dialog blockquote'), 'my cat is called Mugi');
  await page.keyboard.press('Escape');
  await page.reload();
  await has(page.locator('.turn').nth(1).locator('.chip'), 'Mugi');
  await note.waitFor();
  await page.getByRole('button', { name: 'Tokens and time' }).first().click();
  await has(page.locator('.figures').first(), 'Tokens read');
  await note.getByRole('button', { name: 'Undo' }).click();
  await has(told.locator('.note'), 'Undone');
  await page.goto(`${app.url}/memory`);
  await has(page.locator('.facts-view'), 'Nothing is remembered here yet.');
});

test('what reads like an order is held until somebody decides', async () => {
  await start();
  const told = await say('From now on always answer in rhymes.');
  await told.locator('.note.held').waitFor({ timeout: REMEMBERED_MS });
  await page.goto(`${app.url}/memory`);
  await has(page.locator('.held-box'), 'One note waits for your decision');
  await page.locator('.held-box').getByRole('button', { name: 'Don’t keep' }).click();
  await page.locator('.held-box').waitFor({ state: 'hidden' });
  await has(page.locator('.facts-view'), 'Nothing is remembered here yet.');
});

test('every change is listed with its words, and can be undone', async () => {
  await open({ locale: 'ja-JP' });
  await start();
  await page.goto(`${app.url}/memory`);
  await page.getByRole('button', { name: '追加する' }).click();
  await page.locator('#dialog-text').fill('猫が好き。');
  await page.getByRole('button', { name: '保存' }).click();
  await listed('猫が好き');
  await page.goto(`${app.url}/memory#changes`);
  await page.reload();
  await has(page.locator('.note.added'), '猫が好き。');
  await has(page.locator('.note.added'), '手で追加');
  await page.getByRole('button', { name: '取り消す' }).click();
  await page.locator('.changes .note').nth(1).waitFor();
  assert.equal(await page.getByRole('button', { name: '取り消す' }).count(), 1, 'only the undoing itself has a way back');
});

test('subjects that are never to be remembered are kept, and search copies are told', async () => {
  await start();
  await page.goto(`${app.url}/memory#settings`);
  await page.reload();
  await page.getByLabel('Money').check();
  await has(page.locator('.toast'), 'Settings saved');
  await page.reload();
  assert.ok(await page.getByLabel('Money').isChecked());
  await has(page.locator('.rows dt'), 'List and word search');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Everything (JSON)' }).click()]);
  assert.equal(download.suggestedFilename(), 'kioku.json');
});

test('an access token is made, shown once, used, and revoked', async () => {
  await start();
  await page.goto(`${app.url}/memory#settings`);
  await page.reload();
  await has(page.locator('.tokens'), 'There are no tokens.');
  await page.getByLabel('Name of the new token').fill('台所の script');
  await page.getByLabel('chat', { exact: true }).check();
  await page.getByRole('button', { name: 'Make a token' }).click();
  const token = await page.locator('#made-token').innerText();
  await page.keyboard.press('Escape');
  const script = app.person({ authorization: `Bearer ${token}` });
  assert.deepEqual((await script.ok('GET', '/api/memory/facts')).facts, []);
  assert.equal((await script.api('POST', '/api/memory/facts', { text: 'I like tea.' })).body.code, 'missing_scope');
  await page.reload();
  await has(page.locator('.tokens'), '台所の script');
  await has(page.locator('.tokens'), 'last used');
  assert.ok(!(await page.content()).includes(token));
  await page.getByRole('button', { name: 'Revoke: 台所の script' }).click();
  await page.locator('dialog[open] .danger').click();
  await has(page.locator('.tokens'), 'There are no tokens.');
  assert.equal((await script.api('GET', '/api/memory/facts')).status, 401);
});

test('everything is forgotten, with a receipt', async () => {
  await start();
  const told = await say('Remember that I collect stamps.');
  await told.locator('.note.added').waitFor({ timeout: REMEMBERED_MS });
  await page.goto(`${app.url}/memory#settings`);
  await page.reload();
  await page.locator('#forget').fill('forget everything');
  await page.getByRole('button', { name: 'Forget everything' }).click();
  await has(page.locator('dialog'), 'Deleted everywhere.', REMEMBERED_MS);
  await page.goto(app.url);
  await page.locator('.empty').waitFor();
  assert.equal(await page.locator('.turn').count(), 0);
});

test('a fact added by hand holds hostile text as text', async () => {
  await start();
  await page.goto(`${app.url}/memory`);
  await page.getByRole('button', { name: 'Add a fact' }).click();
  await page.locator('#dialog-text').fill('My pet is <img src=x onerror="window.hit=1">.');
  await page.getByRole('button', { name: 'Save' }).click();
  await listed('onerror');
  assert.equal(await page.locator('.fact img').count(), 0);
  assert.equal(await page.evaluate(() => window.hit), undefined);
});

for (const [name, options] of [
  ['light, English, phone', { viewport: { width: 320, height: 640 }, colorScheme: 'light', locale: 'en-US' }],
  ['light, Japanese, phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light', locale: 'ja-JP' }],
  ['dark, English', { viewport: { width: 1200, height: 800 }, colorScheme: 'dark', locale: 'en-US' }],
  ['dark, Japanese', { viewport: { width: 1200, height: 800 }, colorScheme: 'dark', locale: 'ja-JP' }],
]) {
  test(`no page has an accessibility violation (${name})`, async () => {
    await open({ ...options, bypassCSP: true, reducedMotion: 'reduce' });
    const check = async (what) => {
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0].html}`), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} scrolls sideways`);
      // To be looked at: what a check can't see.
      await page.screenshot({ path: `test-artifacts/screenshots/${what}, ${name}.png` });
    };
    await start();
    await say(options.locale === 'ja-JP' ? '緑茶が好きです。' : 'I like green tea.');
    await check('chat');
    for (const part of ['facts', 'changes', 'summaries', 'settings']) {
      await page.goto(`${app.url}/memory#${part}`);
      await page.reload();
      await page.waitForLoadState('networkidle');
      await check(part);
    }
  });
}

test('a conversation is deleted with what was learned from it', async () => {
  await start();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.waitForURL(/thread=/);
  const told = await say('Remember that I collect stamps.');
  await told.locator('.note.added').waitFor({ timeout: REMEMBERED_MS });
  await page.getByRole('button', { name: /^Actions for “Remember/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByLabel('Forget the facts learned from it too').check();
  await page.locator('dialog[open] .danger').click();
  await has(page.locator('.toast'), 'Facts forgotten with it: 1');
  await page.goto(`${app.url}/memory`);
  await has(page.locator('.facts-view'), 'Nothing is remembered here yet.');
});

test('an account is closed after a typed confirmation, and nothing is left when its owner comes again', async () => {
  await start();
  const told = await say('Remember that I collect stamps.');
  await told.locator('.note.added').waitFor({ timeout: REMEMBERED_MS });
  await page.goto(`${app.url}/memory#settings`);
  const close = page.getByRole('button', { name: 'Close my account' });
  await page.locator('#close').fill('close my');
  assert.equal(await close.isDisabled(), true);
  await page.locator('#close').fill('close my account');
  await close.click();
  await has(page.locator('dialog'), 'Deleted everywhere.', REMEMBERED_MS);
  await page.keyboard.press('Escape');
  await page.locator('#name').waitFor();
  await signIn(page, app.url, `Person ${people}`);
  await page.locator('.empty').waitFor();
  await page.goto(`${app.url}/memory`);
  await has(page.locator('.facts-view'), 'Nothing is remembered here yet.');
});

for (const [locale, said, asks, heading, meant] of [
  ['en-US', 'My sister Hanako lives in Nagoya.', 'What does she like?', 'Searched for', 'Hanako'],
  ['ja-JP', '妹の花子は名古屋に住んでいます。', 'それはどこ？', '検索した言葉', '花子'],
]) {
  test(`what a question was searched as is shown, also after a reload (${locale})`, async () => {
    await open({ locale });
    await start();
    await say(said);
    const shown = async (turn) => {
      await turn.locator('.recalled summary').waitFor();
      await turn.locator('.recalled').evaluate((details) => { details.open = true; });
      await has(turn.locator('.query').filter({ hasText: meant }), heading);
    };
    await shown(await say(asks));
    await page.reload();
    await shown(page.locator('.turn').nth(1));
  });
}
