/**
 * The model of a run: an OpenAI-compatible server inside the bench's own process, with fixed delays, so that its time
 * can be subtracted to the microsecond. It answers over plain sockets, because an HTTP library would cost more than
 * what is measured.
 *
 * Every call is remembered with the times at which it was read, first answered and fully written. A user's text ends
 * with `#T:<turn's tag>#`; the last one in a request tells whose call it is.
 */
import { createServer } from "node:net";
import { once } from "node:events";

const WORDS = "so then many words make one answer which nobody reads but every part must come in order and on time".split(" ");
const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** Any text's vector, as base64 of floats: what it costs to search is the same for all. */
const VECTOR = Buffer.from(Float32Array.from({ length: 1024 }, (_, at) => Math.sin(at * at)).buffer).toString("base64");

export class Model {
  calls = [];
  /** How long a reply is, and how it comes. Memory calls come whole, after `memoryMs`. */
  pace = { tokens: 64, firstMs: 0, betweenMs: 0, memoryMs: 0 };

  async start() {
    this.server = createServer({ noDelay: true }, (socket) => new Connection(socket, this));
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}/v1`;
  }

  stop() {
    this.server.close();
  }

  /** Forgets the calls, and answers at this pace from now on. */
  begin(pace) {
    this.calls = [];
    this.pace = { tokens: 64, firstMs: 0, betweenMs: 0, memoryMs: 0, ...pace };
  }
}

/** One keep-alive connection: requests are read whole and answered one after the other. */
class Connection {
  #bytes = Buffer.alloc(0);
  #busy = false;

  constructor(socket, model) {
    Object.assign(this, { socket, model });
    socket.on("error", () => {});
    socket.on("data", (data) => {
      this.#bytes = this.#bytes.length === 0 ? data : Buffer.concat([this.#bytes, data]);
      void this.#next();
    });
  }

  async #next() {
    if (this.#busy) return;
    const request = readRequest(this.#bytes);
    if (!request) return;
    this.#busy = true;
    this.#bytes = this.#bytes.subarray(request.end);
    await this.#answer(request.body);
    this.#busy = false;
    void this.#next();
  }

  async #answer(body) {
    const read = performance.now();
    const request = JSON.parse(body.toString());
    if (request.input) return this.#whole({ data: request.input.map((_, index) => ({ index, embedding: VECTOR })) });
    const kind = kindOf(request);
    const call = { kind, tag: tagOf(body), read, first: 0, written: 0, bytes: body.length };
    this.model.calls.push(call);
    const { tokens, firstMs, betweenMs, memoryMs } = this.model.pace;
    if (!request.stream) {
      const text = kind === "answer" ? words(tokens).join(" ") : memoryAnswer(kind, request);
      const wait = kind === "answer" ? firstMs + tokens * betweenMs : memoryMs;
      if (wait > 0) await sleep(wait);
      call.first = performance.now();
      this.#whole({ choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }], usage: usage(body, tokens) });
      call.written = performance.now();
      return;
    }
    const parts = words(tokens).map((word) => event({ choices: [{ index: 0, delta: { content: `${word} ` }, finish_reason: null }] }));
    parts.push(
      event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
      event({ choices: [], usage: usage(body, tokens) }) + chunk("data: [DONE]\n\n") + "0\r\n\r\n",
    );
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    if (firstMs + betweenMs === 0) {
      call.first = performance.now();
      this.socket.write(head + parts.join(""));
    } else {
      this.socket.write(head);
      for (let at = 0; at < parts.length && !this.socket.destroyed;) {
        const due = (part) => read + firstMs + Math.min(part, tokens - 1) * betweenMs;
        await sleep(due(at) - performance.now());
        call.first ||= performance.now();
        // A late timer writes all that is due, each token still an event of its own.
        const from = at;
        do at += 1; while (at < parts.length && due(at) <= performance.now());
        this.socket.write(parts.slice(from, at).join(""));
      }
    }
    call.written = performance.now();
  }

  #whole(answer) {
    const text = JSON.stringify(answer);
    this.socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  }
}

/** The first whole request of what was received: its body, and where it ends. */
function readRequest(bytes) {
  const headEnd = bytes.indexOf(END_OF_HEAD);
  if (headEnd < 0) return null;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  let at = headEnd + END_OF_HEAD.length;
  if (!/\r\ntransfer-encoding: *chunked/.test(head)) {
    const length = Number(head.match(/\r\ncontent-length: *(\d+)/)?.[1] ?? 0);
    return bytes.length < at + length ? null : { body: bytes.subarray(at, at + length), end: at + length };
  }
  const parts = [];
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return null;
    const length = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + length + 2;
    if (bytes.length < end) return null;
    if (length === 0) return { body: Buffer.concat(parts), end };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

/** `answer`, or the kind of memory call: a schema's name, or what the peers' auxiliary models are called. */
function kindOf(request) {
  if (request.response_format?.json_schema) return request.response_format.json_schema.name;
  if (/summar/i.test(request.model)) return "summary";
  return /extract/i.test(request.model) ? "facts" : "answer";
}

function memoryAnswer(kind, request) {
  const asked = request.messages.at(-1).content;
  const input = () => JSON.parse(asked);
  switch (kind) {
    case "memory_operations": return JSON.stringify({ operations: operations(input()) });
    case "rolling_summary": return JSON.stringify({ summary: summary(input()) });
    case "search_query": return JSON.stringify({ query: input().question });
    case "same_fact": return JSON.stringify({ verdict: "separate", target: null });
    case "facts": return JSON.stringify({ facts: asked.match(STATEMENT) ?? [] });
    default: return words(120).join(" ");
  }
}

/** What the bench's users say about themselves. */
const STATEMENT = /My favourite [a-z]+ number \d+ is [a-z]+\./g;

function operations({ messages }) {
  return messages.filter(({ role }) => role === "user").flatMap(({ ref, text }) =>
    [...text.matchAll(STATEMENT)].map(([quote]) => ({
      op: "add", text: quote, kind: "preference", target: null, message: ref, quote, valid_from: null, valid_until: null,
    })));
}

/** What must survive, and some words: a summary that the checks take. */
function summary({ keep }) {
  return `Please keep the answer short: question and favourite number, about ${[keep ?? []].flat().join(", ")} and was answered.`;
}

function words(count) {
  return Array.from({ length: count }, (_, at) => WORDS[at % WORDS.length]);
}

function usage(body, completion_tokens) {
  const prompt_tokens = Math.ceil(body.length / 4);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function tagOf(body) {
  const from = body.lastIndexOf("#T:");
  const to = from < 0 ? -1 : body.indexOf("#", from + 3);
  return to < 0 ? null : body.toString("latin1", from + 3, to);
}

const event = (data) => chunk(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "bench", ...data })}\n\n`);
const chunk = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
