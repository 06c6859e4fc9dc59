/**
 * Stamps: a step is skipped when the hash of its inputs is the one kept beside its last output. Contents are hashed
 * and not times, because a checkout gives every file a new time.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ROOT } from "./run.mjs";

/** The hash of files and folders (recursively, names included) and of plain strings given as `text:…`. */
export function hashOf(inputs) {
  const hash = createHash("sha256");
  for (const input of inputs) {
    if (input.startsWith("text:")) hash.update(input);
    else for (const file of files(join(ROOT, input))) {
      hash.update(`\0${relative(ROOT, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

/**
 * Runs `make` unless every one of `outputs` exists and `stamp` holds the hash of `inputs`. The stamp is removed
 * first, so that an interrupted run is never taken for a finished one. Resolves to whether `make` ran.
 */
export async function unlessFresh({ stamp, inputs, outputs }, make) {
  const path = resolve(ROOT, stamp);
  const hash = hashOf(inputs);
  const fresh = existsSync(path) && readFileSync(path, "utf8") === hash
    && outputs.every((output) => existsSync(resolve(ROOT, output)));
  if (fresh) return false;
  rmSync(path, { force: true });
  await make();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, hash);
  return true;
}

function files(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().flatMap((name) => files(join(path, name)));
}
