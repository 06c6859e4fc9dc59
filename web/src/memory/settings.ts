/** Settings, what the memory costs and how fresh its copies are, taking it away, bringing it along, and ending it. */

import { api } from '../shared/api.ts';
import { add, button, fill, h } from '../shared/dom.ts';
import { devices, tokens } from './access.ts';
import { bringAlong } from './bring.ts';
import { endings } from './end.ts';
import { section } from './section.ts';
import { attempt, describe, toast, type Session } from '../shared/session.ts';
import { CATEGORIES, MEMORY_MODES, type Job, type MemoryMode, type Mirror, type Settings } from '../wire.ts';

/** Which limit bounds which figure. */
const LIMIT_OF: Record<string, string> = {
  facts: 'facts_max', connections: 'connections_max', requests_this_minute: 'requests_per_minute',
};
const RETENTION_DAYS = [30, 90, 180, 365, 730];

export function settingsView(session: Session): HTMLElement {
  return h('div', { class: 'settings' },
    preferences(session), usage(session), mirrors(session), takeAway(session), bringAlong(session),
    tokens(session), devices(session), ...endings(session));
}

function preferences(session: Session): HTMLElement {
  const { strings, me } = session;
  const { settings } = me;
  const save = (change: Partial<Settings>): void => attempt(strings, async () => {
    await api.settings(change);
    Object.assign(settings, change);
    toast(strings.settingsSaved);
  });
  const modes = h('fieldset', {}, h('legend', {}, strings.mode));
  for (const mode of MEMORY_MODES) {
    const radio = h('input', { type: 'radio', name: 'mode', id: `mode-${mode}`, value: mode, checked: settings.memory_mode === mode });
    radio.addEventListener('change', () => save({ memory_mode: radio.value as MemoryMode }));
    add(modes, h('div', { class: 'check' }, radio,
      h('label', { for: `mode-${mode}` }, strings.modes[mode], h('span', { class: 'quiet small' }, strings.modeHints[mode]))));
  }
  const zone = h('select', { id: 'zone' });
  const zones = new Set([session.format.zone, ...Intl.supportedValuesOf('timeZone'), 'UTC']);
  for (const name of [...zones].sort()) add(zone, h('option', { value: name, selected: name === session.format.zone }, name));
  zone.addEventListener('change', () => save({ timezone: zone.value }));
  const retention = h('select', { id: 'retention' }, h('option', { value: '' }, strings.retentionForever));
  const days = new Set([...RETENTION_DAYS, ...(settings.retention_days === null ? [] : [settings.retention_days])]);
  for (const count of [...days].sort((a, b) => a - b)) {
    add(retention, h('option', { value: count, selected: count === settings.retention_days }, strings.retentionDays(count)));
  }
  retention.addEventListener('change', () => save({ retention_days: retention.value === '' ? null : Number(retention.value) }));
  const never = h('fieldset', {}, h('legend', {}, strings.neverRemember));
  const subjects = h('div', { class: 'checks' });
  const refused = new Set(settings.never_remember);
  for (const subject of CATEGORIES) {
    const box = h('input', { type: 'checkbox', id: `never-${subject}`, checked: refused.has(subject) });
    box.addEventListener('change', () => {
      if (box.checked) refused.add(subject);
      else refused.delete(subject);
      save({ never_remember: [...refused] });
    });
    add(subjects, h('div', { class: 'check' }, box, h('label', { for: `never-${subject}` }, strings.categories[subject])));
  }
  add(never, subjects, h('p', { class: 'quiet small' }, strings.neverRememberHint));
  return section(strings.settings, null, modes,
    h('div', { class: 'pair' }, h('label', { for: 'zone' }, strings.timezone), zone, h('p', { class: 'quiet small' }, strings.timezoneHint)),
    h('div', { class: 'pair' }, h('label', { for: 'retention' }, strings.retention), retention, h('p', { class: 'quiet small' }, strings.retentionHint)),
    never);
}

function usage(session: Session): HTMLElement {
  const { strings, format, me } = session;
  const budget = me.limits['daily_token_budget'];
  const used = (me.usage['prompt_tokens'] ?? 0) + (me.usage['completion_tokens'] ?? 0);
  const rows = h('dl', { class: 'rows' });
  const row = (name: string, value: string): void => add(rows, h('div', {}, h('dt', {}, name), h('dd', {}, value)));
  for (const [name, known] of Object.entries(strings.usageNames)) {
    const value = me.usage[name];
    const most = me.limits[LIMIT_OF[name] ?? ''];
    if (value === undefined) continue;
    row(known, most === undefined ? format.number(value) : strings.outOf(format.number(value), format.number(most)));
  }
  const stored = me.usage['storage_bytes'];
  const room = me.limits['storage_max_mb'];
  if (stored !== undefined && room !== undefined) {
    row(strings.storage, strings.outOf(format.number(Math.ceil(stored / 100_000) / 10), `${format.number(room)} MB`));
  }
  for (const [name, known] of Object.entries(strings.providerNames)) {
    const value = me.providers[name];
    if (value) row(known, value === 'embedded' ? strings.builtIn : value);
  }
  return section(strings.usage, budget ? strings.tokensToday(format.number(used), format.number(budget)) : null,
    budget ? h('progress', { max: budget, value: Math.min(used, budget), 'aria-label': strings.usage }) : null, rows);
}

function mirrors(session: Session): HTMLElement {
  const { strings, format } = session;
  const rows = h('dl', { class: 'rows' }, h('div', {}, h('dt', {}, strings.loading), h('dd', {}, '')));
  const state = (mirror: Mirror): string => [
    !mirror.bound ? strings.states['off'] ?? '' : mirror.pending === 0 ? strings.upToDate : strings.pendingCount(format.number(mirror.pending)),
    mirror.lag_ms && mirror.pending > 0 ? strings.lag(format.duration(mirror.lag_ms)) : '',
    mirror.last_error ?? '',
  ].filter((part) => part !== '').join(' · ');
  const row = (state: string, name: string, text: string): HTMLElement =>
    h('div', { 'data-state': state }, h('dt', {}, name), h('dd', {}, text));
  const job = (it: Job): HTMLElement => row(it.error === null ? 'pending' : 'failed', strings.stores['jobs'] ?? '',
    [strings.jobs[it.kind] ?? it.kind, it.error ?? ''].filter((part) => part !== '').join(' · '));
  const load = (): void => {
    api.mirrors().then((found) => fill(rows,
      ...found.mirrors.map((it) => row(
        !it.bound ? 'off' : it.last_error || it.parked > 0 ? 'failed' : it.pending > 0 ? 'pending' : 'done', strings.stores[it.name] ?? it.name, state(it))),
      ...found.jobs.map(job)),
    (problem: unknown) => fill(rows, row('failed', strings.mirrors, describe(problem, strings))));
  };
  load();
  return section(strings.mirrors, strings.mirrorsText, rows, h('div', { class: 'actions' }, button(strings.repair, () => attempt(strings, async () => {
    await api.reconcile();
    toast(strings.repaired);
    load();
  }), '', 'retry')));
}

function takeAway(session: Session): HTMLElement {
  const { strings } = session;
  return section(strings.exportTitle, strings.exportText, h('ul', { class: 'links' },
    ...Object.entries(strings.exports).map(([format, name]) => h('li', {},
      h('a', { href: `/api/export?format=${format}`, download: `kioku.${{ json: 'json', jsonl: 'jsonl' }[format] ?? 'md'}` }, name)))));
}
