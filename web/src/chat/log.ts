/**
 * The messages of a thread, oldest above.
 *
 * It follows the newest text only while the reader is at the end; otherwise what is read stays where it is, also when
 * older messages are put above it.
 */

import { add, fill, h, iconButton } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import type { ThreadView, Turn } from './state.ts';
import { TurnElement, type TurnActions } from './turn.ts';

/** How near the end, in pixels, still counts as being there. */
const NEAR_PX = 48;

export class Log {
  readonly root = h('div', { class: 'log', role: 'log', 'aria-live': 'off', tabindex: 0 });
  readonly newest: HTMLButtonElement;
  readonly #session: Session;
  readonly #actions: TurnActions;
  readonly #top = h('div', { class: 'log-top quiet small' });
  readonly #list = h('div', { class: 'turns' });
  readonly #empty: HTMLElement;
  readonly #needOlder: () => void;
  readonly #turns = new Map<string, TurnElement>();
  readonly #days = new Map<string, HTMLElement>();
  readonly #sight: IntersectionObserver;
  /** Turns whose memory is asked for when they come into sight. */
  readonly #unseen = new Map<Element, string>();
  #following = true;

  constructor(session: Session, actions: TurnActions, needOlder: () => void, start: (text: string) => void) {
    const { strings } = session;
    this.#session = session;
    this.#actions = actions;
    this.#needOlder = needOlder;
    this.root.setAttribute('aria-label', strings.log);
    this.newest = iconButton('down', strings.newest, () => this.toEnd(), 'newest');
    this.newest.hidden = true;
    this.#empty = h('div', { class: 'empty' },
      h('div', { class: 'seal large', 'aria-hidden': 'true' }, '憶'),
      h('p', { class: 'greeting' }, strings.emptyTitle(session.me.name)),
      h('p', { class: 'quiet' }, strings.emptyText),
      h('ul', { class: 'starters' }, ...strings.starters.map((text) =>
        h('li', {}, h('button', { type: 'button', class: 'chip', on: { click: () => start(text) } }, text)))));
    this.#empty.hidden = true;
    add(this.root, this.#top, this.#empty, this.#list);
    this.root.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.#needOlder();
    }, { root: this.root, rootMargin: '300px' }).observe(this.#top);
    this.#sight = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        const turn = this.#unseen.get(target);
        if (!isIntersecting || turn === undefined) continue;
        this.#forgetSight(target);
        this.#actions.seen(turn);
      }
    }, { root: this.root });
    // An image-free log grows only by text and by opened details; both keep the end in sight.
    new ResizeObserver(() => this.#stay()).observe(this.#list);
  }

  update(view: ThreadView): void {
    const anchor = this.#following ? null : this.#firstSeen();
    const wanted = new Set(view.turns.map((turn) => turn.key));
    for (const [key, element] of this.#turns) {
      if (!wanted.has(key)) {
        element.root.remove();
        this.#forgetSight(element.root);
        this.#turns.delete(key);
      }
    }
    this.#place(view.turns);
    this.#empty.hidden = !(view.ready && view.turns.length === 0 && view.older !== undefined);
    this.#showTop(view);
    if (anchor) this.root.scrollTop += anchor.element.getBoundingClientRect().top - anchor.top;
    this.#stay();
  }

  /** Whether more could be asked for because the end of what is loaded is in sight. */
  get topIsNear(): boolean {
    return this.root.scrollTop < 300;
  }

  toEnd(): void {
    this.#following = true;
    this.#stay();
  }

  /** Scrolls to a message and marks it, if it is loaded. */
  show(message: string): boolean {
    const element = document.getElementById(message);
    if (!element || !this.root.contains(element)) return false;
    this.#following = false;
    element.scrollIntoView({ block: 'center' });
    element.classList.add('shown');
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    return true;
  }

  #place(turns: readonly Turn[]): void {
    const { format, strings } = this.#session;
    const now = new Date();
    const today = format.dayKey(now.toISOString());
    const yesterday = format.dayKey(new Date(now.getTime() - 86_400_000).toISOString());
    let next: Element | null = this.#list.firstElementChild;
    let day = '';
    const days = new Set<string>();
    const put = (element: HTMLElement): void => {
      if (element === next) next = next.nextElementSibling;
      else this.#list.insertBefore(element, next);
    };
    turns.forEach((turn, index) => {
      const at = turn.user?.created_at || turn.answer?.created_at || '';
      const key = at === '' ? day : format.dayKey(at);
      if (key !== '' && key !== day) {
        day = key;
        days.add(turn.key);
        let line = this.#days.get(turn.key);
        if (!line) {
          line = h('div', { class: 'day' });
          this.#days.set(turn.key, line);
        }
        const label = key === today ? strings.today : key === yesterday ? strings.yesterday : format.weekday(at, now);
        if (line.textContent !== label) fill(line, h('span', {}, label));
        put(line);
      }
      let element = this.#turns.get(turn.key);
      if (!element) {
        element = new TurnElement(this.#session, this.#actions);
        this.#turns.set(turn.key, element);
        // Loaded and not lived through: its chips are asked for.
        if (turn.turn !== null && turn.answer?.id && turn.state === 'done' && turn.usage === null) {
          this.#unseen.set(element.root, turn.turn);
          this.#sight.observe(element.root);
        }
      }
      put(element.root);
      element.update(turn, index === turns.length - 1);
    });
    for (const [key, line] of this.#days) {
      if (!days.has(key)) {
        line.remove();
        this.#days.delete(key);
      }
    }
  }

  #forgetSight(element: Element): void {
    this.#unseen.delete(element);
    this.#sight.unobserve(element);
  }

  #showTop(view: ThreadView): void {
    const { strings } = this.#session;
    const text = view.older === null ? (view.turns.length > 0 ? strings.noOlder : '') : view.ready ? strings.older : strings.loading;
    if (this.#top.textContent === text) return;
    if (view.older === null || !view.ready) this.#top.textContent = text;
    else fill(this.#top, h('button', { type: 'button', class: 'button quiet small', on: { click: () => this.#needOlder() } }, text));
  }

  #firstSeen(): { element: Element; top: number } | null {
    const edge = this.root.getBoundingClientRect().top;
    for (const element of this.#list.children) {
      const box = element.getBoundingClientRect();
      if (box.bottom > edge) return { element, top: box.top };
    }
    return null;
  }

  #scrolled(): void {
    const left = this.root.scrollHeight - this.root.scrollTop - this.root.clientHeight;
    this.#following = left < NEAR_PX;
    this.newest.hidden = this.#following;
  }

  #stay(): void {
    if (this.#following) this.root.scrollTop = this.root.scrollHeight;
    else this.newest.hidden = false;
  }
}
