/** Loads a TypeScript module of the pages, so that tests run on any Node that runs the build. */

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SRC = new URL('../../web/src/', import.meta.url);

export async function load(path) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, SRC))], bundle: true, write: false, format: 'esm', target: 'es2022', logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
