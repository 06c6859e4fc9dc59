/** The HTTP routes, as functions. Every failure is a `Problem` with words that can be shown. */

import {
  isObject, readEntry, readFact, readFactPage, readImported, readMe, readMessage, readMirrors, readPage, readReceipt,
  readSpending, readSummaryText, readThread, readTokens, readTrace,
} from '../read.ts';
import type {
  Entry, Fact, FactPage, Imported, Kind, Match, Me, Message, Mirrors, Page, Receipt, Scope, Settings, Spending, Status, Thread,
  Token, Trace,
} from '../wire.ts';

export class Problem extends Error {
  override readonly name = 'Problem';
  /** 0 when there was no answer at all. */
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** Where to sign in, if that is what is missing. */
  readonly signIn: string;

  constructor(status: number, code: string, title: string, detail: string, signIn = '') {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.title = title;
    this.detail = detail;
    this.signIn = signIn;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

async function ask(method: Method, path: string, body?: unknown): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new Problem(0, 'unreachable', '', '');
  }
  return understand(response.status, await response.text());
}

/** A body that isn't JSON is no reason to fail twice: its status says enough. */
function understand(status: number, text: string): unknown {
  let json: unknown = null;
  try {
    json = text === '' ? null : JSON.parse(text);
  } catch {
    if (status < 400) throw new Problem(status, 'unreadable', '', '');
  }
  if (status < 400) return json;
  const word = (key: string): string => (isObject(json) && typeof json[key] === 'string' ? json[key] : '');
  throw new Problem(status, word('code'), word('title'), word('detail'), word('sign_in'));
}

