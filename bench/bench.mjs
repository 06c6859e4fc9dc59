/** What all scenarios of a run share: the model, folders, and what is made once. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Model } from "./model.mjs";
import { start } from "./runtime.mjs";

export class Bench {
  model = new Model();
  #made = new Map();
  #folders = 0;

  constructor({ rounds, longest, facts }) {
    this.most = Number(rounds);
    this.longest = Number(longest);
    this.manyFacts = Number(facts);
    // In memory where that exists: a shared disk's flushes are not what is measured.
    this.root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "kioku-bench-"));
    // Also when the run is ended from outside: it is memory that nobody else gives back.
    process.once("exit", () => this.clean());
  }

  /** Long ones are measured once: within themselves they repeat what counts. */
  repeated(scenario) {
    return ["growth", "wake", "search", "rows", "idle", "start"].includes(scenario) ? 1 : this.most;
  }

  /** Repetitions inside a scenario. */
  rounds(usual) {
    return this.most === 1 ? 3 : usual;
  }

  /** A folder that is there until the end of the run. */
  folder(name) {
    return join(this.root, `${name}-${(this.#folders += 1)}`);
  }

  once(name, make) {
    if (!this.#made.has(name)) this.#made.set(name, make());
    return this.#made.get(name);
  }

  /** A server on empty storage. */
  serve(product, name) {
    return start(product, { storage: this.folder(name) });
  }

  clean() {
    rmSync(this.root, { recursive: true, force: true });
  }
}
