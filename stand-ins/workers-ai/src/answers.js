/**
 * Answers in the shapes of the real binding.
 *
 * A script says `{text}` instead of an echo, `{object}` for JSON mode, and what goes wrong: `cut` breaks the stream
 * off after the text, `hang` says nothing more, `finish` is another finish reason, `chunk` the bytes a piece,
 * `raw` the bytes themselves.
 */

const PLAIN_JSON = { operations: [], summary: "(nothing yet)", query: "", verdict: "separate", target: null };

/** A run without streaming. */
export function complete(model, inputs, script) {
  if (inputs.response_format) {
    const document = script.object ?? pick(inputs.response_format.json_schema);
    const response = script.text ?? (script.asString ? JSON.stringify(document) : document);
    return whole(model, inputs, response, script);
  }
  return whole(model, inputs, script.text ?? echo(inputs), script);
}

/** A run with streaming: bytes of server-sent events. `onStop` is told when the reader gives up. */
export function stream(model, inputs, script, onStop) {
  const bytes = new TextEncoder().encode(script.raw ?? events(model, inputs, script));
  const size = script.chunk ?? 64;
  let at = 0;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      if (at >= bytes.length) {
        // Not for ever: the runtime ends what can never go on.
        if (script.hang) return new Promise((resolve) => setTimeout(resolve, 60_000));
        if (script.cut === "error") return controller.error(new Error("Network connection lost."));
        controller.close();
        return controller.byobRequest?.respond(0);
      }
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
    cancel() {
      onStop();
    },
  });
}

function whole(model, inputs, response, script) {
  const usage = usageOf(inputs, response);
  if (model.form === "own") return { response, tool_calls: [], usage };
  const content = typeof response === "string" ? response : JSON.stringify(response);
  return {
    id: "chatcmpl-1", object: "chat.completion", created: 1, model: model.name,
    choices: [{
      index: 0, message: { role: "assistant", content, refusal: null, tool_calls: [], reasoning_content: null },
      finish_reason: script.finish ?? "stop", logprobs: null,
    }],
    usage, prompt_logprobs: null,
  };
}

function events(model, inputs, script) {
  const text = script.text ?? echo(inputs);
  const pieces = text.match(/[\s\S]{1,6}/gu) ?? [];
  const event = (data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  const usage = usageOf(inputs, text);
  const said = pieces.map((piece) => event(model.form === "own"
    ? { response: piece, p: "abdefghijkl" }
    : chunk(model, { delta: { content: piece }, finish_reason: null })));
  if (script.cut || script.hang) return said.join("");
  const end = model.form === "own"
    ? [event({ response: "", usage }), event("[DONE]")]
    : [event({ ...chunk(model, { delta: { content: "" }, finish_reason: script.finish ?? "stop" }), usage }), event("[DONE]")];
  return [...said, ...end].join("");
}

function chunk(model, choice) {
  return { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: model.name, choices: [{ index: 0, ...choice }] };
}

function usageOf(inputs, response) {
  const tokens = (value) => Math.ceil(JSON.stringify(value).length / 4);
  const prompt_tokens = tokens(inputs.messages);
  const completion_tokens = Math.min(inputs.max_tokens ?? 256, tokens(response));
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** The newest question, repeated; past 256 tokens it is cut, as it is where a caller forgets `max_tokens`. */
function echo(inputs) {
  const question = inputs.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const text = `You said: ${question}`;
  return inputs.max_tokens === undefined ? text.slice(0, 256) : text;
}

/** The plain answer to a schema: nothing said, nothing changed. */
function pick(schema) {
  const names = Object.keys(schema?.properties ?? {});
  return Object.fromEntries(names.map((name) => [name, PLAIN_JSON[name] ?? null]));
}
