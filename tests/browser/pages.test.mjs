/** The pages against a server of Node: the states that a real one can hardly be brought into. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { launch, signIn } from './browser.mjs';
import { fact, startFake } from './fake-server.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
let fake;
let context;
let page;
let troubles;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

beforeEach(async () => {
  fake = await startFake();
  await open();
});
afterEach(async () => {
  await context.close();
  await fake.close();
  assert.deepEqual(troubles, [], 'the console stayed clean');
  assert.deepEqual(fake.world.strange, [], 'every frame sent has a golden form');
});

async function open(options = {}) {
  await context?.close();
  context = await browser.newContext({ locale: 'en-US', viewport: { width: 1000, height: 800 }, ...options });
  troubles = [];
  page = await watched();
}

/** A tab whose errors, and refusals by the Content-Security-Policy, fail the test. */
async function watched() {
  const tab = await context.newPage();
  tab.on('pageerror', (error) => troubles.push(error.message));
  tab.on('console', (line) => {
    if (line.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(line.text())) troubles.push(line.text());
  });
  tab.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return tab;
}

const start = () => signIn(page, fake.url, 'Aoi');
const say = async (text, tab = page) => {
  await tab.locator('#message').fill(text);
  await tab.keyboard.press('Enter');
};
const answer = (tab = page) => tab.locator('.answer:visible').last();
const has = (locator, text) => locator.filter({ hasText: text }).first().waitFor({ timeout: 5000 });

