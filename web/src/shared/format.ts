/** Dates, numbers and times as the user's language and zone write them. */

export class Format {
  readonly zone: string;
  readonly #locale: string;
  /** Making one costs more than using it a hundred times. */
  readonly #made = new Map<string, Intl.DateTimeFormat>();

  /** `locale` is a BCP 47 tag; without a usable zone it is the browser's. */
  constructor(locale: string, zone: string | null) {
    this.#locale = locale;
    this.zone = isZone(zone) ? zone : Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  number(value: number): string {
    return new Intl.NumberFormat(this.#locale).format(value);
  }

  percent(part: number): string {
    return new Intl.NumberFormat(this.#locale, { style: 'percent' }).format(part);
  }

  /** `320 ms`, `4.1 s` or `2 min`. */
  duration(ms: number): string {
    const [value, unit] = ms < 1000 ? [Math.round(ms), 'millisecond'] : ms < 120_000
      ? [Math.round(ms / 100) / 10, 'second'] : [Math.round(ms / 60_000), 'minute'];
    return new Intl.NumberFormat(this.#locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  }

  /** A day; of another year with the year. An instant that can't be read is shown as it came. */
  day(instant: string, now: Date): string {
    const date = new Date(instant);
    if (Number.isNaN(date.getTime())) return instant;
    const sameYear = this.#part(date, { year: 'numeric' }) === this.#part(now, { year: 'numeric' });
    return this.#part(date, sameYear ? { month: 'long', day: 'numeric' } : { year: 'numeric', month: 'long', day: 'numeric' });
  }

  weekday(instant: string, now: Date): string {
    const date = new Date(instant);
    if (Number.isNaN(date.getTime())) return '';
    return `${this.day(instant, now)} (${this.#part(date, { weekday: 'short' })})`;
  }

  time(instant: string): string {
    const date = new Date(instant);
    return Number.isNaN(date.getTime()) ? '' : this.#part(date, { hour: 'numeric', minute: '2-digit' });
  }

  moment(instant: string, now: Date): string {
    return `${this.day(instant, now)} ${this.time(instant)}`.trim();
  }

  /** `2015`, `2015-04` or `2015-04-01`, as precise as it is. */
  partial(date: string): string {
    const [year, month, day] = date.slice(0, 10).split('-').map(Number);
    if (!year || !/^\d{4}(-\d{2}(-\d{2}.*)?)?$/.test(date)) return date;
    const utc = new Date(Date.UTC(year, (month ?? 1) - 1, day ?? 1));
    const options: Intl.DateTimeFormatOptions = { year: 'numeric', timeZone: 'UTC' };
    if (month) options.month = 'long';
    if (day) options.day = 'numeric';
    return this.#formatter(this.#locale, options).format(utc);
  }

  /** The user's calendar day, `2026-11-30`: equal for instants of one day. */
  dayKey(instant: string): string {
    const date = new Date(instant);
    if (Number.isNaN(date.getTime())) return '';
    return this.#formatter('en-CA', { timeZone: this.zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(date);
  }

  /** The instant at which a calendar day (`2026-11-30`) begins in the user's zone, or one some days later. */
  startOfDay(day: string, daysLater: number): string | null {
    const [year, month, date] = day.split('-').map(Number);
    if (!year || !month || !date) return null;
    const wanted = Date.UTC(year, month - 1, date + daysLater);
    let instant = wanted;
    // Twice, because the offset at the first guess may be that of the other side of a clock change.
    for (let round = 0; round < 2; round += 1) instant += wanted - this.#wallClock(instant);
    return new Date(instant).toISOString();
  }

  /** What a clock in the user's zone shows, read as if it were UTC. */
  #wallClock(instant: number): number {
    const shown: Record<string, number> = {};
    const options: Intl.DateTimeFormatOptions = {
      timeZone: this.zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    };
    for (const { type, value } of this.#formatter('en', options).formatToParts(instant)) shown[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  #part(date: Date, options: Intl.DateTimeFormatOptions): string {
    return this.#formatter(this.#locale, { ...options, timeZone: this.zone }).format(date);
  }

  #formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const key = locale + JSON.stringify(options);
    const made = this.#made.get(key) ?? new Intl.DateTimeFormat(locale, options);
    this.#made.set(key, made);
    return made;
  }
}

export function isZone(zone: string | null): zone is string {
  if (!zone) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
