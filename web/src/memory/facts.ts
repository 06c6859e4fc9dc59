/**
 * The list of facts, with search, filters and what waits for a decision.
 *
 * Pages are loaded as the reader comes near the end; the browser lays out only what is in sight
 * (`content-visibility`), so ten thousand facts scroll like fifty.
 */

import { api, type FactQuery } from '../shared/api.ts';
import { add, button, fill, h } from '../shared/dom.ts';
import { askText } from '../shared/dialog.ts';
import { attempt, describe, toast, type Session } from '../shared/session.ts';
import { threadTitle } from '../shared/thread.ts';
import { KINDS, STATUSES, type Fact, type Kind } from '../wire.ts';
import { FactCard, openFact } from './fact.ts';
import { timeline } from './pictures.ts';

const PAGE = 100;
/** Days back from now, or a pair of days. In this order, which an object with numbers for keys would not keep. */
const PERIODS = ['', '7', '30', '365', 'between'];
/** Long enough that a word being typed isn't searched letter by letter. */
const TYPING_MS = 250;

export class FactsView {
  readonly root = h('div', { class: 'facts-view' });
  readonly #session: Session;
  readonly #list = h('ul', { class: 'facts' });
  readonly #held = h('section', { class: 'held-box', hidden: true });
  readonly #status = h('p', { class: 'quiet small', role: 'status' });
  readonly #more: HTMLButtonElement;
  readonly #picture = h('div', { class: 'picture-place' });
  readonly #search: HTMLInputElement;
  readonly #selects: Record<'match' | 'status' | 'kind' | 'thread' | 'period', HTMLSelectElement>;
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;
  readonly #days: HTMLElement;
  #shown: Fact[] = [];
  #cursor: string | null = null;
  /** Counts the questions, so that a late answer to an older one is dropped. */
  #asked = 0;
  #loading = false;
  #timer = 0;
  #drawing = 0;

