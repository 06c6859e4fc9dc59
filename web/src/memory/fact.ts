/** A fact on the memory page: as a card of the list, and opened with its history. */

import { api, Problem } from '../shared/api.ts';
import { add, button, fill, h, icon, iconButton, type Child } from '../shared/dom.ts';
import { askText, openDialog } from '../shared/dialog.ts';
import { quote, validity } from '../shared/fact.ts';
import { attempt, describe, toast, type Session } from '../shared/session.ts';
import type { Fact } from '../wire.ts';
import { deleteFact } from './forget.ts';

/** How many steps of a fact's past are followed. */
const LONGEST_CHAIN = 20;

export class FactCard {
  readonly root = h('li', { class: 'fact' });
  readonly #session: Session;
  /** The list is no longer what the server has: a fact went, or came to another state. */
  readonly #stale: () => void;

  constructor(fact: Fact, session: Session, stale: () => void) {
    this.#session = session;
    this.#stale = stale;
    this.#show(fact);
  }

  #show(fact: Fact): void {
    const { strings } = this.#session;
    this.root.dataset['status'] = fact.status;
    fill(this.root,
      h('div', { class: 'fact-main' },
        h('p', { class: 'sentence' },
          fact.pinned ? h('span', { class: 'pin', role: 'img', 'aria-label': strings.pinned, title: strings.pinned }, icon('pin')) : null,
          h('button', { type: 'button', class: 'link', on: { click: () => openFact(fact.id, this.#session, this.#stale) } }, fact.text)),
        facts(fact, this.#session),
        quote(fact, this.#session)),
      h('div', { class: 'fact-actions' }, ...this.#actions(fact)));
  }

  #actions(fact: Fact): Child[] {
    const { strings } = this.#session;
    const change = (to: { pinned?: boolean; status?: 'current' }) => () => attempt(strings, async () => {
      const changed = await api.changeFact(fact.id, to);
      if (to.status || !changed) this.#stale();
      else {
        this.#show(changed);
        this.root.querySelector<HTMLElement>('[data-pin]')?.focus();
      }
    });
    const remove = iconButton('remove', strings.deleteFact, () => void deleteFact(fact, this.#session).then((gone) => {
      if (!gone) return;
      const next = this.root.nextElementSibling ?? this.root.previousElementSibling;
      this.root.remove();
      next?.querySelector('button')?.focus();
    }));
    if (fact.status === 'held') {
      return [
        button(strings.approve, change({ status: 'current' }), 'small', 'check'),
        button(strings.reject, () => attempt(strings, async () => {
          await api.deleteFact(fact.id, false);
          toast(strings.rejected);
          this.#stale();
        }), 'small', 'close'),
      ];
    }
    const pin = iconButton('pin', fact.pinned ? strings.unpin : strings.pin, change({ pinned: !fact.pinned }));
    pin.dataset['pin'] = '';
    pin.setAttribute('aria-pressed', String(fact.pinned));
    return [pin, iconButton('edit', strings.editFact, () => this.#edit(fact)), remove];
  }

  #edit(fact: Fact): void {
    const { strings } = this.#session;
    attempt(strings, async () => {
      const text = await askText(strings.editFact, strings.factText, fact.text, strings, true);
      if (text === null || text === fact.text) return;
      const changed = await api.changeFact(fact.id, { text });
      toast(strings.selected);
      if (changed && changed.id === fact.id) this.#show(changed);
      else this.#stale();
    });
  }
}

/** Kind, validity, last confirmation and copies in one quiet line. */
function facts(fact: Fact, session: Session): HTMLElement {
  const { strings, format } = session;
  const now = new Date();
  const stores = Object.entries(fact.mirrors).filter(([, state]) => state === 'pending')
    .map(([store]) => strings.named(strings.stores[store] ?? store, strings.states['pending'] ?? 'pending'));
  const parts = [
    fact.status === 'current' ? '' : strings.statuses[fact.status],
    validity(fact, session),
    fact.observed_at === null ? '' : strings.lastSaid(format.day(fact.observed_at, now)),
    fact.scope === 'global' ? '' : strings.onlyInThread,
    ...stores,
  ];
  return h('p', { class: 'quiet small meta' }, h('span', { class: 'kind' }, strings.kinds[fact.kind]),
    ...parts.filter((part) => part !== '').map((part) => h('span', {}, part)));
}

/** Opens a fact with everything that is known of it. */
export function openFact(id: string, session: Session, stale: () => void): void {
  const { strings } = session;
  const body = h('div', { 'aria-live': 'polite' }, h('p', { class: 'quiet' }, strings.loading));
  const open = openDialog(strings.fact, strings, body);
  open.dialog.addEventListener('close', () => {
    if (location.hash.startsWith('#fact=')) history.replaceState(null, '', '#facts');
  });
  api.fact(id).then(async (fact) => {
    const mirrors = h('dl', { class: 'rows' });
    for (const [store, state] of Object.entries(fact.mirrors)) {
      add(mirrors, h('div', {}, h('dt', {}, strings.stores[store] ?? store), h('dd', {}, strings.states[state] ?? state)));
    }
    const history = h('div');
    fill(body,
      h('ul', { class: 'facts single' }, new FactCard(fact, session, () => {
        open.close();
        stale();
      }).root),
      history,
      mirrors.childElementCount > 0 ? h('h3', {}, strings.mirrored) : null,
      mirrors.childElementCount > 0 ? mirrors : null);
    await showHistory(fact, history, session);
  }).catch((problem: unknown) => fill(body, h('p', { role: 'alert' }, describe(problem, strings))));
}

/** The versions of a fact, newest first: what it replaced, and what replaced it. */
async function showHistory(fact: Fact, place: HTMLElement, session: Session): Promise<void> {
  const { strings, format } = session;
  const chain = [fact];
  for (let next = fact.superseded_by; next !== null && chain.length < LONGEST_CHAIN;) {
    const newer = await find(next);
    if (!newer) break;
    chain.unshift(newer);
    next = newer.superseded_by;
  }
  for (let older = [...fact.supersedes]; older.length > 0 && chain.length < LONGEST_CHAIN;) {
    const found = await find(older.shift() ?? '');
    if (!found || chain.some((it) => it.id === found.id)) continue;
    chain.push(found);
    older = [...older, ...found.supersedes];
  }
  if (chain.length === 1) return;
  fill(place, h('h3', {}, strings.history), h('ol', { class: 'chain' }, ...chain.map((it) => h('li', {
    class: it.id === fact.id ? 'this' : '',
  },
    h('p', { class: 'quiet small' }, [
      it.status === 'past' ? strings.was : strings.nowIs, validity(it, session) || (it.observed_at ? format.day(it.observed_at, new Date()) : ''),
    ].join(' · ')),
    h('p', { class: 'sentence' }, it.text),
    it.source?.quote ? h('p', { class: 'quiet small' }, strings.quoted(it.source.quote)) : null))));
}

async function find(id: string): Promise<Fact | null> {
  try {
    return await api.fact(id);
  } catch (problem) {
    if (problem instanceof Problem) return null;
    throw problem;
  }
}
