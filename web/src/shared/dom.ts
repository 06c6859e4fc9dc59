/** Builds elements. There is no other way to make markup here: text is always a text node, never parsed. */

type Attribute = string | number | boolean | null | undefined;
type Listeners = { [E in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[E]) => void };
export type Child = Node | string | null | undefined | false;

export interface Properties {
  on?: Listeners;
  [attribute: string]: Attribute | Listeners;
}

/** `true` sets an attribute without value; `false`, null and undefined leave it out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Properties = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'object') {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener as EventListener);
      }
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  add(element, ...children);
  return element;
}

export function add(parent: Node, ...children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
    }
  }
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, ...children);
}

/** The element that the page's own HTML is known to have. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';

export function svg(tag: string, attributes: Record<string, string | number>, ...children: Node[]): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

const PATHS = {
  add: 'M12 5v14M5 12h14',
  back: 'M15 6l-6 6 6 6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  down: 'M12 5v14M6 13l6 6 6-6',
  edit: 'M5 19h4L19 9l-4-4L5 15zM13 7l4 4',
  info: 'M12 11v5M12 8v.01M12 21a9 9 0 110-18 9 9 0 010 18z',
  leave: 'M10 5H5v14h5M9 12h11M16 8l4 4-4 4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  remove: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12',
  retry: 'M19 12a7 7 0 11-2-5M19 4v4h-4',
  search: 'M11 17a6 6 0 110-12 6 6 0 010 12zM16 16l4 4',
  send: 'M12 19V5M6 11l6-6 6 6',
  temporary: 'M12 8v4l3 2M12 3a9 9 0 019 9M19 17a9 9 0 01-3 3M12 21a9 9 0 01-5-1.5M4 16a9 9 0 01-1-4M4.500 7a9 9 0 013-3',
  undo: 'M8 5L4 9l4 4M4 9h9a6 6 0 010 12h-2',
} as const;

export type Icon = keyof typeof PATHS;

export function icon(name: Icon): SVGElement {
  return svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { d: PATHS[name] }));
}

export function stopIcon(): SVGElement {
  return svg('svg', { viewBox: '0 0 24 24', class: 'icon solid', 'aria-hidden': 'true', focusable: 'false' },
    svg('rect', { x: 7, y: 7, width: 10, height: 10, rx: 1.5 }));
}

/** A button that shows only a picture and is named for those who can't see it. */
export function iconButton(name: Icon, label: string, click: (event: MouseEvent) => void, extra = ''): HTMLButtonElement {
  return h('button', { type: 'button', class: `icon-button ${extra}`, 'aria-label': label, title: label, on: { click } },
    icon(name));
}

export function button(label: string, click: (event: MouseEvent) => void, kind = '', picture?: Icon): HTMLButtonElement {
  return h('button', { type: 'button', class: `button ${kind}`, on: { click } },
    picture ? icon(picture) : null, h('span', {}, label));
}
