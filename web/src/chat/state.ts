/**
 * What one thread shows, as a pure function of what was sent, received and loaded.
 *
 * Invariants: a turn is shown once, whichever of outbox, `accepted`, `user`, `ready` or history names it first; text
 * of a streaming answer is contiguous (a gap asks for the rest instead of showing a hole); what a turn ended with is
 * never taken back by something older. Nothing here reads a clock, a socket, a storage or the document.
 */

import type {
  Change, ClientFrame, MemoryMode, Message, Page, Recalled, ServerFrame, Timing, Trace, Usage,
} from '../wire.ts';

export type TurnState = 'unsent' | 'refused' | 'waiting' | 'running' | 'done' | 'stopped' | 'failed';

export interface Said {
  id: string | null;
  text: string;
  created_at: string;
  excluded: boolean;
}

export interface Turn {
  /** Stays the same from the moment the turn is shown. */
  key: string;
  turn: string | null;
  client: string | null;
  user: Said | null;
  answer: Said | null;
  state: TurnState;
  /** Turns before it while it waits. */
  position: number;
  /** The last delta shown. */
  seq: number;
  /** The missing part was asked for. */
  resuming: boolean;
  recalled: Recalled | null;
  changes: readonly Change[];
  usage: Usage | null;
  timing: Timing | null;
  failure: { code: string; message: string; retryable: boolean } | null;
}

export interface ThreadView {
  thread: string;
  /** The first `ready` frame has come. */
  ready: boolean;
  protocol: number;
  mode: MemoryMode;
  summary: string | null;
  turns: readonly Turn[];
  /** Where older messages go on: undefined before the first page was asked for, null when there are none. */
  older: string | null | undefined;
  /** Something the server said about no message in particular. */
  notice: { code: string; message: string } | null;
}

export type ChatEvent =
  | { type: 'frame'; frame: ServerFrame }
  | { type: 'queued'; id: string; text: string; at: string }
  | { type: 'dropped'; id: string }
  | { type: 'retrying'; turn: string }
  | { type: 'page'; page: Page<Message> }
  | { type: 'trace'; turn: string; trace: Trace }
  | { type: 'settled'; change: string; undone: boolean }
  | { type: 'notice'; code: string; message: string };

export interface Step {
  view: ThreadView;
  /** To be sent to the server now. */
  frames: readonly ClientFrame[];
}

export function emptyThread(thread: string): ThreadView {
  return {
    thread, ready: false, protocol: 0, mode: 'on', summary: null, turns: [], older: undefined, notice: null,
  };
}

const isEnded = (state: TurnState): boolean => state === 'done' || state === 'stopped' || state === 'failed';
const isLocal = (turn: Turn): boolean => turn.turn === null;
export const isOpen = (turn: Turn): boolean => turn.state === 'waiting' || turn.state === 'running';

export function step(view: ThreadView, event: ChatEvent): Step {
  switch (event.type) {
    case 'frame':
      return receive(view, event.frame);
    case 'queued': {
      if (view.turns.some((turn) => turn.client === event.id)) return only(view);
      const user = { id: null, text: event.text, created_at: event.at, excluded: false };
      return only({ ...view, turns: [...view.turns, { ...newTurn(event.id), client: event.id, user, state: 'unsent' }] });
    }
    case 'dropped':
      return only({ ...view, turns: view.turns.filter((turn) => !(isLocal(turn) && turn.client === event.id)) });
    case 'retrying':
      return only(change(view, event.turn, reopened));
    case 'page': {
      const merged = mergeOlder(view.turns, event.page.items);
      return only({ ...view, turns: merged, older: event.page.next });
    }
    case 'trace':
      return only(change(view, event.turn, (turn) => traced(turn, event.trace)));
    case 'settled':
      return only({
        ...view,
        turns: view.turns.map((turn) => (turn.changes.some((it) => it.change === event.change)
          ? { ...turn, changes: turn.changes.map((it) => (it.change === event.change ? { ...it, undone: event.undone } : it)) }
          : turn)),
      });
    case 'notice':
      return only({ ...view, notice: { code: event.code, message: event.message } });
  }
}

