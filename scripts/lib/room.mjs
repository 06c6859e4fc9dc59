/** A full disk: compilers and linkers then end in ways that don't say so, such as a bus error. */
import { statfsSync } from "node:fs";

/** What a first build and all tests write, in bytes, rounded up. */
const WHOLE_BUILD = 6e9;
/** Below this a program that failed has probably failed for want of room; it may have given some back since. */
const NEARLY_NONE = 5e8;

/** The bytes that can still be written below `folder`. */
export function roomIn(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** What to say before a first build with so many bytes left; undefined when they do. */
export function warningOf(room) {
  if (room >= WHOLE_BUILD) return undefined;
  return `only ${gigabytes(room)} are left on this disk; a first build with all tests writes up to ${gigabytes(WHOLE_BUILD)}`;
}

/** What to add to a failure with so many bytes left: the likely reason, or nothing. */
export function reasonOf(room) {
  return room < NEARLY_NONE ? `. The disk is full (${gigabytes(room)} left): make room, then run the same command again` : "";
}

function gigabytes(bytes) {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
