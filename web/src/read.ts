/**
 * Reads what the Worker sends into the types of `wire.ts`.
 *
 * A field that is missing, null or of another type takes a neutral value where the page can do without it; where it
 * can't (a turn's id, a message's text), the whole value is null and the caller ignores it. Unknown fields and frames
 * are ignored, so that a newer server doesn't break an open page.
 */

import {
  KINDS, MEMORY_MODES, OPS, SCOPES, STATUSES,
  type Change, type Entry, type Fact, type FactPage, type Imported, type Me, type MemoryMode, type Message, type Mirrors,
  type OpenTurn, type Page, type Passage, type Recalled, type Receipt, type ServerFrame, type Settings, type Source,
  type Spending, type Thread, type Timing, type Token, type Trace, type Usage, type Waiting,
} from './wire.ts';

type Json = Record<string, unknown>;

/** Memory work is due within seconds of what it is for. */
const SOON_MS = 60_000;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
const measure = (value: unknown): number | null =>
  (typeof value === 'number' && Number.isFinite(value) ? value : null);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): string[] => list(value).filter((item) => typeof item === 'string');
const word = <T extends string>(words: readonly T[], value: unknown, otherwise: T): T =>
  (words.find((known) => known === value) ?? otherwise);

function each<T>(value: unknown, read: (item: unknown) => T | null): T[] {
  return list(value).map(read).filter((item) => item !== null);
}

/** A frame of the chat socket, or null when it isn't one this page knows. */
export function readFrame(raw: string): ServerFrame | null {
  let json: unknown;
  try {
    json = JSON.parse(raw);
  } catch {
    return null;
  }
  if (!isObject(json)) return null;
  const turn = text(json['turn']);
  switch (json['type']) {
    case 'ready': {
      const thread = text(json['thread']);
      return thread === null ? null : {
        type: 'ready',
        protocol: count(json['protocol']),
        thread,
        recent: each(json['recent'], readMessage),
        summary: readSummaryText(json['summary']),
        open_turns: each(json['open_turns'], readOpenTurn),
        memory_mode: readMode(json['memory_mode']),
      };
    }
    case 'accepted': {
      const id = text(json['id']);
      return id === null || turn === null ? null : {
        type: 'accepted', id, turn, thread: text(json['thread']),
        position: count(json['position']), repeated: json['repeated'] === true,
      };
    }
    case 'user': {
      const message = readMessage(json['message']);
      return turn === null || message === null ? null : { type: 'user', turn, message };
    }
    case 'recalled':
      return turn === null ? null : { type: 'recalled', turn, ...readRecalled(json) };
    case 'delta': {
      const piece = text(json['text']);
      const seq = measure(json['seq']);
      return turn === null || piece === null || seq === null ? null : { type: 'delta', turn, seq, text: piece };
    }
    case 'done': {
      const message = readMessage(json['message']);
      return turn === null || message === null ? null : {
        type: 'done', turn, message, usage: readUsage(json['usage']), timing: readTiming(json['timing']),
      };
    }
    case 'stopped':
      return turn === null ? null : { type: 'stopped', turn, message: readMessage(json['message']) };
    case 'failed':
      return turn === null ? null : {
        type: 'failed', turn, code: text(json['code']) ?? 'unknown', message: text(json['message']) ?? '',
        kept: readMessage(json['reply']), retryable: json['retryable'] === true,
      };
    case 'remembered':
      return { type: 'remembered', turn, changes: each(json['changes'], readChange) };
    case 'folded': {
      const thread = text(json['thread']);
      return thread === null ? null : { type: 'folded', thread, summary: readSummaryText(json['summary']) };
    }
    case 'error':
      return {
        type: 'error', code: text(json['code']) ?? 'unknown', message: text(json['message']) ?? '',
        id: text(json['id']),
      };
    default:
      return null;
  }
}

export function readMessage(value: unknown): Message | null {
  if (!isObject(value)) return null;
  const id = text(value['id']);
  const said = text(value['text']);
  if (id === null || said === null) return null;
  return {
    id,
    role: value['role'] === 'user' ? 'user' : 'assistant',
    text: said,
    created_at: text(value['created_at']) ?? '',
    turn: text(value['turn']),
    status: text(value['status']),
    excluded: value['excluded'] === true,
  };
}

function readOpenTurn(value: unknown): OpenTurn | null {
  if (!isObject(value)) return null;
  const turn = text(value['turn']);
  return turn === null ? null
    : { turn, id: text(value['id']), state: text(value['state']) ?? '', seq: count(value['seq']) };
}

