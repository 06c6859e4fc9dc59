/**
 * Markdown of an answer to elements.
 *
 * Two walls: the renderer writes no raw HTML, no image and no link but http, https and mailto; DOMPurify then keeps
 * only the tags listed here. Nothing in an answer loads by itself.
 */

import DOMPurify from 'dompurify';
import { Marked, type Token, type Tokens, type TokensList } from 'marked';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

/** Whether a link may be followed. Control characters and spaces are what browsers drop before they read a scheme. */
export function isSafeLink(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href) && !/[\u0000-\u0020]/.test(href);
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html({ text }: Tokens.HTML | Tokens.Tag): string {
      return escape(text);
    },
    image({ href, text }: Tokens.Image): string {
      const label = escape(text || href);
      return isSafeLink(href) ? `<a href="${escape(href)}">${label}</a>` : label;
    },
    link({ href, tokens }: Tokens.Link): string {
      const label = this.parser.parseInline(tokens);
      return isSafeLink(href) ? `<a href="${escape(href)}">${label}</a>` : label;
    },
    // The page's own headings are levels 1 and 2.
    heading({ tokens, depth }: Tokens.Heading): string {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    checkbox({ checked }: Tokens.Checkbox): string {
      return checked ? '☑ ' : '☐ ';
    },
  },
});

/** The blocks of a text. Only the last one can still change while the text grows at its end. */
export function blocks(text: string): TokensList {
  return marked.lexer(text);
}

export function blockHtml(block: Token): string {
  return marked.parser([block]);
}

const TAGS = [
  'a', 'blockquote', 'br', 'code', 'del', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p', 'pre', 'strong',
  'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
];

/** A block as inert elements. */
export function blockElements(block: Token): DocumentFragment {
  const fragment = DOMPurify.sanitize(blockHtml(block), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'start', 'class'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  for (const element of fragment.querySelectorAll('[class]')) {
    if (element.localName !== 'code') element.removeAttribute('class');
  }
  return fragment;
}

export function languageOf(code: Element): string {
  return /(?:^|\s)language-([\w+#.-]{1,30})/.exec(code.className)?.[1] ?? '';
}