function query(values: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') search.set(key, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

function must<T>(value: T | null): T {
  if (value === null) throw new Problem(200, 'unreadable', '', '');
  return value;
}

const at = (path: string, id: string, rest = ''): string => `${path}/${encodeURIComponent(id)}${rest}`;

export interface FactQuery {
  q: string;
  match: Match;
  status: Status | 'all';
  kind: Kind | '';
  thread: string;
  /** Instants; null for any time. */
  since: string | null;
  until: string | null;
  cursor: string | null;
  limit: number;
}

export const api = {
  me: async (): Promise<Me> => readMe(await ask('GET', '/api/me')),
  signIn: async (name: string): Promise<void> => void await ask('POST', '/auth/local', { name }),
  signOut: async (): Promise<void> => void await ask('POST', '/auth/logout'),
  /** Ends the sessions of every device. */
  signOutEverywhere: async (): Promise<void> => void await ask('POST', '/auth/logout?everywhere=true'),

  tokens: async (): Promise<Token[]> => readTokens(await ask('GET', '/api/tokens')),
  /** The token itself, which is never to be had again. */
  makeToken: async (name: string, scopes: Scope[], expires_at: string | null): Promise<string> => {
    const made = await ask('POST', '/api/tokens', { name, scopes, ...(expires_at === null ? {} : { expires_at }) });
    return must(isObject(made) && typeof made['token'] === 'string' ? made['token'] : null);
  },
  revokeToken: async (id: string): Promise<void> => void await ask('DELETE', at('/api/tokens', id)),
  settings: async (change: Partial<Settings>): Promise<void> => void await ask('PATCH', '/api/me/settings', change),

  threads: async (cursor: string | null): Promise<Page<Thread>> =>
    readPage(await ask('GET', `/api/threads${query({ cursor, limit: 200 })}`), 'threads', readThread),
  addThread: async (temporary: boolean): Promise<Thread> =>
    must(readThread(await ask('POST', '/api/threads', temporary ? { temporary } : {}))),
  renameThread: async (id: string, title: string): Promise<void> => void await ask('PATCH', at('/api/threads', id), { title }),
  /** Resolves to how many facts were forgotten with it. */
  deleteThread: async (id: string, facts: boolean): Promise<number> => {
    const answer = await ask('DELETE', at('/api/threads', id, facts ? '?facts=forget' : ''));
    return isObject(answer) && Array.isArray(answer['forgotten']) ? answer['forgotten'].length : 0;
  },
  messages: async (thread: string, before: string | null): Promise<Page<Message>> =>
    readPage(await ask('GET', at('/api/threads', thread, `/messages${query({ before, limit: 50 })}`)), 'messages', readMessage),

  spending: async (thread: string): Promise<Spending[]> => readSpending(await ask('GET', at('/api/threads', thread, '/tokens'))),
  trace: async (turn: string): Promise<Trace> => must(readTrace(await ask('GET', at('/api/traces', turn)))),

  summary: async (thread: string): Promise<string | null> =>
    readSummaryText(await ask('GET', at('/api/threads', thread, '/summary'))),
  putSummary: async (thread: string, summary: string): Promise<void> =>
    void await ask('PUT', at('/api/threads', thread, '/summary'), { summary }),
  clearSummary: async (thread: string): Promise<void> => void await ask('DELETE', at('/api/threads', thread, '/summary')),

  facts: async (wanted: FactQuery): Promise<FactPage> => readFactPage(await ask('GET', `/api/memory/facts${query({
    q: wanted.q,
    match: wanted.q === '' ? null : wanted.match,
    status: wanted.status,
    kind: wanted.kind,
    thread: wanted.thread,
    since: wanted.since,
    until: wanted.until,
    cursor: wanted.cursor,
    limit: wanted.limit,
  })}`)),
  /** A forgotten fact's address answers with its receipt. */
  fact: async (id: string): Promise<Fact> => {
    const answer = await ask('GET', at('/api/memory/facts', id));
    if (readReceipt(answer)) throw new Problem(410, 'forgotten', '', '');
    return must(readFact(answer));
  },
  addFact: async (text: string, kind: Kind): Promise<Fact> =>
    must(readFact(await ask('POST', '/api/memory/facts', { text, kind }))),
  changeFact: async (id: string, change: { text?: string; pinned?: boolean; status?: Status }): Promise<Fact | null> =>
    readFact(await ask('PATCH', at('/api/memory/facts', id), change)),
  deleteFact: async (id: string, erase: boolean): Promise<Receipt> =>
    must(readReceipt(await ask('DELETE', at('/api/memory/facts', id, erase ? '?messages=erase' : '')))),
  /** The receipt as it stands now. */
  receipt: async (id: string): Promise<Receipt> => must(readReceipt(await ask('GET', at('/api/memory/facts', id)))),

  changes: async (cursor: string | null): Promise<Page<Entry>> =>
    readPage(await ask('GET', `/api/memory/changes${query({ cursor })}`), 'changes', readEntry),
  undo: async (change: string): Promise<void> => void await ask('POST', at('/api/memory/changes', change, '/undo')),
  forgetEverything: async (confirm: string): Promise<Receipt> => must(readReceipt(await ask('DELETE', '/api/memory', { confirm }))),
  closeAccount: async (confirm: string): Promise<Receipt> => must(readReceipt(await ask('DELETE', '/api/me', { confirm }))),
  mirrors: async (): Promise<Mirrors> => readMirrors(await ask('GET', '/api/memory/mirrors')),
  reconcile: async (): Promise<void> => void await ask('POST', '/api/memory/mirrors/reconcile'),

  /** Sends a file and tells how much of it has left, from 0 to 1. */
  importFile: (format: string, facts: boolean, file: Blob, progress: (part: number) => void): Promise<Imported> =>
    new Promise((resolve, reject) => {
      // `fetch` can't tell the progress of an upload.
      const request = new XMLHttpRequest();
      request.open('POST', `/api/import${query({ format, facts: facts ? 'extract' : null })}`);
      request.upload.addEventListener('progress', (event) => event.lengthComputable && progress(event.loaded / event.total));
      request.addEventListener('load', () => {
        try {
          resolve(readImported(understand(request.status, request.responseText)));
        } catch (problem) {
          reject(problem);
        }
      });
      request.addEventListener('error', () => reject(new Problem(0, 'unreachable', '', '')));
      request.send(file);
    }),
};