describe('chat', () => {
  test('somebody signs in, asks, and reads the answer; a reload finds it again', async () => {
    await start();
    await say('Good morning');
    await has(answer(), 'Hello.');
    await page.reload();
    await has(page.locator('.bubble'), 'Good morning');
    await has(answer(), 'Hello.');
  });

  test('a storage that is full costs only what it would have kept', async () => {
    await context.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await start();
    await page.locator('#message').fill('a draft that nothing keeps');
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.waitForURL(/thread=/);
    await say('Good morning');
    await has(answer(), 'Hello.');
  });

  test('a second tab shows the message and the streaming answer', async () => {
    await start();
    const second = await watched();
    await second.goto(fake.url);
    await second.locator('#message').waitFor();
    fake.world.plan.reply = 'Seen in both tabs.';
    await say('One question');
    await has(second.locator('.bubble'), 'One question');
    await has(answer(second), 'Seen in both tabs.');
    assert.equal(await second.locator('.turn').count(), 1);
  });

  test('the Enter that ends a conversion does not send; the next one does', async () => {
    await start();
    const field = page.locator('#message');
    await field.fill('京都');
    for (const init of [{ isComposing: true, keyCode: 13 }, { isComposing: false, keyCode: 229 }]) {
      await field.evaluate((element, it) => element.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...it })), init);
    }
    // The browser's own composition, as an input method drives it.
    const input = await context.newCDPSession(page);
    await field.focus();
    await input.send('Input.imeSetComposition', { text: 'にすむ', selectionStart: 3, selectionEnd: 3 });
    await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', windowsVirtualKeyCode: 229 });
    await input.send('Input.insertText', { text: 'に住む' });
    assert.equal(fake.world.sends.length, 0);
    assert.equal(await field.inputValue(), '京都に住む');
    await field.press('Shift+Enter');
    assert.equal(fake.world.sends.length, 0);
    await field.press('Enter');
    await has(answer(), 'Hello.');
    assert.equal(fake.world.sends[0].text.trim(), '京都に住む');
  });

  test('nothing is lost or doubled when the acceptance is lost', async () => {
    await start();
    fake.world.plan.loseAccepted = 1;
    await say('Only once');
    await has(answer(), 'Hello.');
    await page.waitForFunction(() => !localStorage.getItem('kioku.outbox.Aoi'));
    assert.ok(fake.world.sends.length >= 2, 'it was sent again');
    assert.equal(new Set(fake.world.sends.map(({ id }) => id)).size, 1);
    assert.equal(await page.locator('.bubble').count(), 1);
    assert.equal(await page.locator('.answer:visible').count(), 1);
  });

  test('a connection cut in the middle of an answer goes on without a hole', async () => {
    await start();
    Object.assign(fake.world.plan, { reply: 'One two three four five six seven eight nine ten.', cutAfter: 2, pace: 60 });
    await say('Count');
    await has(answer(), 'ten.');
    assert.equal((await answer().locator('.prose').innerText()).trim(), fake.world.plan.reply);
  });

  test('a lost delta is asked for', async () => {
    await start();
    Object.assign(fake.world.plan, { reply: 'One two three four five six seven eight nine ten.', skip: 2, pace: 20 });
    await say('Count');
    await has(answer(), 'ten.');
    await page.waitForFunction((text) => document.querySelector('.prose').innerText.trim() === text, fake.world.plan.reply);
    assert.ok(fake.world.resumes.some(({ after: seq }) => seq === 1));
  });

  test('what is typed and sent while offline is kept, and sent once when back', async () => {
    await start();
    await context.setOffline(true);
    await has(page.locator('.banner'), 'offline');
    await say('Written on a train');
    await has(page.locator('.turn-note'), 'Not sent yet');
    await page.locator('#message').fill('half a thou');
    assert.equal(fake.world.sends.length, 0);
    await context.setOffline(false);
    await has(answer(), 'Hello.');
    assert.equal(await page.locator('#message').inputValue(), 'half a thou');
    assert.equal(fake.world.sends.length, 1);
    await page.reload();
    await page.locator('.turn').waitFor();
    assert.equal(await page.locator('#message').inputValue(), 'half a thou');
  });

  test('stop ends an answer, and a failed one can be tried again', async () => {
    await start();
    Object.assign(fake.world.plan, { reply: 'word '.repeat(400), pace: 20 });
    await say('Tell me everything');
    await has(answer(), 'word');
    await page.getByRole('button', { name: 'Stop the answer' }).click();
    await has(page.locator('.turn-note'), 'Stopped');
    Object.assign(fake.world.plan, { reply: 'A whole answer at last.', fail: { code: 'model_stalled' }, pace: 5 });
    await say('Again');
    await has(page.locator('.turn-note'), 'the model stopped answering');
    await page.getByRole('button', { name: 'Try again' }).last().click();
    await has(answer(), 'A whole answer at last.');
  });

  test('a refused message keeps its text and can go back to the editor', async () => {
    await start();
    fake.world.plan.refuse = 'queue_full';
    await say('Too many');
    await has(page.locator('.turn-note'), 'too many messages are waiting');
    await page.getByRole('button', { name: 'Back to the editor' }).click();
    assert.equal(await page.locator('#message').inputValue(), 'Too many');
    assert.equal(await page.locator('.bubble').count(), 0);
  });

  test('hostile text in messages, answers and facts stays text', async () => {
    const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>[x](javascript:window.hit=1) ![p](https://example.org/p.png)';
    fake.world.facts = [fact(evil)];
    fake.world.plan.reply = evil;
    fake.world.plan.recalled = { query: { original: evil, searched: `${evil}!` }, facts: [{ id: fake.world.facts[0].id, text: evil }], passages: [] };
    const outside = [];
    page.on('request', (request) => !request.url().startsWith(fake.url) && outside.push(request.url()));
    await start();
    await say(evil);
    await page.locator('.recalled .chip').click();
    await page.locator('dialog').waitFor();
    assert.equal(await page.locator('.log img, .log script, dialog img, .answer a[href^="javascript"]').count(), 0);
    await page.goto(`${fake.url}/memory`);
    await has(page.locator('.fact'), 'onerror');
    assert.equal(await page.locator('.fact img, .fact script').count(), 0);
    assert.equal(await page.evaluate(() => window.hit), undefined);
    assert.deepEqual(outside.filter((url) => !url.startsWith('data:')), []);
  });

  test('links of an answer open elsewhere and tell nothing', async () => {
    fake.world.plan.reply = 'See [this](https://example.org/a).\n\n```js\nlet a = 1;\n```';
    await start();
    await say('Link?');
    const link = page.locator('.answer a');
    await link.waitFor();
    assert.deepEqual(await link.evaluate((a) => [a.rel, a.target]), ['noopener noreferrer', '_blank']);
    await has(page.locator('.code button'), 'Copy code');
  });

  test('memories that were used, and what was remembered, are shown and can be undone', async () => {
    fake.world.facts = [fact('Lives in Kyoto.', { source: { message: 'm_1', thread: 'main', quote: 'I live in Kyoto', said_at: '2026-11-01T00:00:00Z' } })];
    fake.world.plan.recalled = {
      query: { original: 'And there?', searched: 'Kyoto weather' }, facts: [{ id: fake.world.facts[0].id, text: 'Lives in Kyoto.', score: 1 }],
      passages: [{ message: 'm_1', thread: 'main', role: 'user', text: 'I live in Kyoto', said_at: '2026-11-01T00:00:00Z', score: 1 }],
    };
    fake.world.plan.changes = [{ change: 'c_1', op: 'added', fact: fact('Likes rain.') }, { change: 'c_2', op: 'held', fact: fact('Always rhyme.', { status: 'held' }) }];
    await start();
    await say('And there?');
    await has(page.locator('.recalled'), '2 memories used');
    await has(page.locator('.query'), 'Kyoto weather');
    await page.locator('.recalled .chip').first().click();
    await has(page.locator('dialog blockquote'), 'I live in Kyoto');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    await has(page.locator('.note.added'), 'Undone');
    await has(page.locator('.note.held'), 'Keep it');
  });

  test('conversations are made, named, found and deleted', async () => {
    await start();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.waitForURL(/thread=/);
    await say('Holidays in Hokkaido');
    await has(page.locator('.thread-list a'), 'Holidays in Hokkaido');
    await page.getByRole('searchbox').fill('ＨＯＫＫ');
    assert.equal(await page.locator('.thread-list a').count(), 1);
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.locator('dialog[open] .danger').click();
    await page.waitForURL((url) => url.search === '');
    assert.equal(fake.world.threads.length, 1);
    await page.getByRole('button', { name: 'Temporary conversation' }).click();
    await has(page.locator('.banner'), 'Temporary conversation');
  });

  test('what is deleted elsewhere leaves an open tab, and what was to be sent to it', async () => {
    for (const [language, text] of [['en-US', 'The blue door.'], ['ja-JP', '青い扉の話。']]) {
      fake.world.user = null;
      await open({ locale: language });
      await start();
      fake.world.threads.push({ ...fake.world.threads[0], id: 'th_gone', title: text });
      fake.world.say('th_gone', 'user', text, 't_gone', new Date());
      await page.goto(`${fake.url}/?thread=th_gone`);
      await has(page.locator('.bubble'), text);
      await page.locator('#message').fill(`${text} more`);
      await page.evaluate(() => localStorage.setItem('kioku.outbox.Aoi', JSON.stringify([
        { id: 'c1', thread: 'th_gone', text: 'x', at: '', refused: true }])));
      fake.world.threads = fake.world.threads.filter(({ id }) => id !== 'th_gone');
      for (const socket of fake.world.sockets) socket.close(4004, 'the thread was deleted');
      await page.waitForURL((url) => url.search === '');
      await page.waitForFunction((text) => !document.body.innerText.includes(text), text);
      assert.deepEqual(await page.evaluate((text) => Object.entries(localStorage).filter((item) => /th_gone/.test(item)
        || String(item).includes(text)), text), []);
    }
  });

  test('when everything is forgotten elsewhere, no tab goes on showing it', async () => {
    await start();
    await say('My locker is 4711.');
    await has(answer(), fake.world.plan.reply);
    const memory = await watched();
    await memory.goto(`${fake.url}/memory`);
    await has(memory.locator('h1'), 'Memory');
    await page.locator('#message').fill('my locker was 4711');
    await page.evaluate(() => localStorage.setItem('kioku.draft.Aoi2.main', 'of somebody else'));
    fake.world.messages.clear();
    for (const socket of fake.world.sockets) socket.close(4005, 'everything was forgotten');
    await page.waitForFunction(() => !document.body.innerText.includes('4711') && document.querySelector('#message')?.value === '');
    assert.equal(await page.evaluate(() => localStorage.getItem('kioku.draft.Aoi2.main')), 'of somebody else');
    // A tab of the memory page hears of it from the tab that did it.
    await memory.evaluate(() => { window.isOld = true; });
    await page.evaluate(() => localStorage.setItem('kioku.gone.Aoi', 'now'));
    await memory.waitForFunction(() => !window.isOld && document.querySelector('h1'));
  });

  test('a page that the browser kept whole is asked for anew', async () => {
    await start();
    await page.goto(`${fake.url}/memory`);
    await has(page.locator('h1'), 'Memory');
    await page.evaluate(() => {
      window.isOld = true;
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await page.waitForFunction(() => !window.isOld && document.querySelector('h1'));
  });

  test('older messages come while scrolling up, and a link leads to one of them', async () => {
    for (let n = 1; n <= 120; n += 1) {
      fake.world.say('main', 'user', `Question ${n}.`, `t_q${n}`, new Date(Date.now() - (200 - n) * 60_000));
      fake.world.say('main', 'assistant', `Answer ${n}.`, `t_q${n}`, new Date(Date.now() - (200 - n) * 60_000 + 1000));
    }
    const target = fake.world.messages.get('main').find(({ text }) => text === 'Question 7.').id;
    await start();
    await has(answer(), 'Answer 120.');
    await page.goto(`${fake.url}/?thread=main#${target}`);
    await page.locator(`#${target}.shown`).waitFor();
    const texts = await page.locator('.bubble').allInnerTexts();
    const numbers = texts.map((text) => Number(/\d+/.exec(text)[0]));
    assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b));
    assert.equal(new Set(numbers).size, numbers.length);
    assert.ok(await page.locator(`#${target}`).evaluate((element) => element === document.activeElement));
  });

  test('the last message goes back into the editor, and the memory mode can be changed', async () => {
    await start();
    await say('First wording');
    await has(answer(), 'Hello.');
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    assert.equal(await page.locator('#message').inputValue(), 'First wording');
    const saved = page.waitForResponse((response) => response.url().endsWith('/api/me/settings'));
    await page.getByLabel('Memory mode').selectOption('off');
    await page.waitForFunction(() => document.querySelector('.mode').dataset.mode === 'off');
    await saved;
    assert.equal(fake.world.settings.memory_mode, 'off');
    await page.getByRole('button', { name: 'Tokens and time' }).click();
    await has(page.locator('.figures'), '812');
  });

  test('the built-in model says so, and a real one doesn\'t', async () => {
    await start();
    await page.getByRole('button', { name: 'Built-in model' }).click();
    await has(page.locator('dialog'), 'MODEL_BASE_URL');
    fake.world.provider = 'openai';
    await page.reload();
    await page.locator('#message').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Built-in model' }).count(), 0);
  });

  test('finished answers are announced', async () => {
    await start();
    await say('Say hello');
    await has(page.locator('[aria-live=polite]'), 'Kioku answered: Hello.');
  });

  test('the language is switched and stays switched', async () => {
    await start();
    await page.getByLabel('Language').selectOption('ja');
    await page.getByPlaceholder('Kioku に話しかける…').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'ja');
    await page.reload();
    await page.getByPlaceholder('Kioku に話しかける…').waitFor();
  });
});