export function readFact(value: unknown): Fact | null {
  if (!isObject(value)) return null;
  const id = text(value['id']);
  const sentence = text(value['text']);
  if (id === null || sentence === null) return null;
  const mirrors: Record<string, string> = {};
  if (isObject(value['mirrors'])) {
    for (const [name, state] of Object.entries(value['mirrors'])) {
      if (typeof state === 'string') mirrors[name] = state;
    }
  }
  return {
    id,
    text: sentence,
    kind: word(KINDS, value['kind'], 'other'),
    scope: text(value['scope']) ?? 'global',
    status: word(STATUSES, value['status'], 'current'),
    pinned: value['pinned'] === true,
    observed_at: text(value['observed_at']),
    valid_from: text(value['valid_from']),
    valid_until: text(value['valid_until']),
    supersedes: texts(value['supersedes']),
    superseded_by: text(value['superseded_by']),
    source: readSource(value['source']),
    created_at: text(value['created_at']),
    updated_at: text(value['updated_at']),
    version: count(value['version']),
    mirrors,
  };
}

function readSource(value: unknown): Source | null {
  if (!isObject(value)) return null;
  return {
    message: text(value['message']),
    thread: text(value['thread']),
    quote: text(value['quote']) ?? '',
    said_at: text(value['said_at']),
  };
}

export function readChange(value: unknown): Change | null {
  if (!isObject(value)) return null;
  const change = text(value['change']);
  if (change === null) return null;
  return {
    change,
    op: word(OPS, value['op'], 'edited'),
    fact: readFact(value['fact']),
    reason: text(value['reason']),
    undone: value['undone'] === true,
  };
}

export function readSpending(value: unknown): Spending[] {
  return each(isObject(value) ? value['turns'] : null, (item) => (isObject(item) ? {
    at: text(item['at']) ?? '', prompt: count(item['prompt_tokens']), whole: count(item['whole_history_tokens']),
  } : null));
}

export function readTrace(value: unknown): Trace | null {
  if (!isObject(value)) return null;
  return {
    recalled: readRecalled(isObject(value['recalled']) ? value['recalled'] : {}),
    changes: each(value['remembered'], readChange),
    usage: readUsage(value['usage']),
    timing: readTiming(value['timing']),
  };
}

export function readEntry(value: unknown): Entry | null {
  if (!isObject(value)) return null;
  const id = text(value['id']);
  return id === null ? null : {
    id,
    op: word(OPS, value['op'], 'edited'),
    before: readFact(value['before']),
    after: readFact(value['after']),
    reason: text(value['reason']) || null,
    at: text(value['at']),
    undone: text(value['undone_by']) !== null,
    undoable: value['undoable'] === true,
  };
}

export function readRecalled(value: Json): Recalled {
  const query = isObject(value['query']) ? value['query'] : {};
  const original = text(query['original']) ?? '';
  return {
    query: { original, searched: text(query['searched']) ?? original },
    facts: each(value['facts'], (item) => {
      if (!isObject(item)) return null;
      const id = text(item['id']);
      return id === null ? null : { id, text: text(item['text']) ?? '', score: measure(item['score']) };
    }),
    passages: each(value['passages'], readPassage),
  };
}

function readPassage(value: unknown): Passage | null {
  if (!isObject(value)) return null;
  const said = text(value['text']);
  if (said === null) return null;
  const role = value['role'];
  return {
    message: text(value['message']),
    thread: text(value['thread']),
    role: role === 'user' || role === 'assistant' ? role : null,
    text: said,
    said_at: text(value['said_at']),
  };
}

export function readUsage(value: unknown): Usage | null {
  return isObject(value) ? {
    prompt_tokens: count(value['prompt_tokens']),
    completion_tokens: count(value['completion_tokens']),
    estimated: value['estimated'] === true,
  } : null;
}

export function readTiming(value: unknown): Timing | null {
  return isObject(value) ? {
    queued_ms: count(value['queued_ms']),
    recall_ms: measure(value['recall_ms']),
    first_token_ms: measure(value['first_token_ms']),
    total_ms: count(value['total_ms']),
  } : null;
}

export function readThread(value: unknown): Thread | null {
  if (!isObject(value)) return null;
  const id = text(value['id']);
  return id === null ? null : {
    id,
    title: text(value['title']) || null,
    temporary: value['temporary'] === true,
    created_at: text(value['created_at']),
    updated_at: text(value['updated_at']),
  };
}

const readMode = (value: unknown): MemoryMode => word(MEMORY_MODES, value, 'on');

