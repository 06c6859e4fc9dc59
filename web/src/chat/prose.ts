/**
 * The body of an answer while it grows.
 *
 * Blocks that didn't change keep their elements, so selection and scroll positions inside them survive and a frame
 * costs as much as its last block.
 */

import { add, h } from '../shared/dom.ts';
import type { Strings } from '../shared/strings.ts';
import { blockElements, blocks } from './markdown.ts';

export class Prose {
  readonly root = h('div', { class: 'prose' });
  readonly #strings: Strings;
  #shown: { raw: string; element: HTMLElement }[] = [];
  #text = '';

  constructor(strings: Strings) {
    this.#strings = strings;
  }

  get text(): string {
    return this.#text;
  }

  update(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    const found = blocks(text).filter((block) => block.type !== 'space' && block.type !== 'def');
    const kept = this.#shown.findIndex((old, index) => found[index]?.raw !== old.raw);
    const same = kept < 0 ? this.#shown.length : kept;
    for (const old of this.#shown.splice(same)) old.element.remove();
    for (const block of found.slice(same)) {
      const element = h('div', { class: 'block' });
      add(element, ...blockElements(block));
      this.#dress(element);
      this.root.append(element);
      this.#shown.push({ raw: block.raw, element });
    }
  }

  #dress(block: HTMLElement): void {
    for (const pre of block.querySelectorAll('pre')) {
      const code = pre.querySelector('code');
      const language = code?.lang ?? '';
      // It named a programming language, not one that people speak.
      code?.removeAttribute('lang');
      const copy = h('button', { type: 'button', class: 'button quiet small' }, this.#strings.copyCode);
      copy.addEventListener('click', () => void copyText(pre.textContent ?? '', copy, this.#strings));
      const frame = h('div', { class: 'code' }, h('div', { class: 'code-head' }, h('span', {}, language), copy));
      pre.tabIndex = 0;
      pre.setAttribute('role', 'region');
      pre.setAttribute('aria-label', language || this.#strings.code);
      pre.replaceWith(frame);
      frame.append(pre);
    }
    for (const table of block.querySelectorAll('table')) {
      const frame = h('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': this.#strings.table });
      table.replaceWith(frame);
      frame.append(table);
    }
  }
}

/** Copies and says so on the button itself. */
export async function copyText(text: string, button: HTMLElement, strings: Strings): Promise<void> {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    if (label) button.textContent = strings.copied;
    else button.dataset['done'] = 'true';
  } catch {
    if (label) button.textContent = strings.copyFailed;
  }
  setTimeout(() => {
    if (label) button.textContent = label;
    delete button.dataset['done'];
  }, 1500);
}
