/**
 * The socket of one thread: kept open, reopened with growing pauses, watched by pings.
 *
 * It promises nothing about delivery; the outbox and `resume` do. A frame is handed on as it was read.
 */

import { readFrame } from '../read.ts';
import type { ClientFrame, ServerFrame } from '../wire.ts';

export type Link = 'connecting' | 'open' | 'waiting' | 'offline';

/** The first pause is short, because most losses are; the last bounds how late a returning server is noticed. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const PING_EVERY_MS = 30_000;
/** A socket that answers neither ping nor frame in this time is dead, though the browser may not know yet. */
const PONG_WITHIN_MS = 10_000;

/** Full jitter over the upper half, so that many clients of a restarted server don't come back at once. */
export function pause(failures: number, chance: number): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 16));
  return Math.round(longest / 2 + chance * longest / 2);
}

/** The codes with which the server ends a connection because what it was about is gone for good. */
const GONE: ReadonlyMap<number, Gone> = new Map([[4004, 'thread'], [4005, 'everything']]);

export type Gone = 'thread' | 'everything';

export interface Listener {
  frame(frame: ServerFrame): void;
  link(link: Link): void;
  /** The socket closed before its first frame: perhaps the sign-in ended. */
  refused(): void;
  /** The conversation was deleted, or everything was forgotten, here or elsewhere. */
  gone(what: Gone): void;
}

export class Connection {
  readonly #url: string;
  readonly #listener: Listener;
  #socket: WebSocket | null = null;
  #failures = 0;
  #timer = 0;
  #ping = 0;
  #pong = 0;
  #closed = false;

  constructor(thread: string, listener: Listener) {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.#url = `${scheme}://${location.host}/api/chat?thread=${encodeURIComponent(thread)}`;
    this.#listener = listener;
    addEventListener('online', this.#online);
    addEventListener('offline', this.#offline);
    document.addEventListener('visibilitychange', this.#seen);
    this.#open();
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** False when there is nobody to send it to. */
  send(frame: ClientFrame): boolean {
    if (!this.isOpen) return false;
    this.#socket?.send(JSON.stringify(frame));
    return true;
  }

  /** Tries at once instead of at the end of the pause. */
  hurry(): void {
    if (this.#socket || this.#closed) return;
    clearTimeout(this.#timer);
    this.#open();
  }

  close(): void {
    this.#closed = true;
    removeEventListener('online', this.#online);
    removeEventListener('offline', this.#offline);
    document.removeEventListener('visibilitychange', this.#seen);
    this.#drop();
  }

  readonly #online = (): void => {
    this.#failures = 0;
    this.hurry();
  };

  readonly #offline = (): void => {
    this.#drop();
    this.#listener.link('offline');
  };

  readonly #seen = (): void => {
    if (document.visibilityState === 'visible') this.hurry();
  };

  #open(): void {
    if (!navigator.onLine) {
      this.#listener.link('offline');
      return;
    }
    this.#listener.link('connecting');
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    let greeted = false;
    socket.addEventListener('message', (event) => {
      if (socket !== this.#socket) return;
      clearTimeout(this.#pong);
      if (typeof event.data !== 'string' || event.data === 'pong') return;
      const frame = readFrame(event.data);
      if (!frame) return;
      if (!greeted && frame.type === 'ready') {
        greeted = true;
        this.#failures = 0;
        this.#listener.link('open');
      }
      this.#listener.frame(frame);
    });
    socket.addEventListener('open', () => {
      if (socket === this.#socket) this.#ping = setInterval(() => this.#beat(socket), PING_EVERY_MS);
    });
    socket.addEventListener('close', ({ code }) => {
      if (socket !== this.#socket) return;
      this.#drop();
      const gone = GONE.get(code);
      if (gone) {
        this.close();
        this.#listener.gone(gone);
        return;
      }
      if (!greeted) this.#listener.refused();
      this.#retryLater();
    });
  }

  #beat(socket: WebSocket): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send('ping');
    clearTimeout(this.#pong);
    this.#pong = setTimeout(() => {
      if (socket !== this.#socket) return;
      this.#drop();
      this.#retryLater();
    }, PONG_WITHIN_MS);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#ping);
    clearTimeout(this.#pong);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #retryLater(): void {
    if (this.#closed) return;
    if (!navigator.onLine) {
      this.#listener.link('offline');
      return;
    }
    this.#listener.link('waiting');
    this.#timer = setTimeout(() => this.#open(), pause(this.#failures, Math.random()));
    this.#failures += 1;
  }
}
