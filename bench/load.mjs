/**
 * Users: each opens one WebSocket and sends, waits for the whole answer, thinks, sends again. A closed loop.
 *
 * What a turn took is told with and without the model's own time, whose calls are found by the tag at the end of each
 * text.
 */
import WebSocket from "ws";
import { distribution } from "./machine.mjs";

const TOPICS = ["coffee", "train", "garden", "invoice", "holiday", "laptop", "recipe", "meeting", "budget", "piano"];
const FILLER = "please keep the answer short and to the point because there is little time today and the list is long ";
const TEXT_BYTES = 120;
const WITHIN_MS = 60_000;

/** What a user says in a turn: every fifth text states something about the user. */
export function textOf(tag, turn) {
  const statement = turn % 5 === 0 ? `My favourite ${TOPICS[turn % 10]} number ${turn} is blue. ` : "";
  const end = ` #T:${tag}#`;
  const text = `${statement}Question ${turn} about the ${TOPICS[(turn * 7) % 10]}: `;
  return text + FILLER.repeat(2).slice(0, Math.max(0, TEXT_BYTES - text.length - end.length)) + end;
}

/** One user with one open connection. */
export class User {
  records = [];
  failures = [];
  #current = null;

  constructor(name, url, product) {
    Object.assign(this, { name, url, product });
  }

  async open() {
    this.client = await this.product.client({ user: this.name, url: this.url });
    const began = performance.now();
    this.socket = new WebSocket(this.url.replace("http", "ws") + this.client.path, {
      headers: this.client.headers, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024,
    });
    await new Promise((resolve, reject) => {
      const ready = () => { this.connectMs ??= performance.now() - began; resolve(); };
      this.socket.once("error", reject);
      this.socket.once("open", () => { if (this.client.readyOnOpen) ready(); });
      this.socket.on("message", (data) => this.#read(String(data), ready));
      this.socket.on("close", () => { this.#end("the connection closed"); reject(new Error("the connection closed")); });
      setTimeout(() => reject(new Error("no first frame")), WITHIN_MS).unref();
    });
    return this;
  }

  #read(text, ready) {
    const now = performance.now();
    const meaning = this.client.read(text);
    if (meaning === "ready") ready();
    const turn = this.#current;
    if (!turn) return;
    turn.frames += 1;
    turn.bytes += text.length;
    if (meaning === "token") turn.first ||= now;
    if (meaning === "done") {
      turn.done = now;
      turn.first ||= now;
      turn.timing = this.client.timing;
      this.records.push(turn);
      this.#end();
    }
    if (meaning === "error") this.#end(text.slice(0, 200));
  }

  #end(failure) {
    const turn = this.#current;
    if (!turn) return;
    this.#current = null;
    if (failure) this.failures.push(failure);
    turn.over();
  }

  /** One turn, to its end. */
  say(number) {
    const tag = `${this.name}:${number}`;
    const frame = this.client.frame(textOf(tag, number));
    return new Promise((over) => {
      const late = setTimeout(() => this.#end("no answer in time"), WITHIN_MS);
      const turn = { tag, number, first: 0, done: 0, frames: 0, bytes: 0, over: () => { clearTimeout(late); over(); } };
      this.#current = turn;
      turn.sent = performance.now();
      this.socket.send(frame);
    });
  }

  async talk(turns, thinkMs, eachTurn) {
    // Users don't begin together.
    if (thinkMs > 0) await pause(Math.random() * thinkMs);
    for (let number = 1; number <= turns && this.failures.length < 3; number += 1) {
      await this.say(number);
      eachTurn?.(number);
      if (thinkMs > 0) await pause(thinkMs);
    }
  }

  close() {
    this.socket.terminate();
  }
}

/** So many users of a product, connected. */
export async function connect(product, url, names) {
  const users = [];
  for (let at = 0; at < names.length; at += 16) {
    users.push(...await Promise.all(names.slice(at, at + 16).map((name) => new User(name, url, product).open())));
  }
  return users;
}

/** Each turn with the model's time taken out: what was added to it, in milliseconds. */
export function added(users, calls) {
  const answers = new Map(calls.filter(({ kind }) => kind === "answer").map((call) => [call.tag, call]));
  return users.flatMap(({ records }) => records).flatMap((turn) => {
    const call = answers.get(turn.tag);
    if (!call) return [];
    return [{
      number: turn.number,
      total: turn.done - turn.sent - (call.written - call.read),
      first: turn.first - turn.sent - (call.first - call.read),
      before: call.read - turn.sent,
      after: turn.done - call.written,
      prompt: call.bytes,
      frames: turn.frames,
      bytes: turn.bytes,
      timing: turn.timing,
    }];
  });
}

/** The distributions of what `added` gives. */
export function summed(turns) {
  const of = (name) => distribution(turns.map((turn) => turn[name]));
  return {
    total: of("total"), first: of("first"), before: of("before"), after: of("after"), prompt: of("prompt"),
    frames: of("frames"), bytes: of("bytes"),
  };
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