export function readSettings(value: unknown): Settings {
  const json = isObject(value) ? value : {};
  return {
    memory_mode: readMode(json['memory_mode']),
    timezone: text(json['timezone']) || null,
    locale: text(json['locale']) || null,
    retention_days: measure(json['retention_days']),
    never_remember: texts(json['never_remember']),
  };
}

export function readMe(value: unknown): Me {
  const json = isObject(value) ? value : {};
  const user = isObject(json['user']) ? json['user'] : {};
  const name = text(user['name']) ?? '';
  return {
    user: text(user['id']) ?? name,
    name,
    sign_in: text(json['sign_in']) ?? '',
    settings: readSettings(json['settings']),
    limits: flatten(json['limits'], measure),
    usage: flatten(json['usage'], measure),
    providers: flatten(json['providers'], text),
  };
}

export function readTokens(value: unknown): Token[] {
  return each(isObject(value) ? value['tokens'] : null, (item) => {
    if (!isObject(item)) return null;
    const id = text(item['id']);
    return id === null ? null : {
      id,
      name: text(item['name']) ?? '',
      scopes: SCOPES.filter((scope) => texts(item['scopes']).includes(scope)),
      expires_at: text(item['expires_at']),
      last_used_at: text(item['last_used_at']),
    };
  });
}

/** `{"a":{"b":1},"c":2}` as `{"a.b":1,"c":2}`, keeping the leaves that `read` takes. */
function flatten<T>(value: unknown, read: (leaf: unknown) => T | null, path = ''): Record<string, T> {
  const flat: Record<string, T> = {};
  if (!isObject(value)) return flat;
  for (const [key, leaf] of Object.entries(value)) {
    if (isObject(leaf)) Object.assign(flat, flatten(leaf, read, `${path}${key}.`));
    const taken = read(leaf);
    if (taken !== null) flat[path + key] = taken;
  }
  return flat;
}

/** A list answer: the items under `name`, and the opaque cursor of the next page. */
export function readPage<T>(value: unknown, name: string, read: (item: unknown) => T | null): Page<T> {
  const json = isObject(value) ? value : {};
  return { items: each(json[name], read), next: text(json['next_cursor']) };
}

export function readFactPage(value: unknown): FactPage {
  return { ...readPage(value, 'facts', readFact), source: (isObject(value) && text(value['source'])) || '' };
}

export function readReceipt(value: unknown): Receipt | null {
  if (!isObject(value)) return null;
  const { forgotten, ...rest } = value;
  if (typeof forgotten !== 'string') return null;
  const stores = Object.entries(rest)
    .flatMap(([store, state]) => (typeof state === 'string' ? [{ store, state }] : []));
  return { forgotten, stores };
}

function readWaiting(value: unknown): Waiting {
  const json = isObject(value) ? value : {};
  return { index: count(json['to_index']), extract: count(json['to_extract']) };
}

export function readImported(value: unknown): Imported {
  const json = isObject(value) ? value : {};
  return {
    messages: count(json['messages']),
    repeated: count(json['repeated']) + count(json['facts_repeated']),
    facts: count(json['facts']),
    brokenTotal: count(json['broken_total']),
    broken: each(json['broken'], (it) => (isObject(it) ? {
      line: count(it['line']), item: measure(it['item']), reason: text(it['reason']) ?? '',
    } : null)),
    complete: json['complete'] !== false,
    waiting: readWaiting(json['waiting']),
  };
}

/** What comes back every day or week and failed at nothing is no work that waits. */
function isForLater(job: Json): boolean {
  return text(job['error']) === null && Date.parse(text(job['due_at']) ?? '') > Date.now() + SOON_MS;
}

/** Every object of `GET /api/memory/mirrors` that counts what is pending is a mirror. */
export function readMirrors(value: unknown): Mirrors {
  const json = isObject(value) ? value : {};
  return {
    mirrors: Object.entries(json).flatMap(([name, item]) => (isObject(item) && measure(item['pending']) !== null ? [{
      name,
      bound: item['bound'] !== false,
      pending: count(item['pending']),
      parked: count(item['parked']),
      lag_ms: measure(item['lag_ms']),
      last_error: text(item['last_error']),
    }] : [])),
    jobs: each(json['jobs'], (job) => (isObject(job) && !isForLater(job) ? {
      kind: text(job['kind']) ?? '', attempts: count(job['attempts']), error: text(job['error']), parked: job['parked'] === true,
    } : null)),
    archive: readWaiting(json['archive']),
    forgetting: isObject(json['forgetting_everything']) ? readReceipt({ forgotten: 'everything', ...json['forgetting_everything'] }) : null,
  };
}

export function readSummaryText(value: unknown): string | null {
  return text(isObject(value) ? value['summary'] : value);
}
