/** How a fact looks wherever it is shown: its sentence, its dates, and the user's own words behind it. */

import type { Fact } from '../wire.ts';
import { h } from './dom.ts';
import type { Session } from './session.ts';

/** Where a message is shown: the chat of its thread, at the message. */
export function messageLink(thread: string | null, message: string): string {
  return `/?thread=${encodeURIComponent(thread ?? 'main')}#${encodeURIComponent(message)}`;
}

export function validity(fact: Fact, session: Session): string {
  const { strings, format } = session;
  const from = fact.valid_from === null ? null : format.partial(fact.valid_from);
  const until = fact.valid_until === null ? null : format.partial(fact.valid_until);
  if (from !== null && until !== null) return strings.between(from, until);
  // Plans and events have a date, states a beginning.
  if (from !== null) return fact.kind === 'plan' || fact.kind === 'event' ? from : strings.since(from);
  return until === null ? '' : strings.until(until);
}

export function quote(fact: Fact, session: Session): HTMLElement | null {
  const { source } = fact;
  const { strings, format } = session;
  if (!source || (source.message === null && source.quote === '')) {
    return h('p', { class: 'quiet small' }, strings.addedByHand);
  }
  const when = source.said_at ?? fact.observed_at;
  return h('figure', { class: 'quote' },
    h('blockquote', {}, source.quote),
    h('figcaption', { class: 'quiet small' },
      when === null ? null : h('span', {}, strings.said(format.moment(when, new Date()))),
      source.message === null ? null : h('a', { href: messageLink(source.thread, source.message) }, strings.toMessage)));
}
