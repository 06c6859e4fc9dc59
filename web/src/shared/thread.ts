/** What a conversation is called. */

import type { Strings } from './strings.ts';
import type { Thread } from '../wire.ts';

/** Those that exist by themselves, with the words for them. */
const OWN: Record<string, keyof Pick<Strings, 'mainThread' | 'programsThread'>> = { main: 'mainThread', programs: 'programsThread' };

/** Whether its first message may name it. */
export const isNameless = (thread: Thread): boolean => thread.title === null && !(thread.id in OWN) && !thread.temporary;

export function threadTitle(thread: Thread, strings: Strings): string {
  const own = OWN[thread.id];
  return thread.title ?? (own ? strings[own] : thread.temporary ? strings.newTemporary : strings.untitled);
}
