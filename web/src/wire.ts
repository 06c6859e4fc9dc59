/**
 * What travels between the pages and the Worker, and nothing else: SPEC sections 3 and 4 as types.
 *
 * Values of these types come only from `read.ts`, which checks them; the rest of the pages never sees raw JSON.
 */

export const PROTOCOL = 1;

export const KINDS = [
  'identity', 'preference', 'relationship', 'place', 'work', 'health', 'plan', 'event', 'decision', 'other',
] as const;
export const STATUSES = ['current', 'past', 'held'] as const;
export const OPS = ['added', 'confirmed', 'superseded', 'forgotten', 'held', 'edited', 'undone'] as const;
/** Subjects that a user may forbid; a fact's kind is something else. */
export const CATEGORIES = [
  'health', 'beliefs', 'politics', 'sexuality', 'finances', 'ethnicity', 'family', 'crime', 'location', 'work',
] as const;
export const MEMORY_MODES = ['on', 'read_only', 'off'] as const;

export type Kind = (typeof KINDS)[number];
export type Status = (typeof STATUSES)[number];
export type Category = (typeof CATEGORIES)[number];
export type Op = (typeof OPS)[number];
export type MemoryMode = (typeof MEMORY_MODES)[number];
export type Match = 'keyword' | 'semantic' | 'hybrid';

export interface Message {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  /** ISO 8601 instant in UTC. */
  created_at: string;
  turn: string | null;
  status: string | null;
  /** Left out of prompts, folds and recall, because something it says was forgotten. */
  excluded: boolean;
}

export interface Source {
  message: string | null;
  thread: string | null;
  quote: string;
  said_at: string | null;
}

export interface Fact {
  id: string;
  text: string;
  kind: Kind;
  scope: string;
  status: Status;
  pinned: boolean;
  observed_at: string | null;
  /** As precise as what was said: `2015`, `2015-04` or `2015-04-01`. */
  valid_from: string | null;
  valid_until: string | null;
  supersedes: string[];
  superseded_by: string | null;
  source: Source | null;
  created_at: string | null;
  updated_at: string | null;
  version: number;
  mirrors: Record<string, string>;
}

export interface Query {
  original: string;
  searched: string;
}

export interface RecalledFact {
  id: string;
  text: string;
  score: number | null;
}

export interface Passage {
  message: string | null;
  thread: string | null;
  role: 'user' | 'assistant' | null;
  text: string;
  said_at: string | null;
}

export interface Recalled {
  query: Query;
  facts: RecalledFact[];
  passages: Passage[];
}

export interface Change {
  change: string;
  op: Op;
  fact: Fact | null;
  /** Why it is held. */
  reason: string | null;
  undone: boolean;
}

/** A line of the ledger. Both sides are null where what it was about is forgotten. */
export interface Entry {
  id: string;
  op: Op;
  before: Fact | null;
  after: Fact | null;
  reason: string | null;
  at: string | null;
  undone: boolean;
  undoable: boolean;
}

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  estimated: boolean;
}

/** Parts that nobody remembers any more are null. */
export interface Timing {
  queued_ms: number;
  recall_ms: number | null;
  first_token_ms: number | null;
  total_ms: number;
}

/** A turn's tokens, and what it would have read if the whole conversation had been sent. */
export interface Spending {
  at: string;
  prompt: number;
  whole: number;
}

/** What a turn was given and what it left, as its frames told it then, without what was forgotten since. */
export interface Trace {
  recalled: Recalled;
  changes: Change[];
  usage: Usage | null;
  timing: Timing | null;
}

export interface OpenTurn {
  turn: string;
  id: string | null;
  state: string;
  seq: number;
}

export type ServerFrame =
  | {
    type: 'ready'; protocol: number; thread: string; recent: Message[]; summary: string | null;
    open_turns: OpenTurn[]; memory_mode: MemoryMode;
  }
  | { type: 'accepted'; id: string; turn: string; thread: string | null; position: number; repeated: boolean }
  | { type: 'user'; turn: string; message: Message }
  | ({ type: 'recalled'; turn: string } & Recalled)
  | { type: 'delta'; turn: string; seq: number; text: string }
  | { type: 'done'; turn: string; message: Message; usage: Usage | null; timing: Timing | null }
  | { type: 'stopped'; turn: string; message: Message | null }
  | { type: 'failed'; turn: string; code: string; message: string; kept: Message | null; retryable: boolean }
  | { type: 'remembered'; turn: string | null; changes: Change[] }
  | { type: 'folded'; thread: string; summary: string | null }
  | { type: 'error'; code: string; message: string; id: string | null };

export type ClientFrame =
  | { type: 'send'; id: string; text: string }
  | { type: 'stop'; turn: string }
  | { type: 'retry'; turn: string }
  | { type: 'resume'; turn: string; after: number };

export interface Thread {
  id: string;
  title: string | null;
  temporary: boolean;
  created_at: string | null;
  updated_at: string | null;
}

export interface Settings {
  memory_mode: MemoryMode;
  timezone: string | null;
  locale: string | null;
  retention_days: number | null;
  never_remember: string[];
}

export interface Me {
  /** Names what this browser keeps for the user; never sent back. */
  user: string;
  name: string;
  /** Where one signs in. */
  sign_in: string;
  settings: Settings;
  limits: Record<string, number>;
  usage: Record<string, number>;
  providers: Record<string, string>;
}

export const SCOPES = ['chat', 'memory:read', 'memory:write'] as const;
export type Scope = (typeof SCOPES)[number];

/** A personal access token, without the token itself. */
export interface Token {
  id: string;
  name: string;
  scopes: Scope[];
  expires_at: string | null;
  last_used_at: string | null;
}

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface Receipt {
  forgotten: string;
  stores: { store: string; state: string }[];
}

export interface Mirror {
  name: string;
  /** Set up at all. */
  bound: boolean;
  /** Changes still to be copied, and those given up for now. */
  pending: number;
  parked: number;
  lag_ms: number | null;
  last_error: string | null;
}

export interface Job {
  kind: string;
  attempts: number;
  error: string | null;
  parked: boolean;
}

/** Imported messages that aren't searchable yet, and those of the user that may still teach facts. */
export interface Waiting {
  index: number;
  extract: number;
}

/** What became of a file. */
export interface Imported {
  messages: number;
  repeated: number;
  facts: number;
  brokenTotal: number;
  /** Where something couldn't be used, and why, as a word of the server. */
  broken: { line: number; item: number | null; reason: string }[];
  complete: boolean;
  waiting: Waiting;
}

export interface Mirrors {
  mirrors: Mirror[];
  /** Memory work that waits. */
  jobs: Job[];
  archive: Waiting;
  /** How far forgetting everything has come, while that is known. */
  forgetting: Receipt | null;
}

export interface FactPage extends Page<Fact> {
  /** Where the list comes from: `d1`, `object`, `vectorize` or `keyword`. */
  source: string;
}
