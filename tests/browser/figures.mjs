/**
 * What the pages cost, measured in the browser: `node web/build.mjs && node tests/browser/figures.mjs`.
 *
 * First paint and scripts of each page, the long tasks while an answer of 2,000 tokens streams in, and the frames while
 * a long list of facts is scrolled.
 */

import { launch } from './browser.mjs';
import { fact, startFake } from './fake-server.mjs';

const TOKENS = 2000;

const fake = await startFake();
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
const page = await context.newPage();

/** Milliseconds, without a fraction. */
const ms = (value) => `${Math.round(value)} ms`;

await page.addInitScript(() => {
  globalThis.longTasks = [];
  globalThis.shift = 0;
  new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
});

fake.world.user = { name: 'Aoi' };
fake.world.facts = Array.from({ length: 200 }, (_, n) => fact(`Fact number ${n}.`));
for (const path of ['/', '/memory']) {
  await page.goto(fake.url + path);
  await page.locator(path === '/' ? '#message' : '.fact').first().waitFor();
  const figures = await page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
    ready: performance.now(),
    scripts: performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, it) => sum + it.decodedBodySize, 0),
    requests: performance.getEntriesByType('resource').length,
    shift: globalThis.shift,
  }));
  console.log(`${path.padEnd(8)} first paint ${ms(figures.paint)}, usable after ${ms(figures.ready)}, scripts ${(figures.scripts / 1024).toFixed(0)} KB raw,`
    + ` ${figures.requests} requests, layout shift ${figures.shift.toFixed(3)}`);
}

await page.goto(fake.url);
await page.locator('#message').waitFor();
const paragraph = 'The river runs **south** through the city, past `Sanjo` and Gojo.\n\n- one thing\n- another\n\n';
fake.world.plan.reply = paragraph.repeat(Math.ceil((TOKENS * 4) / paragraph.length)).slice(0, TOKENS * 4);
fake.world.plan.pace = 3;
await page.evaluate(() => {
  globalThis.longTasks.length = 0;
  globalThis.shift = 0;
});
await page.locator('#message').fill('Tell me about the river.');
const began = Date.now();
await page.keyboard.press('Enter');
await page.locator('.turn[data-state=done]').waitFor({ timeout: 60_000 });
const { long, shift } = await page.evaluate(() => ({ long: globalThis.longTasks, shift: globalThis.shift }));
console.log(`${TOKENS} tokens streamed in ${ms(Date.now() - began)}: ${long.length} long tasks, longest ${ms(Math.max(0, ...long))},`
  + ` together ${ms(long.reduce((sum, it) => sum + it, 0))}; layout shift ${shift.toFixed(3)}`);

fake.world.facts = Array.from({ length: 10_000 }, (_, n) => fact(`Fact number ${n}, as long as facts usually are.`));
await page.goto(`${fake.url}/memory`);
await page.locator('.fact').first().waitFor();
for (let shown = 0; shown < 2000; shown = await page.locator('.fact').count()) {
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction((before) => document.querySelectorAll('.fact').length > before, shown);
}
const frames = await page.evaluate(async () => {
  const took = [];
  let last = performance.now();
  for (let n = 0; n < 100; n += 1) {
    scrollBy(0, n % 2 ? 400 : -400);
    await new Promise(requestAnimationFrame);
    took.push(performance.now() - last);
    last = performance.now();
  }
  return took.sort((a, b) => a - b);
});
console.log(`scrolling among ${await page.locator('.fact').count()} facts: a frame takes ${ms(frames[50])}, four in five at most ${ms(frames[80])}`);

await browser.close();
await fake.close();