  constructor(session: Session) {
    const { strings } = session;
    this.#session = session;
    this.#search = h('input', {
      type: 'search', id: 'fact-search', 'aria-label': strings.searchFacts, placeholder: strings.searchFacts, autocomplete: 'off',
    });
    this.#search.addEventListener('input', (event) => {
      if ((event as InputEvent).isComposing) return;
      this.#later();
    });
    this.#search.addEventListener('compositionend', () => this.#later());
    const choose = (label: string, options: [string, string][]): HTMLSelectElement => {
      const select = h('select', { 'aria-label': label });
      for (const [value, name] of options) add(select, h('option', { value }, name));
      select.addEventListener('change', () => this.refresh());
      return select;
    };
    this.#selects = {
      match: choose(strings.match, Object.entries(strings.matches)),
      status: choose(strings.status, [...STATUSES, 'all' as const].map((it) => [it, strings.statuses[it]])),
      kind: choose(strings.kind, [['', strings.anyKind], ...KINDS.map((it): [string, string] => [it, strings.kinds[it]])]),
      thread: choose(strings.thread, [['', strings.anyThread]]),
      period: choose(strings.period, PERIODS.map((it) => [it, strings.periods[it] ?? it])),
    };
    this.#selects.period.addEventListener('change', () => {
      this.#days.hidden = this.#selects.period.value !== 'between';
      if (!this.#days.hidden) this.#from.focus();
    });
    const day = (label: string): HTMLInputElement => h('input', { type: 'date', 'aria-label': label, on: { change: () => this.refresh() } });
    this.#from = day(strings.fromDay);
    this.#to = day(strings.toDay);
    this.#days = h('div', { class: 'days', hidden: true }, this.#from, h('span', { 'aria-hidden': 'true' }, '–'), this.#to);
    this.#more = button(strings.more, () => void this.#load(), 'wide');
    this.#more.hidden = true;
    add(this.root,
      this.#held,
      h('form', { class: 'filters', role: 'search', on: { submit: (event) => event.preventDefault() } },
        this.#search, button(strings.addFact, () => this.#add(), 'primary', 'add'),
        h('div', { class: 'filters-row' }, this.#selects.status, this.#selects.kind, this.#selects.thread, this.#selects.period, this.#selects.match),
        this.#days),
      this.#status, this.#picture, this.#list, this.#more);
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && this.#cursor !== null) void this.#load();
    }, { rootMargin: '800px' }).observe(this.#more);
    api.threads(null).then((page) => {
      for (const thread of page.items) {
        const title = threadTitle(thread, strings);
        add(this.#selects.thread, h('option', { value: thread.id }, title));
      }
    }, () => undefined);
  }

  refresh(): void {
    // How to search is a question only once something is sought.
    this.#selects.match.hidden = this.#search.value.trim() === '';
    this.#cursor = null;
    this.#shown = [];
    void this.#load(true);
    void this.#loadHeld();
  }

  open(id: string): void {
    openFact(id, this.#session, () => this.refresh());
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), TYPING_MS);
  }

  #query(): FactQuery {
    return {
      q: this.#search.value.trim(),
      match: this.#selects.match.value as FactQuery['match'],
      status: this.#selects.status.value as FactQuery['status'],
      kind: this.#selects.kind.value as Kind | '',
      thread: this.#selects.thread.value,
      ...this.#period(),
      cursor: this.#cursor,
      limit: PAGE,
    };
  }

  #period(): { since: string | null; until: string | null } {
    const { value } = this.#selects.period;
    const { format } = this.#session;
    if (value === '') return { since: null, until: null };
    if (value !== 'between') return { since: new Date(Date.now() - Number(value) * 86_400_000).toISOString(), until: null };
    return {
      since: this.#from.value === '' ? null : format.startOfDay(this.#from.value, 0),
      until: this.#to.value === '' ? null : format.startOfDay(this.#to.value, 1),
    };
  }

  async #load(fresh = false): Promise<void> {
    if (this.#loading && !fresh) return;
    const { strings, format } = this.#session;
    this.#asked += 1;
    const asked = this.#asked;
    this.#loading = true;
    this.#list.setAttribute('aria-busy', 'true');
    try {
      const page = await api.facts(this.#query());
      if (asked !== this.#asked) return;
      if (fresh) fill(this.#list);
      this.#cursor = page.next;
      this.#shown.push(...page.items);
      for (const fact of page.items) this.#list.append(new FactCard(fact, this.#session, () => this.refresh()).root);
      this.#status.textContent = this.#shown.length === 0 ? '' : [
        strings.loaded(format.number(this.#shown.length), page.next !== null), strings.sources[page.source] ?? '',
      ].filter((it) => it !== '').join(' · ');
      if (this.#shown.length === 0) this.#showEmpty();
      this.#draw();
    } catch (problem) {
      if (asked !== this.#asked) return;
      if (fresh) fill(this.#list);
      this.#cursor = null;
      fill(this.#status, h('span', { class: 'trouble' }, describe(problem, strings)), ' ', button(strings.tryAgain, () => this.refresh(), 'small'));
    } finally {
      if (asked === this.#asked) {
        this.#loading = false;
        this.#list.removeAttribute('aria-busy');
        this.#more.hidden = this.#cursor === null;
      }
    }
  }

  /** The picture counts every fact shown, so it waits for a pause in scrolling. */
  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = setTimeout(() => fill(this.#picture, timeline(this.#shown, this.#session)), this.#shown.length > PAGE ? 500 : 0);
  }

  #showEmpty(): void {
    const { strings } = this.#session;
    const { q, kind, thread, status, since, until } = this.#query();
    const filtered = q !== '' || kind !== '' || thread !== '' || status !== 'current' || since !== null || until !== null;
    add(this.#list, h('li', { class: 'empty' },
      h('p', {}, filtered ? strings.noMatches : strings.noFacts),
      filtered ? button(strings.clearFilters, () => {
        this.#search.value = '';
        this.#selects.status.value = 'current';
        this.#selects.kind.value = '';
        this.#selects.thread.value = '';
        this.#selects.period.value = '';
        this.#days.hidden = true;
        this.refresh();
        this.#search.focus();
      }) : h('p', { class: 'quiet' }, strings.noFactsText)));
  }

  async #loadHeld(): Promise<void> {
    const { strings } = this.#session;
    try {
      const page = await api.facts({ q: '', match: 'keyword', status: 'held', kind: '', thread: '', since: null, until: null, cursor: null, limit: 20 });
      this.#held.hidden = page.items.length === 0;
      fill(this.#held,
        h('h2', {}, strings.heldTitle(page.items.length)),
        h('p', { class: 'quiet small' }, strings.heldText),
        h('ul', { class: 'facts' }, ...page.items.map((fact) => new FactCard(fact, this.#session, () => this.refresh()).root)));
    } catch {
      // The list itself tells what is wrong.
      this.#held.hidden = true;
    }
  }

  #add(): void {
    const { strings } = this.#session;
    attempt(strings, async () => {
      const text = await askText(strings.addFact, strings.factText, '', strings, true);
      if (text === null) return;
      await api.addFact(text, 'other');
      toast(strings.factAdded);
      this.refresh();
    });
  }
}
