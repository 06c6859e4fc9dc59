/**
 * What the pages cost, measured in the browser: `node web/build.mjs && node tests/browser/figures.mjs`.
 *
 * First paint and scripts of each page, and the long tasks while an answer of 2,000 tokens streams in.
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

await browser.close();
await fake.close();
