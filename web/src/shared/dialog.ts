/** Modal dialogs: the browser's own element, which keeps focus inside, closes on Escape and gives focus back. */

import { add, button, h, iconButton, type Child } from './dom.ts';
import type { Strings } from './strings.ts';

export interface Open {
  dialog: HTMLDialogElement;
  body: HTMLElement;
  close(): void;
}

let count = 0;

export function openDialog(title: string, strings: Strings, ...children: Child[]): Open {
  count += 1;
  const heading = `dialog-${count}`;
  const body = h('div', { class: 'dialog-body' });
  add(body, ...children);
  const dialog = h('dialog', { 'aria-labelledby': heading },
    h('div', { class: 'dialog-head' },
      h('h2', { id: heading, tabindex: -1 }, title),
      iconButton('close', strings.close, () => dialog.close())),
    body);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    // Only the backdrop is the dialog itself; everything else is inside its parts.
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, body, close: () => dialog.close() };
}

/** Resolves to whether the question was answered with yes. */
export function ask(title: string, text: string, yes: string, strings: Strings, ...extra: Child[]): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const open = openDialog(title, strings, h('p', {}, text), ...extra);
    add(open.body, h('div', { class: 'actions end' },
      button(strings.cancel, () => open.close()),
      button(yes, () => {
        answer = true;
        open.close();
      }, 'danger')));
    open.dialog.addEventListener('close', () => resolve(answer));
  });
}

/** Resolves to the text, or null when it was left. */
export function askText(title: string, label: string, value: string, strings: Strings, long = false): Promise<string | null> {
  return new Promise((resolve) => {
    let answer: string | null = null;
    const field = long
      ? h('textarea', { id: 'dialog-text', rows: 5, required: true }, value)
      : h('input', { id: 'dialog-text', type: 'text', value, required: true, maxlength: 200 });
    const form = h('form', {},
      h('label', { for: 'dialog-text' }, label),
      field,
      h('div', { class: 'actions end' },
        button(strings.cancel, () => open.close()),
        h('button', { type: 'submit', class: 'button primary' }, strings.save)));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      answer = field.value.trim();
      if (answer !== '') open.close();
    });
    const open = openDialog(title, strings, form);
    field.focus();
    field.select();
    open.dialog.addEventListener('close', () => resolve(answer === '' ? null : answer));
  });
}