function receive(view: ThreadView, frame: ServerFrame): Step {
  switch (frame.type) {
    case 'ready':
      return welcome(view, frame);
    case 'accepted':
      return only(accept(view, frame));
    case 'user':
      return only(change(ensure(view, frame.turn), frame.turn, (turn) => ({ ...turn, user: said(frame.message) })));
    case 'recalled':
      return only(change(ensure(view, frame.turn), frame.turn, (turn) => ({
        ...turn,
        state: isEnded(turn.state) ? turn.state : 'running',
        recalled: { query: frame.query, facts: frame.facts, passages: frame.passages },
      })));
    case 'delta':
      return hear(ensure(view, frame.turn), frame);
    case 'done':
      return only(change(ensure(view, frame.turn), frame.turn, (turn) => ({
        ...turn, state: 'done', resuming: false, failure: null, answer: said(frame.message),
        usage: frame.usage ?? turn.usage, timing: frame.timing ?? turn.timing,
      })));
    case 'stopped':
      return only(change(ensure(view, frame.turn), frame.turn, (turn) => ({
        ...turn, state: 'stopped', resuming: false, failure: null,
        answer: frame.message ? said(frame.message) : turn.answer,
      })));
    case 'failed':
      return only(change(ensure(view, frame.turn), frame.turn, (turn) => ({
        ...turn, state: 'failed', resuming: false,
        answer: frame.kept ? said(frame.kept) : turn.answer,
        failure: { code: frame.code, message: frame.message, retryable: frame.retryable },
      })));
    case 'remembered':
      return only(remember(view, frame.turn, frame.changes));
    case 'folded':
      return only(frame.thread === view.thread ? { ...view, summary: frame.summary } : view);
    case 'error':
      return only(refuse(view, frame));
  }
}

/** The first frame of every connection: what is known is kept, what was missed while away is asked for. */
function welcome(view: ThreadView, frame: Extract<ServerFrame, { type: 'ready' }>): Step {
  const recent = inOrder(frame.recent);
  const known = new Set(view.turns.map((turn) => turn.key));
  const met = recent.some((message) => view.turns.some((turn) => holds(turn, message)));
  const away = known.size > 0 && recent.length > 0 && !met;
  // More was said meanwhile than `recent` tells, so what is shown and what is new don't touch: older pages fill the hole.
  let turns = away ? view.turns.filter((turn) => isLocal(turn)) : view.turns;
  turns = mergeNewer(turns, recent);
  let next: ThreadView = {
    ...view,
    ready: true,
    protocol: frame.protocol,
    mode: frame.memory_mode,
    summary: frame.summary,
    turns,
    older: away ? undefined : view.older,
  };
  const frames: ClientFrame[] = [];
  for (const open of frame.open_turns) {
    if (open.id !== null) next = adopt(next, open.id, open.turn);
    next = change(ensure(next, open.turn), open.turn, (turn) => ({
      // An answer that knows fewer deltas than were shown began again after a restart.
      ...(open.seq < turn.seq ? reopened(turn) : turn),
      client: turn.client ?? open.id,
      state: open.state === 'running' || open.seq > 0 ? 'running' : 'waiting',
      failure: null,
    }));
  }
  for (const turn of next.turns) {
    if (turn.turn !== null && isOpen(turn)) {
      frames.push({ type: 'resume', turn: turn.turn, after: turn.seq });
      next = change(next, turn.turn, (it) => ({ ...it, resuming: true }));
    }
  }
  return { view: next, frames };
}

