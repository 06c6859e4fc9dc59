/** What a process has used, from `/proc`; and the distribution of a list of numbers. */
import { readFileSync, readdirSync } from "node:fs";

/** Milliseconds of CPU of every living thread, kernel work included. */
export function cpuMs(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0] || 0);
  }
  return nanoseconds / 1e6;
}

/** Resident memory in MB. */
export function residentMb(pid) {
  return Number(read(`/proc/${pid}/status`).match(/VmRSS:\s+(\d+)/)?.[1] ?? Number.NaN) / 1024;
}

/** CPU that the whole machine used so far, in milliseconds. */
export function machineMs() {
  const [user, nice, system, , , irq, soft] = read("/proc/stat").split("\n")[0].trim().split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + soft) * 10;
}

/** `{p50, p95, mean, max}`, or null of nothing. */
export function distribution(numbers) {
  const sorted = numbers.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const mean = sorted.reduce((sum, x) => sum + x, 0) / sorted.length;
  return { p50: at(0.5), p95: at(0.95), mean, max: sorted.at(-1) };
}

export const median = (numbers) => distribution(numbers)?.p50 ?? Number.NaN;

function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // A thread that has just ended.
    return "";
  }
}
