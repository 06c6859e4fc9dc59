/** A part of the settings, with its title. */

import { add, h, type Child } from '../shared/dom.ts';

export function section(title: string, text: string | null, ...children: Child[]): HTMLElement {
  const root = h('section', { class: 'card' }, h('h2', {}, title), text ? h('p', { class: 'quiet' }, text) : null);
  add(root, ...children);
  return root;
}
