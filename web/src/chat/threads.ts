/** The list of conversations at the side; on a narrow page it lies over the chat. */

import { api } from '../shared/api.ts';
import { add, button, fill, h, icon, iconButton } from '../shared/dom.ts';
import { ask, askText, openDialog } from '../shared/dialog.ts';
import { attempt, describe, dropDrafts, toast, type Session } from '../shared/session.ts';
import { isNameless, threadTitle } from '../shared/thread.ts';
import type { Thread } from '../wire.ts';

/** A title made of the first message, until somebody gives a better one. */
export function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  const letters = [...line];
  return letters.length > 40 ? `${letters.slice(0, 39).join('')}…` : line;
}

export class Threads {
  readonly root: HTMLElement;
  readonly #session: Session;
  readonly #go: (thread: string) => void;
  readonly #list = h('ul', { class: 'thread-list' });
  readonly #search: HTMLInputElement;
  #threads: Thread[] = [];
  #current = 'main';

  constructor(session: Session, go: (thread: string) => void) {
    const { strings } = session;
    this.#session = session;
    this.#go = go;
    this.#search = h('input', { type: 'search', 'aria-label': strings.searchThreads, placeholder: strings.searchThreads });
    this.#search.addEventListener('input', () => this.#show());
    this.root = h('nav', { class: 'threads', id: 'threads', 'aria-label': strings.threads },
      h('div', { class: 'threads-new' },
        button(strings.newThread, () => this.create(false), 'wide', 'add'),
        iconButton('temporary', strings.newTemporary, () => this.create(true))),
      this.#search,
      this.#list);
  }

  get current(): Thread {
    return this.#threads.find((thread) => thread.id === this.#current)
      ?? { id: this.#current, title: null, temporary: false, created_at: null, updated_at: null };
  }

  title(thread: Thread): string {
    return threadTitle(thread, this.#session.strings);
  }

  open(thread: string): void {
    this.#current = thread;
    this.#show();
  }

  async load(): Promise<void> {
    const all: Thread[] = [];
    let cursor: string | null = null;
    do {
      const page = await api.threads(cursor);
      all.push(...page.items);
      cursor = page.next;
    } while (cursor !== null && all.length < 2000);
    this.#threads = all;
    this.#show();
  }

  /** Gives an untitled thread the first message's beginning. */
  name(text: string): void {
    const { current } = this;
    if (!isNameless(current)) return;
    attempt(this.#session.strings, async () => {
      await api.renameThread(current.id, titleOf(text));
      await this.load();
    });
  }

  create(temporary: boolean): void {
    attempt(this.#session.strings, async () => {
      const thread = await api.addThread(temporary);
      this.#threads = [thread, ...this.#threads];
      this.#go(thread.id);
    });
  }

  fail(problem: unknown): void {
    fill(this.#list, h('li', { class: 'quiet small' }, describe(problem, this.#session.strings)));
  }

  #show(): void {
    const { strings } = this.#session;
    const sought = this.#search.value.normalize('NFKC').toLowerCase().trim();
    const known = this.#threads.some((thread) => thread.id === this.#current) ? this.#threads : [this.current, ...this.#threads];
    const found = known.filter((thread) => this.title(thread).normalize('NFKC').toLowerCase().includes(sought));
    fill(this.#list, ...found.map((thread) => {
      const title = this.title(thread);
      const link = h('a', {
        href: `/?thread=${encodeURIComponent(thread.id)}`, 'aria-current': thread.id === this.#current ? 'true' : null,
      }, thread.temporary ? icon('temporary') : null, h('span', {}, title));
      link.addEventListener('click', (event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        this.#go(thread.id);
      });
      return h('li', {}, link, iconButton('edit', strings.threadActions(title), () => this.#manage(thread), 'small'));
    }));
    if (found.length === 0) add(this.#list, h('li', { class: 'quiet small' }, strings.noThreads));
  }

  #manage(thread: Thread): void {
    const { strings } = this.#session;
    const open = openDialog(this.title(thread), strings, h('div', { class: 'actions' },
      button(strings.rename, () => {
        open.close();
        this.#rename(thread);
      }, '', 'edit'),
      button(strings.deleteThread, () => {
        open.close();
        this.#delete(thread);
      }, 'danger', 'remove')));
  }

  #rename(thread: Thread): void {
    const { strings } = this.#session;
    attempt(strings, async () => {
      const title = await askText(strings.rename, strings.title, thread.title ?? '', strings);
      if (title === null) return;
      await api.renameThread(thread.id, title);
      await this.load();
      toast(strings.selected);
    });
  }

  #delete(thread: Thread): void {
    const { strings } = this.#session;
    attempt(strings, async () => {
      const facts = h('input', { type: 'checkbox', id: 'thread-facts' });
      const sure = await ask(strings.deleteThread, strings.deleteThreadAsk(this.title(thread)), strings.deleteThread, strings,
        thread.temporary ? null : h('p', { class: 'check' }, facts, h('label', { for: 'thread-facts' }, strings.deleteThreadFacts)));
      if (!sure) return;
      const forgotten = await api.deleteThread(thread.id, facts.checked);
      if (facts.checked) toast(strings.deletedThreadFacts(this.#session.format.number(forgotten)));
      this.#threads = this.#threads.filter((it) => it.id !== thread.id);
      if (thread.id === this.#current) this.#go('main');
      // After the page has left it, and kept what was being written.
      dropDrafts(this.#session.me, thread.id);
      await this.load();
    });
  }
}
