/**
 * Bringing along what was said elsewhere: sending the file, saying what became of it, and following what is left to do.
 *
 * The server reads the file while it arrives and takes nothing twice, so a file that broke off is simply sent again.
 */

import { api } from '../shared/api.ts';
import { add, button, fill, h } from '../shared/dom.ts';
import { describe, type Session } from '../shared/session.ts';
import type { Imported, Waiting } from '../wire.ts';
import { section } from './section.ts';
import { conversations, Unreadable } from './unzip.ts';

const POLL_MS = 2000;
/** Broken lines that are named; the rest is counted. */
const SHOWN = 10;

export function bringAlong(session: Session): HTMLElement {
  const { strings, format } = session;
  const kind = h('select', { id: 'import-format' });
  for (const [value, name] of Object.entries(strings.importFormats)) add(kind, h('option', { value }, name));
  const file = h('input', { type: 'file', id: 'import-file', accept: '.json,.jsonl,.ndjson,.zip' });
  const learn = h('input', { type: 'checkbox', id: 'import-facts' });
  const progress = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': strings.importTitle });
  const status = h('p', { class: 'small', role: 'status' });
  const broken = h('ul', { class: 'small', hidden: true });
  const left = h('p', { class: 'small quiet' });
  const go = button(strings.importStart, () => {
    const chosen = file.files?.[0];
    if (!chosen) {
      file.focus();
      return;
    }
    go.disabled = true;
    broken.hidden = true;
    progress.hidden = false;
    status.textContent = strings.importReading;
    conversations(chosen).then((told) => api.importFile(kind.value, learn.checked, told, (part) => {
      progress.value = part;
      status.textContent = part < 1 ? strings.importing(format.percent(part)) : strings.importReading;
    })).then((answer) => {
      status.textContent = outcome(answer, session);
      fill(broken, ...answer.broken.slice(0, SHOWN).map(({ line, item, reason }) => h('li', {},
        `${item === null ? strings.importLine(format.number(line)) : strings.importItem(format.number(item))}: ${strings.importReasons[reason] ?? reason}`)));
      broken.hidden = answer.broken.length === 0;
      void follow(answer.waiting, left, session);
    }, (problem: unknown) => {
      status.textContent = problem instanceof Unreadable ? strings.importArchive[problem.trouble] : describe(problem, strings);
    }).finally(() => {
      go.disabled = false;
      progress.hidden = true;
    });
  });
  return section(strings.importTitle, strings.importText,
    h('div', { class: 'pair' }, h('label', { for: 'import-format' }, strings.importFormat), kind),
    h('div', { class: 'pair' }, h('label', { for: 'import-file' }, strings.importFile), file),
    h('p', { class: 'check' }, learn, h('label', { for: 'import-facts' }, strings.importFacts,
      h('span', { class: 'quiet small' }, strings.importFactsHint))),
    h('div', { class: 'actions' }, go), progress, status, broken, left);
}

function outcome(answer: Imported, session: Session): string {
  const { strings, format } = session;
  const part = (count: number, words: (count: string) => string): string[] => (count > 0 ? [words(format.number(count))] : []);
  const parts = [
    ...part(answer.messages, strings.importMessages),
    ...part(answer.facts, strings.importedFacts),
    ...part(answer.repeated, strings.importRepeated),
    ...part(answer.brokenTotal, strings.importBroken),
  ];
  return `${answer.complete ? strings.imported : strings.importBrokeOff}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

/** Says how much is left until nothing is, or until the page shows something else. */
async function follow(waiting: Waiting, place: HTMLElement, session: Session): Promise<void> {
  const { strings, format } = session;
  let now = waiting;
  for (;;) {
    const parts = [
      ...(now.index > 0 ? [strings.importIndexing(format.number(now.index))] : []),
      ...(now.extract > 0 ? [strings.importExtracting(format.number(now.extract))] : []),
    ];
    place.textContent = parts.join(' · ');
    if (parts.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!place.isConnected) return;
    // A question that fails is asked again; what was known stays shown.
    now = await api.mirrors().then(({ archive }) => archive, () => now);
  }
}
