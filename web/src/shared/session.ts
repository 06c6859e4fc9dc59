/**
 * What both pages begin with: the language, who is signed in, and the frame around the content.
 *
 * Nothing else runs before somebody is signed in, so no view has to ask.
 */

import type { Me } from '../wire.ts';
import { api, Problem } from './api.ts';
import { add, byId, fill, h, iconButton } from './dom.ts';
import { Format, isZone } from './format.ts';
import { Outbox } from './outbox.ts';
import { LANGUAGES, type Language, type Strings } from './strings.ts';

export interface Session {
  me: Me;
  language: Language;
  strings: Strings;
  format: Format;
}

const LANGUAGE_KEY = 'kioku.language';
const ZONE_KEY = 'kioku.zone';
const RETRY_MS = 3000;

const isLanguage = (value: string | null): value is Language => value !== null && Object.hasOwn(LANGUAGES, value);

/** Keeps a value for later. A full storage refuses it, and the page goes on without. */
export function keep(key: string, value: string, storage: Storage = localStorage): void {
  try {
    storage.setItem(key, value);
  } catch {
    console.warn(`not kept: ${key}`);
  }
}

function chosenLanguage(): Language | null {
  const chosen = localStorage.getItem(LANGUAGE_KEY);
  return isLanguage(chosen) ? chosen : null;
}

function browserLanguage(): Language {
  for (const tag of navigator.languages) {
    const primary = tag.slice(0, 2).toLowerCase();
    if (isLanguage(primary)) return primary;
  }
  return 'en';
}

/** The browser's own variety of the language, because Britain and America write dates differently. */
function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(language)) ?? language;
}

/** Resolves once somebody is signed in, with the frame in place and the content empty. */
export async function begin(page: 'chat' | 'memory'): Promise<Session> {
  // A page that the browser kept whole, or that is open in another tab, may show what is gone.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  let language = chosenLanguage() ?? browserLanguage();
  dressFrame(page, language);
  const me = await identify(language);
  addEventListener('storage', ({ key, newValue }) => {
    if (key === goneKey(me) && newValue !== null) location.replace(location.pathname);
  });
  const preferred = me.settings.locale?.slice(0, 2).toLowerCase() ?? null;
  if (!chosenLanguage() && isLanguage(preferred) && preferred !== language) {
    language = preferred;
    dressFrame(page, language);
  }
  tellZone(me);
  const strings = LANGUAGES[language].strings;
  dressAccount(me, strings);
  fill(byId('main'));
  return { me, language, strings, format: new Format(localeOf(language), me.settings.timezone) };
}

function dressFrame(page: 'chat' | 'memory', language: Language): void {
  const strings = LANGUAGES[language].strings;
  document.documentElement.lang = language;
  document.title = page === 'chat' ? 'Kioku' : `${strings.memory} · Kioku`;
  byId('skip').textContent = strings.skip;
  const link = (name: 'chat' | 'memory', href: string): HTMLElement =>
    h('a', { href, 'aria-current': name === page ? 'page' : null }, strings[name]);
  fill(byId('pages'), link('chat', '/'), link('memory', '/memory'));
  const choice = h('select', { class: 'plain', 'aria-label': strings.language, id: 'language' });
  for (const [tag, { name }] of Object.entries(LANGUAGES)) {
    add(choice, h('option', { value: tag, lang: tag, selected: tag === language }, name));
  }
  choice.addEventListener('change', () => void switchLanguage(choice.value));
  fill(byId('language-place'), choice);
  if (sessionStorage.getItem(LANGUAGE_KEY)) {
    sessionStorage.removeItem(LANGUAGE_KEY);
    choice.focus();
  }
}

/** Everything on the page is words, so the page is loaded anew; drafts, outbox and open answers survive that. */
async function switchLanguage(language: string): Promise<void> {
  keep(LANGUAGE_KEY, language);
  keep(LANGUAGE_KEY, 'focus', sessionStorage);
  await api.settings({ locale: language }).catch(() => undefined);
  location.reload();
}

function dressAccount(me: Me, strings: Strings): void {
  const leave = iconButton('leave', strings.signOut, () => void signOut(me));
  if (me.name) leave.title = `${strings.signOut} · ${strings.signedInAs(me.name)}`;
  fill(byId('account'), leave);
}

async function signOut(me: Me): Promise<void> {
  await api.signOut().catch(() => undefined);
  leave(me);
}

/** Removes what somebody wrote in this browser and didn't send: of one conversation or all of it. */
export function dropDrafts(me: Me, thread: string | null = null): void {
  if (thread !== null) new Outbox(localStorage, me.user).dropThread(thread);
  for (const key of Object.keys(localStorage)) {
    if (thread === null ? isKeptFor(me.user, key) : key === draftKey(me, thread)) localStorage.removeItem(key);
  }
}

/** Whether the browser keeps this for exactly this user: others' names may begin with theirs. Ids of threads have no dot. */
export function isKeptFor(user: string, key: string): boolean {
  const drafts = `kioku.draft.${user}.`;
  return key === `kioku.outbox.${user}` || key === `${ZONE_KEY}.${user}`
    || (key.startsWith(drafts) && !key.slice(drafts.length).includes('.'));
}

