/** Memory under an answer: what it was given, and what was kept of what the user said. */

import { api } from '../shared/api.ts';
import { add, button, fill, h } from '../shared/dom.ts';
import { openDialog } from '../shared/dialog.ts';
import { messageLink, quote, validity } from '../shared/fact.ts';
import { attempt, describe, type Session } from '../shared/session.ts';
import type { Change, Passage, Recalled } from '../wire.ts';

/** More than these are opened by those who want to see them. */
const CHIPS_OPEN = 3;

/** Chips, or null when nothing was recalled: an empty row would only be noise. */
export function recalledChips(recalled: Recalled, session: Session): HTMLElement | null {
  const { strings } = session;
  const total = recalled.facts.length + recalled.passages.length;
  const rewritten = recalled.query.searched !== recalled.query.original;
  if (total === 0 && !rewritten) return null;
  const list = h('ul', { class: 'chips', 'aria-label': total === 0 ? strings.recalledNone : strings.recalled(total) });
  for (const fact of recalled.facts) {
    add(list, h('li', {}, h('button', { type: 'button', class: 'chip', on: { click: () => openFact(fact.id, session) } }, fact.text)));
  }
  for (const passage of recalled.passages) {
    add(list, h('li', {}, h('button', {
      type: 'button', class: 'chip passage', on: { click: () => openPassage(passage, session) },
    }, passage.text)));
  }
  return h('details', { class: 'recalled', open: total <= CHIPS_OPEN },
    h('summary', {}, total === 0 ? strings.recalledNone : strings.recalled(total)),
    rewritten ? h('dl', { class: 'query' },
      h('dt', {}, strings.asked), h('dd', {}, recalled.query.original),
      h('dt', {}, strings.searchedAs), h('dd', {}, recalled.query.searched)) : null,
    list);
}

function openFact(id: string, session: Session): void {
  const { strings } = session;
  const body = h('div', { 'aria-live': 'polite' }, h('p', { class: 'quiet' }, strings.loading));
  openDialog(strings.fact, session.strings, body);
  api.fact(id).then((fact) => {
    fill(body,
      h('p', { class: 'sentence' }, fact.text),
      h('p', { class: 'quiet small' }, [strings.kinds[fact.kind], strings.statuses[fact.status], validity(fact, session)]
        .filter((part) => part !== '').join(' · ')),
      quote(fact, session),
      h('p', {}, h('a', { href: `/memory#fact=${encodeURIComponent(id)}` }, strings.openOnPage)));
  }, (problem: unknown) => fill(body, h('p', { role: 'alert' }, describe(problem, strings))));
}

function openPassage(passage: Passage, session: Session): void {
  const { strings, format } = session;
  const who = passage.role === 'assistant' ? strings.assistant : strings.you;
  const when = passage.said_at === null ? '' : format.moment(passage.said_at, new Date());
  openDialog(strings.passage, strings,
    h('figure', { class: 'quote' },
      h('blockquote', {}, passage.text),
      h('figcaption', { class: 'quiet small' },
        h('span', {}, passage.role === null ? when : strings.saidBy(who, when)),
        passage.message === null ? null : h('a', { href: messageLink(passage.thread, passage.message) }, strings.toMessage))));
}

/** The changes of memory that a turn made, each with its way back. */
export function changeNotes(
  changes: readonly Change[], session: Session, settled: (change: string) => void,
): HTMLElement | null {
  if (changes.length === 0) return null;
  const list = h('ul', { class: 'remembered' });
  for (const change of changes) add(list, changeNote(change, session, settled));
  return list;
}

function changeNote(change: Change, session: Session, settled: (change: string) => void): HTMLElement {
  const { strings } = session;
  const { fact } = change;
  const act = (work: () => Promise<unknown>) => () => attempt(strings, async () => {
    await work();
    settled(change.change);
  });
  const actions = h('span', { class: 'actions' });
  if (change.undone) add(actions, h('span', { class: 'quiet' }, strings.undone));
  else if (change.op === 'held' && fact) {
    add(actions,
      button(strings.approve, act(() => api.changeFact(fact.id, { status: 'current' })), 'small'),
      button(strings.reject, act(() => api.deleteFact(fact.id, false)), 'small'));
  } else if (change.op !== 'forgotten') {
    add(actions, button(strings.undo, act(() => api.undo(change.change)), 'quiet small', 'undo'));
  }
  return h('li', { class: `note ${change.op}` },
    h('span', { class: 'op' }, strings.ops[change.op]),
    fact ? h('button', { type: 'button', class: 'link', on: { click: () => openFact(fact.id, session) } }, fact.text) : null,
    change.reason ? h('span', { class: 'quiet small' }, strings.reasons[change.reason] ?? change.reason) : null,
    actions);
}
