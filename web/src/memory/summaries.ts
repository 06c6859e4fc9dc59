/** The rolling summary of each conversation: read, corrected, cleared. */

import { api } from '../shared/api.ts';
import { add, button, fill, h } from '../shared/dom.ts';
import { ask } from '../shared/dialog.ts';
import { attempt, describe, toast, type Session } from '../shared/session.ts';
import { savings } from './pictures.ts';
import { threadTitle } from '../shared/thread.ts';
import type { Thread } from '../wire.ts';

export function summariesView(session: Session): HTMLElement {
  const { strings } = session;
  const place = h('div', { class: 'summaries' }, h('p', { class: 'quiet', role: 'status' }, strings.loading));
  const root = h('div', {}, h('h2', { class: 'unseen' }, strings.summaries), h('p', { class: 'quiet' }, strings.summaryText), place);
  api.threads(null).then((page) => {
    const threads = page.items.filter((thread) => !thread.temporary);
    fill(place, ...threads.map((thread) => box(thread, session)));
    if (threads.length === 0) add(place, h('p', {}, strings.noSummary));
  }, (problem: unknown) => fill(place, h('p', { role: 'alert' }, describe(problem, strings))));
  return root;
}

/** A summary is fetched when its box is opened: there may be hundreds. */
function box(thread: Thread, session: Session): HTMLElement {
  const { strings, format } = session;
  const title = threadTitle(thread, strings);
  const body = h('div', { class: 'summary-body' });
  const details = h('details', { class: 'summary-box' },
    h('summary', {}, h('span', {}, title),
      thread.updated_at ? h('span', { class: 'quiet small' }, format.day(thread.updated_at, new Date())) : null),
    body);
  details.addEventListener('toggle', () => {
    if (details.open && body.childElementCount === 0) load();
  });
  const load = (): void => {
    fill(body, h('p', { class: 'quiet', role: 'status' }, strings.loading));
    api.summary(thread.id).then(show, (problem: unknown) => fill(body, h('p', { role: 'alert' }, describe(problem, strings))));
  };
  const show = (summary: string | null): void => {
    const field = h('textarea', { rows: 6, 'aria-label': `${strings.summaries}: ${title}` }, summary ?? '');
    const save = button(strings.save, () => attempt(strings, async () => {
      await api.putSummary(thread.id, field.value.trim());
      toast(strings.summarySaved);
    }), 'primary');
    const clear = button(strings.clearSummary, () => attempt(strings, async () => {
      if (!await ask(strings.clearSummary, strings.clearSummaryAsk, strings.clearSummary, strings)) return;
      await api.clearSummary(thread.id);
      toast(strings.summaryCleared);
      show(null);
    }));
    clear.hidden = !summary;
    const picture = h('div', {});
    fill(body, summary ? null : h('p', { class: 'quiet small' }, strings.noSummary), field, h('div', { class: 'actions' }, save, clear), picture);
    // A picture that can't be drawn is no reason to show nothing.
    api.spending(thread.id).then((turns) => fill(picture, savings(turns, session)), () => undefined);
  };
  return details;
}