function accept(view: ThreadView, frame: Extract<ServerFrame, { type: 'accepted' }>): ThreadView {
  return change(ensure(adopt(view, frame.id, frame.turn), frame.turn), frame.turn, (turn) => ({
    ...turn,
    client: turn.client ?? frame.id,
    state: turn.state === 'unsent' || turn.state === 'refused' ? 'waiting' : turn.state,
    position: frame.position,
    failure: isEnded(turn.state) ? turn.failure : null,
  }));
}

/** Joins what was shown for the client's id with the turn the server made of it. */
function adopt(view: ThreadView, client: string, id: string): ThreadView {
  const local = view.turns.find((turn) => turn.client === client && isLocal(turn));
  if (!local) return view;
  if (view.turns.some((turn) => turn.turn === id)) {
    return { ...view, turns: view.turns.filter((turn) => turn !== local) };
  }
  const rest = view.turns.filter((turn) => turn !== local);
  return { ...view, turns: beforeLocal(rest, { ...local, turn: id, state: 'waiting', failure: null }) };
}

function hear(view: ThreadView, frame: Extract<ServerFrame, { type: 'delta' }>): Step {
  const turn = view.turns.find((it) => it.turn === frame.turn);
  if (!turn || turn.state === 'done') return only(view);
  // Another first delta: the answer began again, after a retry in another tab or a restart of the server.
  const again = frame.seq === 1 && (turn.state !== 'running' || turn.seq > 1);
  const current = again ? reopened(turn) : turn;
  if (current.state === 'failed' || current.state === 'stopped' || frame.seq <= current.seq) return only(view);
  if (frame.seq > current.seq + 1) {
    if (current.resuming) return only(view);
    return {
      view: change(view, frame.turn, (it) => ({ ...it, resuming: true })),
      frames: [{ type: 'resume', turn: frame.turn, after: current.seq }],
    };
  }
  const heard = current.answer ?? { id: null, text: '', created_at: '', excluded: false };
  return only(change(view, frame.turn, () => ({
    ...current,
    state: 'running',
    seq: frame.seq,
    resuming: false,
    answer: { ...heard, text: (current.seq === 0 ? '' : heard.text) + frame.text },
  })));
}

function remember(view: ThreadView, id: string | null, changes: Change[]): ThreadView {
  if (id === null) return { ...view, turns: view.turns.map((turn) => changes.reduce(follow, turn)) };
  const known = new Set(changes.map((it) => it.change));
  return change(view, id, (turn) => ({
    ...turn, changes: [...turn.changes.filter((old) => !known.has(old.change)), ...changes],
  }));
}

/** What was there before this page was; frames that came since know better. */
function traced(turn: Turn, trace: Trace): Turn {
  const known = new Set(turn.changes.map((it) => it.change));
  const { recalled, changes, usage, timing } = trace;
  return {
    ...turn,
    recalled: turn.recalled ?? recalled,
    changes: [...changes.filter((it) => !known.has(it.change)), ...turn.changes],
    usage: turn.usage ?? usage,
    timing: turn.timing ?? timing,
  };
}

/** A change made elsewhere, by hand: nothing new under a turn, but what it shows of the fact is no longer true. */
function follow(turn: Turn, made: Change): Turn {
  const { fact, op } = made;
  const concerns = (id: string | undefined): boolean => fact !== null && id === fact.id;
  const facts = turn.recalled?.facts ?? [];
  if (!fact || !(turn.changes.some((it) => concerns(it.fact?.id)) || facts.some((it) => concerns(it.id)))) return turn;
  const gone = op === 'forgotten';
  const last = turn.changes.findLastIndex((it) => concerns(it.fact?.id) && !it.undone);
  return {
    ...turn,
    recalled: turn.recalled && {
      ...turn.recalled,
      facts: facts.flatMap((it) => (!concerns(it.id) ? [it] : gone ? [] : [{ ...it, text: fact.text }])),
    },
    changes: turn.changes.map((it, index) => (!concerns(it.fact?.id) ? it
      : gone ? { ...it, op, fact: null, reason: null }
        // What was held and then approved is held no more.
        : { ...it, fact, op: it.op === 'held' && fact.status !== 'held' ? 'added' : it.op, undone: it.undone || (op === 'undone' && index === last) })),
  };
}

