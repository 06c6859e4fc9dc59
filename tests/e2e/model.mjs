/**
 * A scripted OpenAI-compatible server: it answers as told, byte by byte where that matters, and records what it was
 * asked. Without a script it answers plainly, so that a test only says what it is about.
 */
import { createServer } from "node:http";
import { once } from "node:events";

/** What memory calls get when a test says nothing: no change, nothing said. */
const PLAIN_SCHEMAS = {
  memory_operations: () => ({ operations: [] }),
  rolling_summary: (input) => ({ summary: input.summary || "(nothing yet)" }),
  search_query: (input) => ({ query: input.question }),
  same_fact: () => ({ verdict: "separate", target: null }),
};

/** A promise to open by hand, for a reply that waits for the test. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => { open = resolve; });
  return { opened, open };
}

export async function startModel() {
  const model = new Model();
  model.server = createServer((request, response) => model.serve(request, response));
  model.server.listen(0, "127.0.0.1");
  await once(model.server, "listening");
  model.url = `http://127.0.0.1:${model.server.address().port}/v1`;
  return model;
}

/**
 * A reply is one of: a string (streamed, or whole where no stream was asked for);
 * `{status, headers?, body?}`, an answer without a stream; `{raw}`, a 200 with these bytes;
 * `{steps, chunk?}`, a stream of steps, sent in pieces of `chunk` bytes if given. Steps:
 * `{text}` a delta · `{raw}` bytes as they are · `{wait: ms}` · `{until: promise}` · `{finish}` a finish reason ·
 * `{usage}` · `{done: true}` the end mark · `{cut: true}` the connection breaks · `{stall: true}` nothing more, ever.
 * A stream whose steps run out ends its response there, whatever is missing.
 */
class Model {
  /** Every request: `{path, body, headers, schema, input, closed}`; `closed` is set when the client left early. */
  requests = [];
  /** Length of its embeddings. */
  dimensions = 32;
  #replies = [];
  #schemas = { ...PLAIN_SCHEMAS };
  #answer = (body) => `You said: ${lastUserText(body)}`;
  #embedding = null;

  /** Scripts the next answers, in order; what comes after them is answered plainly. */
  next(...replies) {
    this.#replies.push(...replies);
  }

  /** Drops scripted answers that were not asked for. */
  forget() {
    this.#replies = [];
  }

  /** Replaces the plain answer: `answer(body)` gives a reply. */
  answers(answer) {
    this.#answer = answer;
  }

  /** Replaces a memory call's answer: `answer(input, body)` gives (or promises) the object, or a reply `{status}`, `{raw}`, `{steps}`. */
  schema(name, answer) {
    if (!(name in PLAIN_SCHEMAS)) throw new Error(`no schema ${name}`);
    this.#schemas[name] = answer;
  }

  /** Makes the next embedding request answer with this reply. */
  nextEmbedding(reply) {
    this.#embedding = reply;
  }

  /** The recorded answers to users, without memory calls and embeddings. */
  get answered() {
    return this.requests.filter(({ path, schema }) => path === "/v1/chat/completions" && !schema);
  }

  /** The recorded memory calls of one schema. */
  asked(name) {
    return this.requests.filter(({ schema }) => schema === name);
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  async serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const record = { path: request.url, headers: request.headers, body: text === "" ? null : JSON.parse(text) };
    this.requests.push(record);
    response.once("close", () => { record.closed = !response.writableFinished; });
    if (request.url === "/v1/models") return json(response, 200, { object: "list", data: [{ id: "scripted" }] });
    if (request.url === "/v1/embeddings") return this.#embed(record, response);
    if (request.url !== "/v1/chat/completions") return json(response, 404, { error: { message: "no such path" } });

    const schema = record.body.response_format?.json_schema?.name;
    if (schema) {
      record.schema = schema;
      record.input = readJson(lastUserText(record.body));
      const given = await this.#schemas[schema]?.(record.input, record.body);
      if (given === undefined) return json(response, 400, { error: { message: `unknown schema ${schema}` } });
      const isReply = typeof given === "string" || "status" in given || "raw" in given || "steps" in given;
      return this.#reply(record.body, response, isReply ? given : JSON.stringify(given));
    }
    return this.#reply(record.body, response, this.#replies.shift() ?? this.#answer(record.body));
  }

  async #reply(body, response, reply) {
    if (typeof reply === "string") {
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
      if (!body.stream) {
        return json(response, 200, {
          object: "chat.completion",
          choices: [{ index: 0, message: { role: "assistant", content: reply }, finish_reason: "stop" }],
          usage,
        });
      }
      const pieces = reply.match(/[\s\S]{1,8}/gu) ?? [];
      return stream(response, {
        steps: [...pieces.map((text) => ({ text })), { finish: "stop" }, { usage }, { done: true }],
      });
    }
    if (reply.status !== undefined) {
      return json(response, reply.status, reply.body ?? { error: { message: `scripted ${reply.status}` } }, reply.headers);
    }
    if (reply.raw !== undefined) {
      response.writeHead(200, { "content-type": body.stream ? "text/event-stream" : "application/json" });
      return response.end(reply.raw);
    }
    return stream(response, reply);
  }

  #embed({ body }, response) {
    const scripted = this.#embedding;
    this.#embedding = null;
    if (scripted) return this.#reply(body, response, scripted);
    const inputs = [body.input].flat();
    return json(response, 200, {
      object: "list",
      model: body.model,
      data: inputs.map((input, index) => ({ object: "embedding", index, embedding: embed(input, this.dimensions) })),
      usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
    });
  }
}

/** Texts that share character pairs lie near each other, in any language. */
export function embed(text, dimensions) {
  const values = new Array(dimensions).fill(0);
  const characters = [..."^" + text.normalize("NFKC").toLowerCase() + "$"];
  for (let i = 0; i + 1 < characters.length; i++) {
    const hash = [...(characters[i] + characters[i + 1])].reduce((h, c) => (h * 31 + c.codePointAt(0)) >>> 0, 7);
    values[hash % dimensions] += 1;
  }
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}

function lastUserText(body) {
  const content = body.messages.findLast(({ role }) => role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function json(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function stream(response, { steps, chunk }) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const event = (data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  const delta = (choice) => ({ object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] });
  for (const step of steps) {
    if (response.destroyed) return;
    if (step.wait !== undefined) await new Promise((resolve) => setTimeout(resolve, step.wait));
    else if (step.until !== undefined) await Promise.race([step.until, once(response, "close")]);
    else if (step.cut) return void response.destroy();
    else if (step.stall) return;
    else if (step.raw !== undefined) await send(response, Buffer.from(step.raw), chunk);
    else if (step.text !== undefined) {
      await send(response, Buffer.from(event(delta({ delta: { content: step.text }, finish_reason: null }))), chunk);
    } else if (step.finish !== undefined) {
      await send(response, Buffer.from(event(delta({ delta: {}, finish_reason: step.finish }))), chunk);
    } else if (step.usage) {
      await send(response, Buffer.from(event({ object: "chat.completion.chunk", choices: [], usage: step.usage })), chunk);
    } else if (step.done) await send(response, Buffer.from(event("[DONE]")), chunk);
    else throw new Error(`unknown step ${JSON.stringify(step)}`);
  }
  response.end();
}

/** Writes in pieces that arrive as pieces: each has left before the next is written. */
async function send(response, bytes, chunk = bytes.length) {
  for (let at = 0; at < bytes.length && !response.destroyed; at += chunk) {
    response.write(bytes.subarray(at, at + chunk));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
