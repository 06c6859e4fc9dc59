/** Pictures: facts over the months, and what memory saves in tokens. */

import { h, svg } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import type { Fact, Spending } from '../wire.ts';

const WIDTH = 640;
const HEIGHT = 56;
/** One or two months are no timeline. */
const FEWEST_MONTHS = 3;
const MOST_MONTHS = 60;

/** How many facts were last said in each month between the first and the last, in order. */
export function byMonth(instants: readonly string[], dayKey: (instant: string) => string): { month: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const instant of instants) {
    const month = dayKey(instant).slice(0, 7);
    if (month !== '') counts.set(month, (counts.get(month) ?? 0) + 1);
  }
  const months = [...counts.keys()].sort();
  const [first, last] = [months[0], months.at(-1)];
  if (!first || !last) return [];
  const all: { month: string; count: number }[] = [];
  for (let month = first; month <= last; month = after(month)) all.push({ month, count: counts.get(month) ?? 0 });
  return all;
}

function after(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}

export function timeline(facts: readonly Fact[], session: Session): HTMLElement | null {
  const { strings, format } = session;
  const months = byMonth(facts.flatMap((fact) => fact.observed_at ?? fact.created_at ?? []), (instant) => format.dayKey(instant)).slice(-MOST_MONTHS);
  const [first, last] = [months[0], months.at(-1)];
  if (!first || !last || months.length < FEWEST_MONTHS) return null;
  const most = Math.max(...months.map(({ count }) => count));
  const total = months.reduce((sum, { count }) => sum + count, 0);
  const step = WIDTH / months.length;
  const text = strings.timelineText(format.number(total), format.partial(first.month), format.partial(last.month));
  const bars = months.filter(({ count }) => count > 0).map((month) => {
    const height = Math.max(2, (month.count / most) * (HEIGHT - 2));
    const bar = svg('rect', {
      x: months.indexOf(month) * step + 1, y: HEIGHT - height, width: Math.max(1, Math.min(step - 2, 14)), height, rx: 1.5,
    });
    const name = svg('title', {});
    name.textContent = `${format.partial(month.month)}: ${format.number(month.count)}`;
    bar.append(name);
    return bar;
  });
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'timeline', role: 'img', 'aria-label': `${strings.timeline}: ${text}`, preserveAspectRatio: 'none' }, ...bars);
  const figure = h('figure', { class: 'picture' });
  figure.append(picture, h('figcaption', { class: 'quiet small' },
    h('span', {}, format.partial(first.month)), h('span', {}, strings.timeline), h('span', {}, format.partial(last.month))));
  return figure;
}

/** Fewer turns than this are no curve. */
const FEWEST_TURNS = 3;

/** Tokens of each turn as an area, under the line of what the whole conversation would have cost. */
export function savings(turns: readonly Spending[], session: Session): HTMLElement | null {
  const { strings, format } = session;
  if (turns.length < FEWEST_TURNS) return null;
  const most = Math.max(1, ...turns.flatMap((turn) => [turn.prompt, turn.whole]));
  const x = (index: number): string => ((index / (turns.length - 1)) * WIDTH).toFixed(1);
  const y = (tokens: number): string => (HEIGHT - 1 - (tokens / most) * (HEIGHT - 2)).toFixed(1);
  const line = (of: (turn: Spending) => number): string => turns.map((turn, index) => `${x(index)},${y(of(turn))}`).join(' ');
  const sum = (of: (turn: Spending) => number): number => turns.reduce((total, turn) => total + of(turn), 0);
  const text = strings.savingsText(format.number(sum((turn) => turn.prompt)), format.number(sum((turn) => turn.whole)), format.number(turns.length));
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'savings', role: 'img', 'aria-label': `${strings.savings}: ${text}`, preserveAspectRatio: 'none' },
    svg('polygon', { class: 'sent', points: `0,${HEIGHT} ${line((turn) => turn.prompt)} ${WIDTH},${HEIGHT}` }),
    svg('polyline', { class: 'whole', points: line((turn) => turn.whole) }));
  const figure = h('figure', { class: 'picture' });
  figure.append(picture, h('figcaption', { class: 'quiet small' },
    h('span', { class: 'key sent' }, strings.savingsSent), h('span', { class: 'key whole' }, strings.savingsWhole), h('span', {}, text)));
  return figure;
}
