/**
 * Deleting, and saying honestly how far it is.
 *
 * A store that answers `pending` is shown as pending until the server says otherwise; nothing here assumes success.
 */

import { api } from '../shared/api.ts';
import { fill, h } from '../shared/dom.ts';
import { ask, openDialog } from '../shared/dialog.ts';
import { describe, toast, type Session } from '../shared/session.ts';
import type { Fact, Receipt } from '../wire.ts';

const EVERYTHING = 'everything';
const POLL_MS = 1000;
const POLLS = 30;

/** Asks, deletes, and shows the receipt. Resolves to whether the fact is gone. */
export async function deleteFact(fact: Fact, session: Session): Promise<boolean> {
  const { strings } = session;
  const erase = h('input', { type: 'checkbox', id: 'erase' });
  const sure = await ask(strings.deleteTitle, strings.deleteText, strings.deleteFact, strings,
    h('p', { class: 'sentence' }, fact.text),
    fact.source?.message ? h('p', { class: 'check' }, erase, h('label', { for: 'erase' }, strings.eraseMessages)) : null);
  if (!sure) return false;
  try {
    showReceipt(await api.deleteFact(fact.id, erase.checked), session);
    return true;
  } catch (problem) {
    toast(describe(problem, strings));
    return false;
  }
}

const isPending = (receipt: Receipt): boolean => receipt.stores.some(({ state }) => state === 'pending');

/** Shows the receipt, and follows it while it is shown. */
export function showReceipt(receipt: Receipt, session: Session): HTMLDialogElement {
  const { strings } = session;
  const lead = h('p', { role: 'status' });
  const rows = h('dl', { class: 'rows receipt' });
  const open = openDialog(strings.receipt, strings, lead, rows);
  const show = (now: Receipt): void => {
    lead.textContent = isPending(now) ? strings.receiptPending : strings.receiptDone;
    fill(rows, ...inOrder(now, strings).map(({ store, state }) => h('div', { 'data-state': state },
      h('dt', {}, strings.stores[store] ?? store), h('dd', {}, strings.states[state] ?? state))));
  };
  show(receipt);
  void follow(receipt, show, () => open.dialog.open).then((late) => {
    if (late) lead.textContent = strings.receiptLate;
  });
  return open.dialog;
}

/** The memory itself first, then what was made from it: the order of the words for them. */
function inOrder(receipt: Receipt, strings: Session['strings']): Receipt['stores'] {
  const order = Object.keys(strings.stores);
  const place = (store: string): number => (order.includes(store) ? order.indexOf(store) : order.length);
  return [...receipt.stores].sort((a, b) => place(a.store) - place(b.store));
}

/** Resolves to whether something is still pending when watching ends. */
async function follow(receipt: Receipt, show: (receipt: Receipt) => void, watched: () => boolean): Promise<boolean> {
  let now = receipt;
  for (let poll = 0; poll < POLLS && isPending(now); poll += 1) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!watched()) return false;
    // A question that fails is asked again; what was known stays shown.
    now = await latest(now).catch(() => now);
    show(now);
  }
  return isPending(now);
}

async function latest(receipt: Receipt): Promise<Receipt> {
  if (receipt.forgotten !== EVERYTHING) return api.receipt(receipt.forgotten);
  const { forgetting } = await api.mirrors();
  if (!forgetting) return receipt;
  const stores = receipt.stores.map((it) => forgetting.stores.find(({ store }) => store === it.store) ?? it);
  return { ...receipt, stores };
}
