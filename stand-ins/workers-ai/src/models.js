/** The models that the stand-in knows, and how their kinds speak. */
import { Refusal } from "./limits.js";

/**
 * `form` is how a chat model answers: `own` with `response`, as the older ones do, or `openai` with `choices`.
 * `json` is whether it takes a `response_format`.
 */
const MODELS = {
  "@cf/meta/llama-3.3-70b-instruct-fp8-fast": { task: "chat", form: "own", json: true },
  "@cf/openai/gpt-oss-120b": { task: "chat", form: "openai", json: true },
  "@cf/google/gemma-4-26b-a4b-it": { task: "chat", form: "openai", json: true },
  "@cf/meta/llama-3.2-1b-instruct": { task: "chat", form: "own", json: false },
  "@cf/baai/bge-m3": { task: "embeddings" },
};

export function modelOf(name) {
  const model = MODELS[name];
  if (!model) throw new Refusal(5007, `No such model ${name} or task`);
  return { name, ...model };
}

/** `{shape, data, pooling}`; a script may change the length or the form of what comes back. */
export function embedding(inputs, script, dimensions) {
  if (script.error) throw new Refusal(script.error.code, script.error.text);
  const texts = [inputs.text].flat();
  const length = script.dimensions ?? dimensions;
  const data = texts.map((text) => vector(text, length));
  if (script.drop) data.pop();
  return { shape: [data.length, length], data, pooling: "cls" };
}

/** Texts that share character pairs lie near each other, in any language. */
function vector(text, length) {
  const values = new Array(length).fill(0);
  const characters = [...`^${text.normalize("NFKC").toLowerCase()}$`];
  for (let at = 0; at + 1 < characters.length; at++) {
    const pair = characters[at] + characters[at + 1];
    values[[...pair].reduce((hash, c) => (hash * 31 + c.codePointAt(0)) >>> 0, 7) % length] += 1;
  }
  const norm = Math.hypot(...values) || 1;
  return values.map((value) => value / norm);
}
