/** The chat page: joins socket, outbox and views. It decides nothing that `state.ts` can decide. */

import { api } from '../shared/api.ts';
import { add, button, byId, fill, h, iconButton } from '../shared/dom.ts';
import { openDialog } from '../shared/dialog.ts';
import { newClientId, Outbox } from '../shared/outbox.ts';
import { begin, describe, dropDrafts, toast, type Session } from '../shared/session.ts';
import { MEMORY_MODES, PROTOCOL, type MemoryMode, type ServerFrame } from '../wire.ts';
import { Composer } from './composer.ts';
import { Connection, type Gone, type Link } from './connection.ts';
import { Log } from './log.ts';
import { emptyThread, isOpen, step, type ChatEvent, type ThreadView } from './state.ts';
import { Threads } from './threads.ts';

/** How many older pages are loaded to find a message that a link names. */
const PAGES_FOR_A_LINK = 40;

class Chat {
  readonly #session: Session;
  readonly #outbox: Outbox;
  readonly #log: Log;
  readonly #composer: Composer;
  readonly #threads: Threads;
  readonly #banner = h('div', { class: 'banner', role: 'status' });
  readonly #title = h('h1', { class: 'thread-title' });
  readonly #mode: HTMLSelectElement;
  readonly #announce = h('div', { class: 'unseen', 'aria-live': 'polite' });
  readonly #side: HTMLElement;
  #connection: Connection | null = null;
  #view: ThreadView = emptyThread('main');
  #drawing = false;
  #loadingOlder = false;
  #link: Link = 'connecting';
  #sought: string | null = null;

