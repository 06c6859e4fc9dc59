/**
 * Messages that were sent here but not yet accepted there.
 *
 * A message leaves the outbox only when the server says `accepted`, or when its writer takes it back. It keeps its id
 * for as long as it lives, so sending it again after a reconnect or a reload can't make a second turn.
 */

export interface Waiting {
  id: string;
  thread: string;
  text: string;
  at: string;
  /** The server said no; it isn't sent again until its writer asks. */
  refused: boolean;
}

/** The part of `localStorage` that is used here. */
export interface Shelf {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export class Outbox {
  readonly #shelf: Shelf;
  readonly #key: string;

  /** `user` keeps apart what different people of one browser wrote. */
  constructor(shelf: Shelf, user: string) {
    this.#shelf = shelf;
    this.#key = `kioku.outbox.${user}`;
  }

  all(thread: string): Waiting[] {
    return this.#load().filter((item) => item.thread === thread);
  }

  due(thread: string): Waiting[] {
    return this.all(thread).filter((item) => !item.refused);
  }

  add(item: Omit<Waiting, 'refused'>): void {
    this.#save([...this.#load(), { ...item, refused: false }]);
  }

  mark(id: string, refused: boolean): void {
    this.#save(this.#load().map((item) => (item.id === id ? { ...item, refused } : item)));
  }

  drop(id: string): void {
    this.#save(this.#load().filter((item) => item.id !== id));
  }

  /** Everything for a conversation that is gone. */
  dropThread(thread: string): void {
    this.#save(this.#load().filter((item) => item.thread !== thread));
  }

  /** Read every time: another tab may have changed it. */
  #load(): Waiting[] {
    try {
      const stored: unknown = JSON.parse(this.#shelf.getItem(this.#key) ?? '[]');
      return Array.isArray(stored) ? stored.filter(isWaiting) : [];
    } catch {
      return [];
    }
  }

  #save(items: Waiting[]): void {
    try {
      if (items.length === 0) this.#shelf.removeItem(this.#key);
      else this.#shelf.setItem(this.#key, JSON.stringify(items));
    } catch {
      // A full or forbidden storage loses only the copy for after a reload; the open page still has the message.
    }
  }
}

function isWaiting(item: unknown): item is Waiting {
  const it = item as Waiting | null;
  return typeof it === 'object' && it !== null && typeof it.id === 'string' && typeof it.thread === 'string'
    && typeof it.text === 'string' && typeof it.at === 'string' && typeof it.refused === 'boolean';
}

/** A client id: 26 of the characters the protocol allows, from 128 random bits. */
export function newClientId(random: Uint8Array): string {
  const digits = 'abcdefghijklmnopqrstuvwxyz234567';
  let bits = 0;
  let held = 0;
  let id = '';
  for (const byte of random) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) id += digits.charAt((held >> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? id + digits.charAt((held << (5 - bits)) & 31) : id;
}
