/** Forgetting everything, and closing the account: both ask for a phrase, because there is no way back. */

import { api } from '../shared/api.ts';
import { h } from '../shared/dom.ts';
import { showReceipt } from './forget.ts';
import { section } from './section.ts';
import { describe, dropEverything, leave, type Session } from '../shared/session.ts';
import type { Receipt } from '../wire.ts';

interface Ending {
  id: string;
  /** What the server expects to hear; the same in every language. */
  phrase: string;
  title: string;
  text: string;
  done: string;
  act: (phrase: string) => Promise<Receipt>;
  /** After the receipt was closed. */
  after: (() => void) | null;
}

export function endings(session: Session): HTMLElement[] {
  const { strings, me } = session;
  return [
    ending(session, {
      id: 'forget', phrase: 'forget everything', title: strings.forgetTitle, text: strings.forgetText,
      done: strings.forgotten, act: api.forgetEverything, after: null,
    }),
    ending(session, {
      id: 'close', phrase: 'close my account', title: strings.closeTitle, text: strings.closeText,
      done: strings.closed, act: api.closeAccount, // The other devices too: their sessions would be of an account that was closed.
      after: () => void api.signOutEverywhere().catch(() => undefined).then(() => leave(me)),
    }),
  ];
}

function ending(session: Session, { id, phrase, title, text, done, act, after }: Ending): HTMLElement {
  const { strings } = session;
  const field = h('input', { id, type: 'text', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off' });
  const go = h('button', { type: 'submit', class: 'button danger', disabled: true }, title);
  const status = h('p', { role: 'status' });
  const form = h('form', {},
    h('label', { for: id }, `${strings.forgetConfirm} `, h('code', { lang: 'en' }, phrase)),
    h('div', { class: 'row' }, field, go), status);
  const typed = (): boolean => field.value.trim() === phrase;
  field.addEventListener('input', () => {
    go.disabled = !typed();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!typed()) return;
    go.disabled = true;
    act(phrase).then((receipt) => {
      dropEverything(session.me);
      field.value = '';
      status.textContent = done;
      const shown = showReceipt(receipt, session);
      if (after) shown.addEventListener('close', after);
    }, (problem: unknown) => {
      go.disabled = false;
      status.textContent = describe(problem, strings);
    });
  });
  const root = section(title, text, form);
  root.classList.add('last');
  return root;
}
