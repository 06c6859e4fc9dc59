/** The ledger: every change to memory, newest first, each with its way back. */

import { api } from '../shared/api.ts';
import { add, button, h } from '../shared/dom.ts';
import { attempt, describe, toast, type Session } from '../shared/session.ts';
import type { Change } from '../wire.ts';
import { openFact } from './fact.ts';

export function changesView(session: Session): HTMLElement {
  const { strings } = session;
  const list = h('ol', { class: 'changes' });
  const status = h('p', { class: 'quiet', role: 'status' });
  const more = button(strings.more, () => void load(), 'wide');
  const root = h('div', {}, h('h2', { class: 'unseen' }, strings.changes), status, list, more);
  let cursor: string | null = null;
  const load = async (): Promise<void> => {
    more.hidden = true;
    status.textContent = strings.loading;
    try {
      const page = await api.changes(cursor);
      cursor = page.next;
      for (const change of page.items) add(list, row(change, session));
      status.textContent = list.childElementCount === 0 ? strings.noChanges : '';
      more.hidden = cursor === null;
    } catch (problem) {
      status.textContent = describe(problem, strings);
      more.hidden = cursor === null;
    }
  };
  void load();
  return root;
}

function row(change: Change, session: Session): HTMLElement {
  const { strings, format } = session;
  const { fact } = change;
  const undone = h('span', { class: 'quiet small' }, strings.undone);
  undone.hidden = !change.undone;
  const undo = button(strings.undo, () => attempt(strings, async () => {
    await api.undo(change.change);
    undo.hidden = true;
    undone.hidden = false;
    toast(strings.undone);
  }), 'quiet small', 'undo');
  undo.hidden = change.undone || change.op === 'undone' || change.op === 'forgotten';
  return h('li', { class: `note ${change.op}` },
    h('span', { class: 'op' }, strings.ops[change.op]),
    fact ? h('button', { type: 'button', class: 'link', on: { click: () => openFact(fact.id, session, () => undefined) } }, fact.text) : null,
    change.reason ? h('span', { class: 'quiet small' }, change.reason) : null,
    change.at ? h('time', { class: 'quiet small', datetime: change.at }, format.moment(change.at, new Date())) : null,
    h('span', { class: 'actions' }, undo, undone));
}
