/** The memory page: one view per part of the address after `#`, so that each can be linked to and gone back from. */

import { add, byId, fill, h } from '../shared/dom.ts';
import { begin, type Session } from '../shared/session.ts';
import { changesView } from './changes.ts';
import { FactsView } from './facts.ts';
import { settingsView } from './settings.ts';
import { summariesView } from './summaries.ts';

const PARTS = ['facts', 'changes', 'summaries', 'settings'] as const;
type Part = (typeof PARTS)[number];

function start(session: Session): void {
  const { strings } = session;
  const tabs = h('nav', { class: 'tabs', 'aria-label': strings.memory });
  const place = h('div', { class: 'part' });
  const facts = new FactsView(session);
  fill(byId('main'),
    h('div', { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', {}, strings.memory), h('p', { class: 'quiet' }, strings.memoryLead)),
      tabs, place));
  const show = (): void => {
    const wanted = location.hash.slice(1);
    const fact = /^fact=(.+)$/.exec(wanted)?.[1];
    const part: Part = PARTS.find((name) => name === wanted) ?? 'facts';
    fill(tabs);
    for (const name of PARTS) {
      add(tabs, h('a', { href: `#${name}`, 'aria-current': name === part ? 'page' : null }, strings[name]));
    }
    if (part === 'facts') {
      if (!facts.root.isConnected) {
        fill(place, facts.root);
        facts.refresh();
      }
      if (fact) facts.open(decodeURIComponent(fact));
      return;
    }
    fill(place, part === 'changes' ? changesView(session) : part === 'summaries' ? summariesView(session) : settingsView(session));
  };
  addEventListener('hashchange', show);
  show();
}

start(await begin('memory'));
