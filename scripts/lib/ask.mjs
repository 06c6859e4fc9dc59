/** Questions on the terminal. Where nobody can answer, each takes its default. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Whether somebody is there to answer. */
export const isInteractive = () => Boolean(process.stdin.isTTY && process.stdout.isTTY) && !process.env.CI;

/** A line of text; `hidden` shows nothing of what is typed. */
export async function ask(question, { fallback = "", hidden = false } = {}) {
  if (!isInteractive()) return fallback;
  let muted = false;
  const output = new Writable({
    write(chunk, encoding, done) {
      if (!muted) process.stdout.write(chunk, encoding);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    const asked = lines.question(`? ${question}${fallback && !hidden ? ` [${fallback}]` : ""}: `);
    muted = hidden;
    const answer = (await asked).trim();
    if (hidden) process.stdout.write("\n");
    return answer || fallback;
  } finally {
    lines.close();
  }
}

/** One of `choices`, `{value, label}` each, by number or by value; the first is the default. */
export async function choose(question, choices) {
  if (!isInteractive()) return choices[0].value;
  console.log(question);
  choices.forEach(({ label }, index) => console.log(`  ${index + 1}. ${label}`));
  for (;;) {
    const answer = await ask("Number", { fallback: "1" });
    const chosen = choices[Number(answer) - 1] ?? choices.find(({ value }) => value === answer);
    if (chosen) return chosen.value;
    console.log(`  1 to ${choices.length}, please.`);
  }
}