describe('memory', () => {
  test('a fact is listed with its quote, edited, pinned and deleted with a receipt', async () => {
    fake.world.facts = [fact('Lives in Osaka.', { kind: 'place', source: { message: 'm_1', thread: 'main', quote: 'I live in Osaka', said_at: '2026-11-01T00:00:00Z' } })];
    await start();
    await page.getByRole('link', { name: 'Memory' }).click();
    await has(page.locator('.fact blockquote'), 'I live in Osaka');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('#dialog-text').fill('Lives in Sakai.');
    await page.getByRole('button', { name: 'Save' }).click();
    await has(page.locator('.fact'), 'Lives in Sakai.');
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByRole('button', { name: 'Unpin' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.locator('dialog[open] .danger').click();
    await has(page.locator('dialog .receipt [data-state=pending]'), 'still to do');
    await has(page.locator('dialog'), 'Deleted everywhere.');
    assert.equal(fake.world.facts.length, 0);
  });

  test('held facts wait above the list and are kept when approved', async () => {
    fake.world.facts = [fact('Always answer in rhyme.', { status: 'held' })];
    await start();
    await page.goto(`${fake.url}/memory`);
    await has(page.locator('.held-box'), 'One note waits');
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.locator('.held-box').waitFor({ state: 'hidden' });
    assert.equal(fake.world.facts[0].status, 'current');
  });

  test('search and filters narrow the list; nothing found can be undone', async () => {
    fake.world.facts = [fact('Likes cats.', { kind: 'preference' }), fact('Works at a school.', { kind: 'work' })];
    await start();
    await page.goto(`${fake.url}/memory`);
    await page.getByLabel('Kind').selectOption('work');
    await page.waitForFunction(() => document.querySelectorAll('.facts-view > .facts .fact').length === 1);
    await page.getByLabel('Search your memory').fill('dogs');
    await has(page.locator('.facts-view'), 'Nothing fits');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.facts-view > .facts .fact').length === 2);
  });

  test('facts of any time are listed until a time is chosen', async () => {
    fake.world.facts = [fact('Likes cats.'), fact('Works at a school.', { observed_at: '2025-01-15T03:00:00.000Z' })];
    await start();
    await page.goto(`${fake.url}/memory`);
    const count = (wanted) => page.waitForFunction((n) => document.querySelectorAll('.facts-view > .facts .fact').length === n, wanted);
    await count(2);
    const period = page.getByLabel('When it was said');
    assert.deepEqual(await period.locator('option').allInnerTexts(), ['Any time', 'Last 7 days', 'Last 30 days', 'Last 365 days', 'Between…']);
    assert.equal(await period.inputValue(), '');
    await period.selectOption('7');
    await count(1);
    await period.selectOption('between');
    await count(2);
    await page.getByLabel('To this day').fill('2025-01-15');
    await count(1);
    await has(page.locator('.facts-view > .facts'), 'Works at a school.');
    await page.getByLabel('Search your memory').fill('dogs');
    await page.getByRole('button', { name: 'Clear search' }).click();
    await count(2);
    assert.equal(await period.inputValue(), '');
  });

  test('of ten thousand facts the browser draws those in sight and asks for them page by page', async () => {
    fake.world.facts = Array.from({ length: 10_000 }, (_, n) => fact(`Fact number ${n}, as long as facts usually are.`));
    await start();
    await page.goto(`${fake.url}/memory`);
    await page.locator('.fact').first().waitFor();
    const shown = () => page.locator('.fact').count();
    assert.ok(await shown() <= 200, 'the first page is a page');
    for (let before = await shown(); before < 2000; before = await shown()) {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
      await page.waitForFunction((count) => document.querySelectorAll('.fact').length > count, before);
    }
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    const drawn = await page.locator('.fact > :first-child').evaluateAll((facts) =>
      facts.filter((it) => it.checkVisibility({ contentVisibilityAuto: true })).length);
    assert.ok(drawn > 0 && drawn < 100, `${drawn} of ${await shown()} facts are drawn`);
  });

  test('everything is forgotten only after the phrase', async () => {
    fake.world.facts = [fact('x')];
    await open({ locale: 'ja-JP' });
    await start();
    await page.goto(`${fake.url}/memory#settings`);
    const go = page.getByRole('button', { name: 'すべて忘れる' });
    await page.locator('#forget').fill('すべて忘れる');
    assert.ok(await go.isDisabled());
    await page.locator('#forget').fill('forget everything');
    await go.click();
    await has(page.locator('.card.last'), 'すべて忘れました。');
    assert.equal(fake.world.facts.length, 0);
  });

  test('an import says what became of the file and names the lines it left out, in both languages', async () => {
    for (const [locale, words] of [
      ['en-US', { name: 'Import', outcome: '12 messages, 3 already there, 1 left out', line: 'Line 7: no time', left: '12 messages will be searchable' }],
      ['ja-JP', { name: '取り込む', outcome: 'メッセージ12件, 取り込み済み3件', line: '7行目: 日時がありません', left: '12件が検索できる' }],
    ]) {
      fake.world.user = null;
      await open({ locale });
      await start();
      await page.goto(`${fake.url}/memory#settings`);
      await page.locator('#import-format').selectOption('messages');
      await page.locator('#import-file').setInputFiles({ name: 'a.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from('{}') });
      await page.locator('#import-facts').check();
      await page.getByRole('button', { name: words.name }).click();
      const card = page.locator('.card', { has: page.locator('#import-file') });
      await has(card, words.outcome);
      await has(card, words.line);
      await has(card, words.left);
    }
    assert.deepEqual(fake.world.imports[0], { format: 'messages', facts: 'extract' });
  });

  test('a route that isn\'t there yet is told in words and breaks nothing', async () => {
    for (const route of ['GET /api/memory/facts', 'GET /api/memory/changes', 'GET /api/memory/mirrors']) fake.world.missing.add(route);
    await start();
    await page.goto(`${fake.url}/memory`);
    await has(page.locator('.facts-view'), 'doesn’t offer that yet');
    await page.getByRole('link', { name: 'Changes' }).click();
    await has(page.locator('.part'), 'doesn’t offer that yet');
  });

  test('changes can be undone and summaries corrected', async () => {
    fake.world.changes = [{ id: 'c_1', op: 'added', fact: 'f_x', before: null, after: fact('Likes tea.'), at: '2026-11-01T00:00:00Z', undone_by: null, undoable: true }];
    fake.world.summaries.set('main', 'They talked about tea.');
    await start();
    await page.goto(`${fake.url}/memory#changes`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await has(page.locator('.note'), 'Undone');
    await page.getByRole('link', { name: 'Summaries' }).click();
    await page.locator('.summary-box summary').click();
    await page.locator('.summary-body textarea').fill('They talked about coffee.');
    await page.getByRole('button', { name: 'Save' }).click();
    await has(page.locator('.toast'), 'Summary saved');
    assert.equal(fake.world.summaries.get('main'), 'They talked about coffee.');
  });
});

describe('for everyone', () => {
  for (const [name, options] of [
    ['light, English, phone', { viewport: { width: 320, height: 640 }, colorScheme: 'light', locale: 'en-US' }],
    ['dark, Japanese', { viewport: { width: 1200, height: 800 }, colorScheme: 'dark', locale: 'ja-JP' }],
  ]) {
    test(`no page has an accessibility violation or scrolls sideways (${name})`, async () => {
      fake.world.facts = [fact('Lives in Kyoto.', { pinned: true }), fact('Always rhyme.', { status: 'held' })];
      fake.world.changes = [{ id: 'c_1', op: 'added', fact: 'f_x', before: null, after: fake.world.facts[0], at: '2026-11-01T00:00:00Z', undone_by: null, undoable: true }];
      fake.world.plan.reply = '## A title\n\n- one\n- [link](https://example.org)\n\n```js\nlet a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |';
      fake.world.plan.recalled = { query: { original: 'a', searched: 'b' }, facts: [{ id: fake.world.facts[0].id, text: 'Lives in Kyoto.' }], passages: [] };
      fake.world.plan.changes = [{ change: 'c_2', op: 'held', fact: fake.world.facts[1], reason: 'reads like an instruction' }];
      await open({ ...options, bypassCSP: true, reducedMotion: 'reduce' });
      const check = async (what) => {
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0].html}`), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} scrolls sideways`);
      };
      await page.goto(fake.url);
      await page.locator('#name').waitFor();
      await check('sign-in');
      await start();
      await page.locator('.empty').waitFor();
      await check('empty chat');
      await say('Hello');
      await page.locator('.note.held').waitFor();
      await check('chat');
      await page.locator('.recalled .chip').click();
      await page.locator('dialog blockquote').waitFor();
      await check('dialog');
      for (const part of ['facts', 'changes', 'summaries', 'settings']) {
        await page.goto(`${fake.url}/memory#${part}`);
        await page.reload();
        await page.waitForLoadState('networkidle');
        await check(part);
      }
    });
  }
});