/** Written for a moment when everything was forgotten, so that the user's other tabs in this browser hear of it. */
export function goneKey(me: Me): string {
  return `kioku.gone.${me.user}`;
}

export function draftKey(me: Me, thread: string): string {
  return `kioku.draft.${me.user}.${thread}`;
}

/** Tells this browser's other tabs that everything was forgotten, and removes what was written and not sent. */
export function dropEverything(me: Me): void {
  keep(goneKey(me), '');
  // The others have heard of it: nothing stays that names somebody who may have closed their account.
  localStorage.removeItem(goneKey(me));
  dropDrafts(me);
}

/** Forgets what this browser kept and goes to where one signs in. */
export function leave(me: Me): void {
  dropDrafts(me);
  // Access has a session of its own, which would sign in again at once.
  location.assign(me.sign_in.startsWith('/cdn-cgi/') ? me.sign_in : '/');
}

/** The zone decides which day 「昨日」 was; a new user's is the browser's until they choose another. */
function tellZone(me: Me): void {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const unset = me.settings.timezone === null || me.settings.timezone === 'UTC';
  if (!unset || !isZone(zone) || zone === me.settings.timezone || localStorage.getItem(`${ZONE_KEY}.${me.user}`)) return;
  keep(`${ZONE_KEY}.${me.user}`, zone);
  me.settings.timezone = zone;
  void api.settings({ timezone: zone }).catch(() => undefined);
}

async function identify(language: Language): Promise<Me> {
  const { strings } = LANGUAGES[language];
  for (;;) {
    try {
      return await api.me();
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 401) await signInCard(strings, problem.signIn);
      else {
        fill(byId('main'), h('p', { class: 'centre quiet', role: 'status' }, describe(problem, strings)));
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}

function signInCard(strings: Strings, address: string): Promise<void> {
  if (address !== '' && address !== '/auth/local') return signInElsewhere(strings, address);
  return new Promise((resolve) => {
    const name = h('input', {
      id: 'name', name: 'name', type: 'text', required: true, maxlength: 64, autocomplete: 'username', spellcheck: 'false',
    });
    const trouble = h('p', { class: 'trouble', role: 'alert' });
    const go = h('button', { type: 'submit', class: 'button primary' }, strings.signIn);
    const form = h('form', { class: 'sign-in' },
      h('div', { class: 'seal large', 'aria-hidden': 'true' }, '憶'),
      h('h1', {}, strings.welcome),
      h('p', {}, strings.welcomeText),
      h('label', { for: 'name' }, strings.yourName),
      h('div', { class: 'row' }, name, go),
      trouble,
      h('p', { class: 'quiet small' }, strings.signInHint));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      go.disabled = true;
      api.signIn(name.value.trim()).then(resolve, (problem: unknown) => {
        const elsewhere = problem instanceof Problem && (problem.status === 403 || problem.status === 404);
        trouble.textContent = elsewhere ? strings.signInElsewhere : describe(problem, strings);
        go.disabled = false;
        name.focus();
      });
    });
    fill(byId('main'), form);
    name.focus();
  });
}

/** Leads to where accounts are; whoever signed in there comes back to a new page. */
function signInElsewhere(strings: Strings, address: string): Promise<void> {
  const here = new URLSearchParams(location.search);
  const failed = strings.signInFailures[here.get('sign_in') ?? ''];
  const back = new URLSearchParams({ page: location.pathname === '/memory' ? 'memory' : 'chat' });
  const thread = here.get('thread');
  if (thread !== null) back.set('thread', thread);
  const link = h('a', { class: 'button primary', href: address.startsWith('/auth/') ? `${address}?${back}` : address }, strings.signIn);
  fill(byId('main'), h('div', { class: 'sign-in' },
    h('div', { class: 'seal large', 'aria-hidden': 'true' }, '憶'),
    h('h1', {}, strings.welcome),
    h('p', {}, strings.welcomeText),
    h('div', { class: 'row' }, link),
    h('p', { class: 'trouble', role: 'alert' }, failed ?? ''),
    h('p', { class: 'quiet small' }, strings.signInAccount)));
  link.focus();
  return new Promise(() => undefined);
}

/** What went wrong, in words: the server's own where it gave some. */
export function describe(problem: unknown, strings: Strings): string {
  if (!(problem instanceof Problem)) return strings.wentWrong;
  if (problem.status === 0) return strings.noServer;
  const known = strings.failures[problem.code];
  if (known) return known;
  if (problem.status === 501 || (problem.status === 404 && problem.detail === '' && problem.title === '')) return strings.notYet;
  return [problem.title, problem.detail].filter((part) => part !== '').join(': ') || `${strings.wentWrong} (${problem.status})`;
}

/** A sentence at the lower edge that goes by itself and is read out. */
export function toast(text: string): void {
  const place = byId('toasts');
  const note = h('div', { class: 'toast' }, text);
  place.append(note);
  setTimeout(() => note.remove(), 5000);
}

/** Runs what a button does; failure becomes a sentence instead of silence. */
export function attempt(strings: Strings, work: () => Promise<void>): void {
  work().catch((problem: unknown) => toast(describe(problem, strings)));
}
