/** What the real binding refuses before a model sees it. */

/** Thrown with the message that the real binding makes of a code and its description. */
export class Refusal extends Error {
  constructor(code, text) {
    super(`${code}: ${text}`);
    this.code = code;
  }
}

/** Most texts of one embedding run. */
const MAX_TEXTS = 100;

/** Throws unless a model of this kind takes these inputs. */
export function validated(model, inputs) {
  const invalid = (text) => new Refusal(5006, `Error: ${text}`);
  if (typeof inputs !== "object" || inputs === null || inputs instanceof Map) throw invalid("inputs must be an object");
  if (model.task === "embeddings") {
    const texts = [inputs.text].flat();
    if (inputs.text === undefined) throw invalid("required properties at '/' are 'text'");
    if (texts.length > MAX_TEXTS) throw invalid(`Length of '/text' must be <= ${MAX_TEXTS}`);
    if (texts.some((text) => typeof text !== "string")) throw invalid("Type mismatch of '/text', 'string' expected");
    return;
  }
  if (!Array.isArray(inputs.messages) || inputs.messages.length === 0) {
    throw invalid("oneOf at '/' not met, 0 matches: required properties at '/' are 'prompt', 'messages'");
  }
  for (const { role, content } of inputs.messages) {
    if (!["system", "user", "assistant", "tool"].includes(role)) throw invalid("Type mismatch of '/messages/0/role'");
    if (typeof content !== "string") throw invalid("Type mismatch of '/messages/0/content', 'string' expected");
  }
  if (inputs.max_tokens !== undefined && !Number.isInteger(inputs.max_tokens)) {
    throw invalid("Type mismatch of '/max_tokens', 'integer' not in 'number'");
  }
  if (inputs.response_format === undefined) return;
  const { type, json_schema: schema } = inputs.response_format;
  if (!["json_object", "json_schema"].includes(type)) throw invalid("Type mismatch of '/response_format/type'");
  if (type === "json_schema" && (typeof schema !== "object" || schema === null)) throw invalid("json_schema is missing");
  if (inputs.stream) throw new Refusal(5025, "JSON Mode doesn't support streaming");
  if (!model.json) throw new Refusal(5023, "This model doesn't support JSON Schema.");
}
