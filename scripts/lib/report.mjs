/** What the doctor found: one line each, with the remedy under what is wrong. */
export class Report {
  wrong = 0;
  left = 0;

  good(what, detail = "") {
    console.log(`✓ ${what}${detail && `: ${detail}`}`);
  }

  /** Wrong; `remedy` is what to do. */
  bad(what, detail, remedy) {
    this.wrong += 1;
    console.log(`✗ ${what}: ${detail}\n    → ${remedy}`);
  }

  /** Couldn't be looked at; `remedy` is how it could be. */
  skip(what, remedy) {
    this.left += 1;
    console.log(`- ${what}: not looked at\n    → ${remedy}`);
  }

  /** The last line; gives the exit code. */
  close() {
    const left = this.left > 0 ? `, ${this.left} not looked at` : "";
    console.log(this.wrong === 0 ? `\nNothing is wrong${left}.` : `\n${this.wrong} wrong${left}.`);
    return this.wrong === 0 ? 0 : 1;
  }
}