function refuse(view: ThreadView, frame: Extract<ServerFrame, { type: 'error' }>): ThreadView {
  const failure = { code: frame.code, message: frame.message, retryable: true };
  const refused = view.turns.find((turn) => frame.id !== null && turn.client === frame.id && isLocal(turn));
  if (!refused) return { ...view, notice: { code: frame.code, message: frame.message } };
  return { ...view, turns: view.turns.map((turn) => (turn === refused ? { ...turn, state: 'refused', failure } : turn)) };
}

const only = (view: ThreadView): Step => ({ view, frames: [] });

function newTurn(key: string): Turn {
  return {
    key, turn: null, client: null, user: null, answer: null, state: 'done', position: 0, seq: 0, resuming: false,
    recalled: null, changes: [], usage: null, timing: null, failure: null,
  };
}

function reopened(turn: Turn): Turn {
  return { ...turn, state: 'waiting', position: 0, seq: 0, resuming: false, answer: null, failure: null };
}

function said(message: Message): Said {
  return { id: message.id, text: message.text, created_at: message.created_at, excluded: message.excluded };
}

function change(view: ThreadView, id: string, to: (turn: Turn) => Turn): ThreadView {
  return { ...view, turns: view.turns.map((turn) => (turn.turn === id ? to(turn) : turn)) };
}

function ensure(view: ThreadView, id: string): ThreadView {
  if (view.turns.some((turn) => turn.turn === id)) return view;
  return { ...view, turns: beforeLocal(view.turns, { ...newTurn(id), turn: id, state: 'waiting' }) };
}

/** What the server has comes before what still waits here to be sent. */
function beforeLocal(turns: readonly Turn[], added: Turn): Turn[] {
  const index = turns.findIndex((turn) => isLocal(turn));
  return index < 0 ? [...turns, added] : [...turns.slice(0, index), added, ...turns.slice(index)];
}

/** Oldest first, whichever way the server lists them. */
function inOrder(messages: readonly Message[]): Message[] {
  const first = messages[0];
  const last = messages.at(-1);
  return first && last && first.created_at > last.created_at ? [...messages].reverse() : [...messages];
}

const keyOf = (message: Message): string => message.turn ?? message.id;
const holds = (turn: Turn, message: Message): boolean =>
  turn.turn === keyOf(message) || turn.user?.id === message.id || turn.answer?.id === message.id;

function put(turn: Turn, message: Message): Turn {
  if (message.role === 'user') return { ...turn, user: said(message) };
  if (isOpen(turn) && message.status !== 'done') return turn;
  const state = message.status === 'stopped' || message.status === 'failed' ? message.status : 'done';
  return { ...turn, answer: said(message), state: turn.failure ? turn.state : state };
}

function fold(turns: readonly Turn[], messages: readonly Message[]): { turns: Turn[]; added: Turn[] } {
  const known = [...turns];
  const added: Turn[] = [];
  for (const message of messages) {
    const at = known.findIndex((turn) => holds(turn, message));
    const old = known[at];
    if (old) {
      known[at] = put(old, message);
      continue;
    }
    const late = added.findIndex((turn) => holds(turn, message));
    const begun = added[late];
    if (begun) added[late] = put(begun, message);
    else added.push(put({ ...newTurn(keyOf(message)), turn: keyOf(message) }, message));
  }
  return { turns: known, added };
}

function mergeNewer(turns: readonly Turn[], messages: readonly Message[]): Turn[] {
  const merged = fold(turns, messages);
  return merged.added.reduce(beforeLocal, merged.turns);
}

function mergeOlder(turns: readonly Turn[], newestFirst: readonly Message[]): Turn[] {
  const merged = fold(turns, inOrder(newestFirst));
  return [...merged.added, ...merged.turns];
}