  constructor(session: Session) {
    const { strings } = session;
    this.#session = session;
    this.#outbox = new Outbox(localStorage, session.me.user);
    this.#threads = new Threads(session, (thread) => this.#go(thread));
    this.#composer = new Composer(session, (text) => this.#send(text), () => this.#stop(), ...builtInSign(session));
    this.#log = new Log(session, {
      edit: (text) => this.#composer.take(text),
      retry: (turn) => this.#retry(turn),
      sendAgain: (client) => {
        this.#outbox.mark(client, false);
        this.#flush();
      },
      takeBack: (client, text) => {
        this.#outbox.drop(client);
        this.#apply({ type: 'dropped', id: client });
        if (text !== null) this.#composer.take(text);
        else this.#composer.focus();
      },
      settled: (change) => this.#apply({ type: 'settled', change, undone: true }),
      seen: (turn) => void this.#trace(turn),
    }, () => void this.#loadOlder(), (text) => this.#composer.take(text));
    this.#mode = h('select', { class: 'mode', 'aria-label': strings.mode });
    for (const mode of MEMORY_MODES) add(this.#mode, h('option', { value: mode }, strings.modes[mode]));
    this.#mode.addEventListener('change', () => this.#changeMode(this.#mode.value as MemoryMode));
    const toggle = iconButton('menu', strings.openThreads, () => this.#toggleSide(true), 'side-toggle');
    toggle.setAttribute('aria-controls', 'threads');
    this.#side = h('div', { class: 'side' }, this.#threads.root);
    this.#side.addEventListener('click', (event) => {
      if (event.target === this.#side) this.#toggleSide(false);
    });
    this.#side.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      this.#toggleSide(false);
      toggle.focus();
    });
    fill(byId('main'), this.#side, h('div', { class: 'conversation' },
      h('div', { class: 'thread-head' }, toggle, this.#title, this.#mode),
      this.#banner, this.#log.root, this.#log.newest, this.#composer.root, this.#announce));
    addEventListener('popstate', () => this.#open());
    addEventListener('hashchange', () => this.#seek());
    this.#threads.load().then(() => this.#draw(), (problem: unknown) => this.#threads.fail(problem));
    this.#open();
  }

  #go(thread: string): void {
    history.pushState(null, '', thread === 'main' ? '/' : `/?thread=${encodeURIComponent(thread)}`);
    this.#open();
    this.#composer.focus();
  }

  #open(): void {
    const thread = new URLSearchParams(location.search).get('thread') || 'main';
    this.#toggleSide(false);
    this.#threads.open(thread);
    this.#composer.open(thread);
    this.#connection?.close();
    this.#view = emptyThread(thread);
    for (const item of this.#outbox.all(thread)) {
      this.#apply({ type: 'queued', id: item.id, text: item.text, at: item.at });
    }
    this.#connection = new Connection(thread, {
      frame: (frame) => this.#receive(frame),
      link: (link) => {
        this.#link = link;
        this.#draw();
      },
      refused: () => void this.#askWhoIAm(),
      gone: (what) => this.#leave(thread, what),
    });
    this.#log.toEnd();
    this.#seek();
    if (matchMedia('(hover: hover)').matches && this.#sought === null) this.#composer.focus();
  }

  /** Nothing of what is gone stays in sight, nor what was to be sent to it. */
  #leave(thread: string, what: Gone): void {
    const { me } = this.#session;
    if (what === 'everything') {
      this.#composer.clear();
      dropDrafts(me);
      location.replace('/');
      return;
    }
    this.#go('main');
    // After the page has left it, and kept what was being written.
    dropDrafts(me, thread);
    this.#threads.load().catch((problem: unknown) => this.#threads.fail(problem));
  }

  #receive(frame: ServerFrame): void {
    const started = frame.type === 'ready';
    this.#apply({ type: 'frame', frame });
    switch (frame.type) {
      case 'ready':
        this.#flush();
        void this.#loadOlder();
        break;
      case 'accepted':
        this.#outbox.drop(frame.id);
        break;
      case 'error':
        if (frame.id !== null) this.#outbox.mark(frame.id, true);
        else toast(this.#session.strings.failures[frame.code] ?? frame.message);
        break;
      case 'done': {
        const text = frame.message.text;
        this.#announce.textContent = this.#session.strings.answered(text.length > 400 ? `${text.slice(0, 400)}…` : text);
        break;
      }
      default:
        break;
    }
    if (started) this.#seek();
  }

  #apply(event: ChatEvent): void {
    const result = step(this.#view, event);
    this.#view = result.view;
    for (const frame of result.frames) this.#connection?.send(frame);
    this.#draw();
  }

  /** At most once a frame, however many deltas came. */
  #draw(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#log.update(this.#view);
      this.#composer.canStop(this.#view.turns.some((turn) => isOpen(turn)));
      this.#mode.value = this.#view.ready ? this.#view.mode : this.#session.me.settings.memory_mode;
      this.#mode.title = this.#session.strings.modeHints[this.#view.mode];
      this.#mode.dataset['mode'] = this.#mode.value;
      const { current } = this.#threads;
      this.#title.textContent = this.#threads.title(current);
      this.#showBanner(current.temporary);
    });
  }

  #showBanner(temporary: boolean): void {
    const { strings } = this.#session;
    const stale = this.#view.ready && this.#view.protocol !== PROTOCOL;
    const away = this.#link === 'offline' || this.#link === 'waiting';
    const text = stale ? strings.newProtocol : this.#link === 'offline' ? strings.offline : away ? strings.reconnecting
      : temporary ? strings.temporaryText : '';
    this.#banner.hidden = text === '';
    this.#banner.classList.toggle('away', stale || away);
    if (this.#banner.dataset['text'] === text) return;
    this.#banner.dataset['text'] = text;
    fill(this.#banner, h('span', {}, text),
      stale ? button(strings.reload, () => location.reload(), 'small')
        : this.#link === 'waiting' ? button(strings.tryNow, () => this.#connection?.hurry(), 'small') : null);
  }

  #send(text: string): void {
    const id = newClientId(crypto.getRandomValues(new Uint8Array(16)));
    const at = new Date().toISOString();
    this.#outbox.add({ id, thread: this.#view.thread, text, at });
    this.#apply({ type: 'queued', id, text, at });
    this.#threads.name(text);
    this.#log.toEnd();
    if (this.#view.ready) this.#connection?.send({ type: 'send', id, text });
  }

  #flush(): void {
    for (const item of this.#outbox.due(this.#view.thread)) {
      this.#connection?.send({ type: 'send', id: item.id, text: item.text });
    }
  }

  /** The running turn first; only then what waits behind it. */
  #stop(): void {
    const open = this.#view.turns.filter((turn) => isOpen(turn));
    const target = open.find((turn) => turn.state === 'running') ?? open[0];
    if (target?.turn) this.#connection?.send({ type: 'stop', turn: target.turn });
  }

  #retry(turn: string): void {
    if (!this.#connection?.send({ type: 'retry', turn })) {
      toast(this.#session.strings.reconnecting);
      return;
    }
    this.#apply({ type: 'retrying', turn });
    this.#composer.focus();
  }

  async #loadOlder(): Promise<boolean> {
    const { thread, older, ready } = this.#view;
    if (!ready || older === null || this.#loadingOlder) return false;
    this.#loadingOlder = true;
    try {
      const page = await api.messages(thread, older ?? null);
      if (this.#view.thread !== thread) return false;
      this.#apply({ type: 'page', page });
      return true;
    } catch (problem) {
      if (this.#view.thread === thread) this.#apply({ type: 'page', page: { items: [], next: null } });
      console.warn(describe(problem, this.#session.strings));
      return false;
    } finally {
      this.#loadingOlder = false;
    }
  }

  /** Chips that can't be had are left out: the answer stands without them, and old traces are cleaned up. */
  async #trace(turn: string): Promise<void> {
    try {
      this.#apply({ type: 'trace', turn, trace: await api.trace(turn) });
    } catch (problem) {
      if ((problem as { status?: number }).status !== 404) console.warn(describe(problem, this.#session.strings));
    }
  }

  /** Goes to the message that the address names, loading older ones until it is there. */
  #seek(): void {
    this.#sought = decodeURIComponent(location.hash.slice(1)) || null;
    if (this.#sought !== null && this.#view.ready) void this.#seekOn(this.#sought);
  }

  async #seekOn(message: string): Promise<void> {
    for (let page = 0; page < PAGES_FOR_A_LINK && this.#sought === message; page += 1) {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      if (this.#log.show(message)) {
        this.#sought = null;
        return;
      }
      if (this.#view.older === null) return;
      if (!await this.#loadOlder()) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #changeMode(mode: MemoryMode): void {
    const { strings, me } = this.#session;
    const before = this.#view.mode;
    this.#view = { ...this.#view, mode };
    me.settings.memory_mode = mode;
    toast(strings.modeHints[mode]);
    api.settings({ memory_mode: mode }).catch((problem: unknown) => {
      this.#view = { ...this.#view, mode: before };
      toast(describe(problem, strings));
      this.#draw();
    });
    this.#draw();
  }

  #toggleSide(open: boolean): void {
    this.#side.classList.toggle('open', open);
    if (open) this.#side.querySelector('button')?.focus();
  }

  /** A refused socket says nothing about why; if nobody is signed in any more, the page begins anew. */
  async #askWhoIAm(): Promise<void> {
    try {
      await api.me();
    } catch (problem) {
      if (describe(problem, this.#session.strings) && (problem as { status?: number }).status === 401) location.reload();
    }
  }
}

/** The sign that no language model is connected, if none is. */
function builtInSign(session: Session): HTMLElement[] {
  const { strings, me } = session;
  if (me.providers['model'] !== 'embedded') return [];
  return [button(strings.builtIn, () => {
    openDialog(strings.builtInTitle, strings,
      h('p', {}, strings.builtInText),
      h('p', {}, strings.builtInHow),
      h('pre', { class: 'plain-code', tabindex: 0, role: 'region', 'aria-label': strings.code },
        'MODEL_PROVIDER=openai\nMODEL_BASE_URL=http://localhost:11434/v1\nMODEL_API_KEY=…\nCHAT_MODEL=…'));
  }, 'small built-in', 'info')];
}

const session = await begin('chat');
new Chat(session);
