/** The ledger: every change to memory, newest first, each with its way back. */

import { api } from '../shared/api.ts';
import { add, button, h } from '../shared/dom.ts';
import { attempt, describe, toast, type Session } from '../shared/session.ts';
import type { Entry } from '../wire.ts';
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
      for (const entry of page.items) add(list, row(entry, session, again));
      status.textContent = list.childElementCount === 0 ? strings.noChanges : '';
      more.hidden = cursor === null;
    } catch (problem) {
      status.textContent = describe(problem, strings);
      more.hidden = cursor === null;
    }
  };
  const again = (): void => {
    cursor = null;
    list.replaceChildren();
    void load();
  };
  void load();
  return root;
}

function row(entry: Entry, session: Session, again: () => void): HTMLElement {
  const { strings, format } = session;
  const { before, after, op } = entry;
  const fact = after ?? before;
  const why = entry.reason === null ? null : strings.reasons[entry.reason] ?? entry.reason;
  return h('li', { class: `note ${entry.undone ? 'undone' : op}` },
    h('span', { class: 'op' }, strings.ops[op]),
    h('div', { class: 'change-text' },
      fact ? h('button', { type: 'button', class: 'link', on: { click: () => openFact(fact.id, session, again) } }, fact.text)
        : h('span', { class: 'quiet' }, strings.wiped),
      before && after && before.text !== after.text ? h('span', { class: 'quiet small' }, `${strings.was}: ${before.text}`) : null,
      h('span', { class: 'quiet small' }, [entry.at ? format.moment(entry.at, new Date()) : '', op === 'forgotten' ? '' : why ?? ''].filter((it) => it !== '').join(' · '))),
    h('span', { class: 'actions' },
      entry.undone ? h('span', { class: 'quiet small' }, strings.undone)
        : entry.undoable ? button(strings.undo, () => attempt(strings, async () => {
          await api.undo(entry.id);
          toast(strings.undone);
          // Undoing is a change of its own, and may close the way back of others.
          again();
        }), 'quiet small', 'undo') : null));
}
