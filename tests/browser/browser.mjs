/** The Chromium that the browser tests drive. */

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

export async function launch() {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`${CHROMIUM} isn't there. Install it (sudo apt-get install chromium) or set CHROMIUM_PATH.`);
  }
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });
}

/** Types a name into the sign-in card. */
export async function signIn(page, url, name) {
  await page.goto(url);
  await page.locator('#name').fill(name);
  await page.locator('.sign-in button[type=submit]').click();
  await page.locator('#message').waitFor();
}
