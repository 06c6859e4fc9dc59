/**
 * Markdown of an answer as a tree of the few elements that an answer may have.
 *
 * No markup is ever written or parsed: the reader's tokens become elements and text nodes, so there is nothing to
 * sanitize. Raw HTML stays text, an image becomes a link, and links are http, https or mailto. Nothing in an answer
 * loads by itself.
 */

import { Marked, type Token, type Tokens, type TokensList } from 'marked';
import { h } from '../shared/dom.ts';

export type Tag =
  | 'a' | 'blockquote' | 'br' | 'code' | 'del' | 'em' | 'h3' | 'h4' | 'h5' | 'h6' | 'hr' | 'li' | 'ol' | 'p' | 'pre' | 'strong'
  | 'table' | 'tbody' | 'td' | 'th' | 'thead' | 'tr' | 'ul';

/** Text, or an element with its attributes and what is in it. */
export type Piece = string | { tag: Tag; with: Record<string, string>; in: Piece[] };

const marked = new Marked({ gfm: true, breaks: true });

/** Whether a link may be followed. Control characters and spaces are what browsers drop before they read a scheme. */
export function isSafeLink(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href) && !/[\u0000-\u0020]/.test(href);
}

/** The blocks of a text. Only the last one can still change while the text grows at its end. */
export function blocks(text: string): TokensList {
  const found = marked.lexer(text);
  // Headings begin at the answer's own first level and skip none, so that the page's outline stays whole.
  let top = 0;
  let last = 0;
  for (const block of found) {
    if (block.type !== 'heading') continue;
    top ||= block.depth;
    last = Math.min(Math.max(block.depth - top + 1, 1), last + 1);
    block.depth = last;
  }
  return found;
}

/** What a token shows. One that this doesn't know shows its text. */
export function pieces(token: Token): Piece[] {
  const is = token as Tokens.Generic;
  const inner = (): Piece[] => (is.tokens ?? []).flatMap(pieces);
  const element = (tag: Tag, children: Piece[], attributes: Record<string, string> = {}): Piece[] =>
    [{ tag, with: attributes, in: children }];
  switch (is.type) {
    case 'space':
    case 'def':
      return [];
    case 'paragraph':
      return element('p', inner());
    case 'heading':
      // The page's own headings are levels 1 and 2.
      return element((['h3', 'h4', 'h5'] as const)[(is['depth'] as number) - 1] ?? 'h6', inner());
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return element(is.type, inner());
    case 'hr':
    case 'br':
      return element(is.type, []);
    case 'code':
      return element('pre', element('code', [(is as Tokens.Code).text], { lang: /^[\w+#.-]{1,30}/.exec((is as Tokens.Code).lang ?? '')?.[0] ?? '' }));
    case 'codespan':
      return element('code', [(is as Tokens.Codespan).text]);
    case 'list': {
      const list = is as Tokens.List;
      const start = list.start === '' || list.start === 1 ? {} : { start: String(list.start) };
      return element(list.ordered ? 'ol' : 'ul', list.items.flatMap((item) => element('li', item.tokens.flatMap(pieces))), list.ordered ? start : {});
    }
    case 'checkbox':
      return [(is as Tokens.Checkbox).checked ? '☑ ' : '☐ '];
    case 'table': {
      const table = is as Tokens.Table;
      const row = (cells: Tokens.TableCell[], tag: 'td' | 'th'): Piece[] => element('tr', cells.flatMap((cell) => element(tag, cell.tokens.flatMap(pieces))));
      return element('table', [
        ...element('thead', row(table.header, 'th')), ...element('tbody', table.rows.flatMap((cells) => row(cells, 'td'))),
      ]);
    }
    case 'link': {
      const href = decoded((is as Tokens.Link).href);
      return isSafeLink(href) ? element('a', inner(), { href }) : inner();
    }
    case 'image': {
      const href = decoded((is as Tokens.Image).href);
      const label = decoded((is as Tokens.Image).text) || href;
      return isSafeLink(href) ? element('a', [label], { href }) : [label];
    }
    case 'html':
      return [is.raw];
    default:
      return is.tokens ? inner() : [decoded(typeof is['text'] === 'string' ? is['text'] : is.raw)];
  }
}

/** A block as elements. */
export function blockElements(block: Token): Node[] {
  return pieces(block).map(build);
}

function build(piece: Piece): Node {
  if (typeof piece === 'string') return document.createTextNode(piece);
  const outside = piece.tag === 'a' ? { target: '_blank', rel: 'noopener noreferrer' } : {};
  return h(piece.tag, { ...piece.with, ...outside }, ...piece.in.map(build));
}

const NAMED: Record<string, string> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', hellip: '…', ndash: '–', mdash: '—', times: '×', rarr: '→',
  larr: '←', yen: '¥', euro: '€', deg: '°',
};

/** The entities that models write, as what they stand for; others stay as they are. Not for code, where they mean themselves. */
function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? entity;
    const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
