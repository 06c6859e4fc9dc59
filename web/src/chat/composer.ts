/** Where messages are written. What is typed is kept per thread until it is sent. */

import { add, h, icon, stopIcon } from '../shared/dom.ts';
import { draftKey, goneKey, keep, type Session } from '../shared/session.ts';

/** The share of the limit from which on the count is shown. */
const NEARLY_FULL = 0.8;

/** Whether this key press sends: Enter alone, and never the Enter that ends an IME's conversion. */
export function sendsOn(event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'isComposing' | 'keyCode'>): boolean {
  // Safari ends the composition before the key event; there only the code 229 tells.
  return event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}

export class Composer {
  readonly root: HTMLFormElement;
  readonly #field: HTMLTextAreaElement;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #count = h('span', { class: 'count small', role: 'status' });
  readonly #session: Session;
  readonly #max: number;
  #draftKey = '';
  #timer = 0;

  constructor(session: Session, send: (text: string) => void, stop: () => void, ...below: HTMLElement[]) {
    const { strings } = session;
    this.#session = session;
    this.#max = session.me.limits['max_message_chars'] ?? 8000;
    this.#field = h('textarea', {
      id: 'message', rows: 1, placeholder: strings.placeholder, 'aria-label': strings.message, 'aria-describedby': 'send-hint',
      autocomplete: 'off', enterkeyhint: 'send',
    });
    this.#send = h('button', { type: 'submit', class: 'round primary', 'aria-label': strings.send, title: strings.send }, icon('send'));
    this.#stop = h('button', { type: 'button', class: 'round', 'aria-label': strings.stop, title: strings.stop, on: { click: stop } }, stopIcon());
    this.#stop.hidden = true;
    this.root = h('form', { class: 'composer' },
      h('div', { class: 'field' }, this.#field, this.#stop, this.#send),
      h('div', { class: 'below quiet' }, h('span', { id: 'send-hint', class: 'hint small' }, strings.sendHint), this.#count));
    add(this.root.lastElementChild ?? this.root, ...below);
    const submit = (): void => {
      const text = this.#field.value;
      if (text.trim() === '' || this.#isTooLong()) return;
      this.#put('');
      send(text);
    };
    this.root.addEventListener('submit', (event) => {
      event.preventDefault();
      submit();
      this.#field.focus();
    });
    this.#field.addEventListener('keydown', (event) => {
      if (!sendsOn(event)) return;
      event.preventDefault();
      submit();
    });
    this.#field.addEventListener('input', () => this.#changed());
    addEventListener('pagehide', () => this.#keep());
    addEventListener('storage', ({ key }) => {
      if (key === goneKey(session.me)) this.clear();
    });
  }

  /** Gives up what is being written. */
  clear(): void {
    this.#put('');
    this.#keep();
  }

  /** Takes up the draft of a thread, and leaves that of the thread before where it was. */
  open(thread: string): void {
    this.#keep();
    this.#draftKey = draftKey(this.#session.me, thread);
    this.#put(localStorage.getItem(this.#draftKey) ?? '');
  }

  /** Puts a text in, before what is already being written. */
  take(text: string): void {
    const writing = this.#field.value.trim();
    this.#put(writing === '' || writing === text ? text : `${text}\n\n${writing}`);
    this.focus();
    this.#field.setSelectionRange(text.length, text.length);
  }

  focus(): void {
    this.#field.focus();
  }

  canStop(possible: boolean): void {
    const focused = document.activeElement === this.#stop;
    this.#stop.hidden = !possible;
    if (focused && !possible) this.focus();
  }

  #put(text: string): void {
    this.#field.value = text;
    this.#changed();
    this.#keep();
  }

  #changed(): void {
    this.#field.style.height = 'auto';
    this.#field.style.height = `${this.#field.scrollHeight}px`;
    const { strings, format } = this.#session;
    const length = [...this.#field.value].length;
    const [count, max] = [format.number(length), format.number(this.#max)];
    this.#count.textContent = length > this.#max ? strings.tooLong(count, max)
      : length > this.#max * NEARLY_FULL ? strings.length(count, max) : '';
    this.#count.classList.toggle('trouble', length > this.#max);
    this.#send.disabled = this.#field.value.trim() === '' || length > this.#max;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), 200);
  }

  #isTooLong(): boolean {
    return [...this.#field.value].length > this.#max;
  }

  #keep(): void {
    clearTimeout(this.#timer);
    if (this.#draftKey === '') return;
    if (this.#field.value === '') localStorage.removeItem(this.#draftKey);
    else keep(this.#draftKey, this.#field.value);
  }
}
