/**
 * Builds the pages into web/dist: `node web/build.mjs`.
 *
 * Nothing is done when nothing changed. Fails when the scripts of all pages together exceed their budget.
 */

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** All scripts of all pages, gzip. */
const BUDGET_BYTES = 60 * 1024;

const web = fileURLToPath(new URL('.', import.meta.url));
const dist = join(web, 'dist');
const stamp = join(dist, '.stamp');

function files(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function fingerprint() {
  const hash = createHash('sha256');
  const inputs = [
    ...files(join(web, 'src')), ...files(join(web, 'styles')),
    ...['index.html', 'memory.html', 'favicon.svg', '_headers', 'build.mjs', '../package-lock.json'].map((name) => join(web, name)),
  ];
  for (const path of inputs) hash.update(path).update('\0').update(readFileSync(path));
  return hash.digest('hex');
}

const wanted = fingerprint();
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
  console.log('web: unchanged');
} else {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await build({
    entryPoints: { chat: join(web, 'src/chat/main.ts'), memory: join(web, 'src/memory/main.ts'), page: join(web, 'styles/page.css') },
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    chunkNames: 'chunks/[name]-[hash]',
    logLevel: 'warning',
  });
  for (const name of ['index.html', 'memory.html', 'favicon.svg', '_headers']) cpSync(join(web, name), join(dist, name));
  const scripts = files(dist).filter((path) => path.endsWith('.js'));
  let total = 0;
  for (const path of scripts) {
    const size = gzipSync(readFileSync(path), { level: 9 }).length;
    total += size;
    console.log(`web: ${path.slice(dist.length + 1).padEnd(24)} ${(size / 1024).toFixed(1)} KB gzip`);
  }
  console.log(`web: scripts together          ${(total / 1024).toFixed(1)} KB gzip of ${BUDGET_BYTES / 1024}`);
  if (total > BUDGET_BYTES) {
    console.error('web: the scripts exceed their budget');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
