/** One turn on the page: what was said, how it stands, the answer, and memory's part in it. */

import { add, fill, h, icon, iconButton } from '../shared/dom.ts';
import type { Session } from '../shared/session.ts';
import { copyText, Prose } from './prose.ts';
import { changeNotes, recalledChips } from './recalled.ts';
import { isOpen, type Said, type Turn } from './state.ts';

export interface TurnActions {
  edit(text: string): void;
  retry(turn: string): void;
  sendAgain(client: string): void;
  /** Takes a message that the server never got out of the outbox. */
  takeBack(client: string, text: string | null): void;
  settled(change: string): void;
  /** An ended turn came into sight of which this page saw no frames. */
  seen(turn: string): void;
}

export class TurnElement {
  readonly root = h('section', { class: 'turn' });
  readonly #session: Session;
  readonly #actions: TurnActions;
  readonly #user = h('div', { class: 'said' });
  readonly #answer = h('div', { class: 'answer' });
  readonly #prose: Prose;
  readonly #note = h('div', { class: 'turn-note' });
  readonly #memory = h('div', { class: 'turn-memory' });
  readonly #tools = h('div', { class: 'tools' });
  #shown: Turn | null = null;
  #wasLast = false;

  constructor(session: Session, actions: TurnActions) {
    this.#session = session;
    this.#actions = actions;
    this.#prose = new Prose(session.strings);
    add(this.root, this.#user, this.#answer, this.#note, this.#memory, this.#tools);
  }

  update(turn: Turn, last: boolean): void {
    const old = this.#shown;
    if (turn === old && last === this.#wasLast) return;
    this.#shown = turn;
    this.#wasLast = last;
    const stateChanged = old?.state !== turn.state || old.position !== turn.position || old.failure !== turn.failure || !old;
    this.root.dataset['state'] = turn.state;
    if (old?.user !== turn.user) this.#showUser(turn.user);
    if (old?.answer !== turn.answer || stateChanged) this.#showAnswer(turn);
    if (stateChanged) this.#showNote(turn);
    if (old?.recalled !== turn.recalled || old?.changes !== turn.changes) this.#showMemory(turn, old);
    if (stateChanged || old?.usage !== turn.usage || old?.timing !== turn.timing || last !== (this.#tools.dataset['last'] === 'true')
      || (old?.user === null) !== (turn.user === null)) {
      this.#showTools(turn, last);
    }
  }

  #showUser(said: Said | null): void {
    const { strings, format } = this.#session;
    this.#user.hidden = said === null;
    if (!said) return;
    if (said.id) this.#user.id = said.id;
    fill(this.#user,
      h('h2', { class: 'unseen' }, strings.you),
      h('p', { class: 'bubble', title: said.created_at ? format.moment(said.created_at, new Date()) : null }, said.text),
      said.excluded ? h('p', { class: 'quiet small' }, strings.excluded) : null);
  }

  #showAnswer(turn: Turn): void {
    const { strings } = this.#session;
    const text = turn.answer?.text ?? '';
    this.#answer.hidden = text === '' && !isOpen(turn);
    if (turn.answer?.id) this.#answer.id = turn.answer.id;
    this.#answer.setAttribute('aria-busy', String(isOpen(turn)));
    if (!this.#prose.root.isConnected) {
      fill(this.#answer, h('h2', { class: 'unseen' }, strings.assistant), this.#prose.root);
    }
    this.#prose.update(text);
    this.#answer.classList.toggle('thinking', turn.state === 'running' && text === '');
    this.#answer.classList.toggle('writing', turn.state === 'running' && text !== '');
    const mark = this.#answer.querySelector('.excluded');
    if (turn.answer?.excluded && !mark) add(this.#answer, h('p', { class: 'quiet small excluded' }, strings.excluded));
    if (!turn.answer?.excluded) mark?.remove();
  }

  #showNote(turn: Turn): void {
    const { strings } = this.#session;
    fill(this.#note);
    this.#note.classList.toggle('trouble', turn.state === 'refused' || turn.state === 'failed');
    const reason = (failure: Turn['failure']): string =>
      (failure ? strings.failures[failure.code] ?? (failure.message || strings.unknownFailure) : strings.unknownFailure);
    const action = (label: string, act: () => void): HTMLElement =>
      h('button', { type: 'button', class: 'button small', on: { click: act } }, label);
    const { client, turn: id } = turn;
    switch (turn.state) {
      case 'unsent':
        add(this.#note, h('span', {}, strings.unsent),
          client ? action(strings.takeBack, () => this.#actions.takeBack(client, turn.user?.text ?? '')) : null);
        break;
      case 'refused':
        add(this.#note, h('span', {}, strings.refused(reason(turn.failure))),
          client ? action(strings.sendAgain, () => this.#actions.sendAgain(client)) : null,
          client ? action(strings.takeBack, () => this.#actions.takeBack(client, turn.user?.text ?? '')) : null,
          client ? action(strings.discard, () => this.#actions.takeBack(client, null)) : null);
        break;
      case 'waiting':
        if (turn.position > 0) add(this.#note, h('span', {}, strings.waiting(turn.position)));
        else add(this.#note, h('span', { class: 'dots', role: 'img', 'aria-label': strings.thinking }, h('i'), h('i'), h('i')));
        break;
      case 'running':
        if (!turn.answer?.text) add(this.#note, h('span', { class: 'dots', role: 'img', 'aria-label': strings.thinking }, h('i'), h('i'), h('i')));
        break;
      case 'stopped':
        add(this.#note, h('span', {}, strings.stopped), id ? action(strings.retry, () => this.#actions.retry(id)) : null);
        break;
      case 'failed':
        add(this.#note, h('span', {}, strings.failed(reason(turn.failure))),
          id && (turn.failure?.retryable ?? true) ? action(strings.retry, () => this.#actions.retry(id)) : null);
        break;
      case 'done':
        break;
    }
  }

  #showMemory(turn: Turn, old: Turn | null): void {
    const before = old?.recalled === turn.recalled ? this.#memory.querySelector('details')?.open : undefined;
    fill(this.#memory,
      turn.recalled ? recalledChips(turn.recalled, this.#session) : null,
      changeNotes(turn.changes, this.#session, this.#actions.settled));
    const details = this.#memory.querySelector('details');
    if (details && before !== undefined) details.open = before;
  }

  #showTools(turn: Turn, last: boolean): void {
    const { strings, format } = this.#session;
    this.#tools.dataset['last'] = String(last);
    const focused = this.#tools.contains(document.activeElement) ? document.activeElement?.getAttribute('aria-label') : null;
    fill(this.#tools);
    if (isOpen(turn) || turn.turn === null) return;
    const { user } = turn;
    if (turn.answer?.text) {
      const copy = iconButton('copy', strings.copy, () => void copyText(this.#prose.text, copy, strings));
      add(copy, h('span', { class: 'tick', 'aria-hidden': 'true' }, icon('check')));
      add(this.#tools, copy);
    }
    if (last && user) add(this.#tools, iconButton('edit', strings.edit, () => this.#actions.edit(user.text)));
    if (turn.usage || turn.timing) {
      const figures = h('dl', { class: 'figures', hidden: true });
      const row = (name: string, value: string): void => add(figures, h('div', {}, h('dt', {}, name), h('dd', {}, value)));
      if (turn.usage) {
        const mark = turn.usage.estimated ? ` (${strings.estimated})` : '';
        row(strings.promptTokens, format.number(turn.usage.prompt_tokens) + mark);
        row(strings.completionTokens, format.number(turn.usage.completion_tokens) + mark);
      }
      if (turn.timing) {
        row(strings.queued, format.duration(turn.timing.queued_ms));
        if (turn.timing.recall_ms !== null) row(strings.recallTime, format.duration(turn.timing.recall_ms));
        if (turn.timing.first_token_ms !== null) row(strings.firstToken, format.duration(turn.timing.first_token_ms));
        row(strings.totalTime, format.duration(turn.timing.total_ms));
      }
      const toggle = iconButton('info', strings.details, () => {
        figures.hidden = !figures.hidden;
        toggle.setAttribute('aria-expanded', String(!figures.hidden));
      });
      toggle.setAttribute('aria-expanded', 'false');
      add(this.#tools, toggle, figures);
    }
    if (focused) this.#tools.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }
}
