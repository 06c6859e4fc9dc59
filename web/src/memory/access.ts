/** Who else comes in: personal access tokens, and the sessions of other devices. */

import { api } from '../shared/api.ts';
import { ask, openDialog } from '../shared/dialog.ts';
import { add, button, fill, h } from '../shared/dom.ts';
import { attempt, describe, leave, toast, type Session } from '../shared/session.ts';
import { SCOPES, type Scope, type Token } from '../wire.ts';
import { section } from './section.ts';

const DAYS = [7, 30, 90, 365];
const DAY_MS = 24 * 60 * 60 * 1000;

export function tokens(session: Session): HTMLElement {
  const { strings } = session;
  const list = h('ul', { class: 'links tokens' }, h('li', { class: 'quiet' }, strings.loading));
  const load = (): void => {
    api.tokens().then(
      (found) => fill(list, ...(found.length === 0
        ? [h('li', { class: 'quiet' }, strings.tokenNone)]
        : found.map((token) => row(token, session, load)))),
      (problem: unknown) => fill(list, h('li', {}, describe(problem, strings))));
  };
  load();
  return section(strings.tokens, strings.tokensText, list, form(session, load));
}

function row(token: Token, session: Session, changed: () => void): HTMLElement {
  const { strings, format } = session;
  const now = new Date();
  const until = token.expires_at === null ? strings.tokenForever
    : new Date(token.expires_at) <= now ? strings.tokenExpired : strings.tokenUntil(format.moment(token.expires_at, now));
  const used = token.last_used_at === null ? strings.tokenUnused : strings.tokenUsed(format.moment(token.last_used_at, now));
  const revoke = button(strings.tokenRevoke, () => attempt(strings, async () => {
    if (!await ask(strings.tokenRevoke, strings.tokenRevokeText(token.name), strings.tokenRevoke, strings)) return;
    await api.revokeToken(token.id);
    toast(strings.tokenRevoked);
    changed();
  }), 'small');
  revoke.setAttribute('aria-label', strings.named(strings.tokenRevoke, token.name));
  return h('li', { class: 'token' },
    h('strong', {}, token.name), ' ',
    h('span', { class: 'quiet small' }, [...token.scopes.map((scope) => strings.scopes[scope]), until, used].join(' · ')), ' ',
    revoke);
}

function form(session: Session, changed: () => void): HTMLElement {
  const { strings } = session;
  const name = h('input', { id: 'token-name', type: 'text', required: true, maxlength: 100, autocomplete: 'off' });
  const scopes = h('fieldset', {}, h('legend', {}, strings.tokenScopes));
  const chosen = new Map<Scope, HTMLInputElement>();
  for (const scope of SCOPES) {
    const box = h('input', { type: 'checkbox', id: `scope-${scope}`, checked: scope === 'memory:read' });
    chosen.set(scope, box);
    add(scopes, h('div', { class: 'check' }, box, h('label', { for: `scope-${scope}` }, strings.scopes[scope])));
  }
  const days = h('select', { id: 'token-days' });
  for (const count of DAYS) add(days, h('option', { value: count, selected: count === 90 }, strings.tokenDays(count)));
  add(days, h('option', { value: '' }, strings.tokenForever));
  const trouble = h('p', { class: 'trouble small', role: 'alert' });
  const root = h('form', {},
    h('div', { class: 'pair' }, h('label', { for: 'token-name' }, strings.tokenName), name),
    scopes,
    h('div', { class: 'pair' }, h('label', { for: 'token-days' }, strings.tokenEnds), days),
    h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'button' }, strings.tokenMake)),
    trouble);
  root.addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = SCOPES.filter((scope) => chosen.get(scope)?.checked);
    const expires = days.value === '' ? null : new Date(Date.now() + Number(days.value) * DAY_MS).toISOString();
    api.makeToken(name.value.trim(), wanted, expires).then((made) => {
      name.value = '';
      trouble.textContent = '';
      show(made, session);
      changed();
    }, (problem: unknown) => {
      trouble.textContent = wanted.length === 0 ? strings.tokenNoScope : describe(problem, strings);
    });
  });
  return root;
}

/** The only time that the token is to be seen. */
function show(made: string, session: Session): void {
  const { strings } = session;
  openDialog(strings.tokenMade, strings,
    h('p', {}, strings.tokenOnce),
    h('p', { class: 'plain-code', id: 'made-token', tabindex: 0 }, made),
    h('div', { class: 'actions end' }, button(strings.copy, () => {
      navigator.clipboard.writeText(made).then(() => toast(strings.copied), () => toast(strings.copyFailed));
    }, 'primary', 'copy')));
}

export function devices(session: Session): HTMLElement {
  const { strings } = session;
  return section(strings.devices, strings.devicesText, h('div', { class: 'actions' },
    button(strings.signOutEverywhere, () => attempt(strings, async () => {
      await api.signOutEverywhere();
      leave(session.me);
    }), '', 'leave')));
}
