//! A stream whose chunks are handed over together: the first at once, then what came within a moment.
//!
//! A provider sends one chunk a token, and each would pass through the whole future of its turn. It is written in
//! JavaScript so that the wasm hears of them once a moment; inline, because the build takes no module of its own beside
//! this `package.json`.

use wasm_bindgen::prelude::*;
use worker::js_sys::Promise;
use worker::web_sys::ReadableStream;

#[wasm_bindgen(inline_js = r#"
/** The next ones follow after this long, or as soon as this much has come. */
const MOMENT_MS = 45;
const ENOUGH_BYTES = 16 * 1024;
/** What nobody takes is not read on. */
const MOST_BYTES = 256 * 1024;
/** The end of an answer is not held back; its connection ends in the same moment, and can be used again if it did. */
const LAST_WORD = "[DONE]";
const LAST_MOMENT_MS = 2;

export class Gathered {
  #reader;
  #chunks = [];
  #bytes = 0;
  #over = false;
  #failure;
  #given = -Infinity;
  #is_reading = false;
  #waiting;
  #timer;

  constructor(stream) {
    this.#reader = stream.getReader();
    void this.#read();
  }

  /** What has come; nothing at the end. */
  next() {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#give();
      void this.#read();
    });
  }

  /** Nothing more is wanted. */
  cancel() {
    clearTimeout(this.#timer);
    if (this.#over) return;
    this.#over = true;
    this.#reader.cancel().catch(() => {});
  }

  async #read() {
    if (this.#is_reading) return;
    this.#is_reading = true;
    try {
      while (!this.#over && this.#bytes < MOST_BYTES) {
        const { value, done } = await this.#reader.read();
        if (done) {
          this.#over = true;
        } else {
          this.#chunks.push(value);
          this.#bytes += value.length;
        }
        this.#give();
      }
    } catch (error) {
      this.#failure = error;
      this.#over = true;
      this.#give();
    }
    this.#is_reading = false;
  }

  /** Gives what has come to whoever waits, if it is time. */
  #give() {
    if (!this.#waiting) return;
    const wait = this.#over || this.#bytes >= ENOUGH_BYTES ? 0 : this.#given + MOMENT_MS - Date.now();
    if (this.#bytes > 0 && wait <= 0) {
      this.#settle().resolve(this.#take());
    } else if (this.#over) {
      const { resolve, reject } = this.#settle();
      if (this.#failure === undefined) resolve(undefined);
      else reject(this.#failure);
    } else if (this.#bytes > 0 && (this.#timer === undefined || this.#has_last_word())) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#given = -Infinity;
        this.#give();
      }, this.#has_last_word() ? LAST_MOMENT_MS : wait);
    }
  }

  #settle() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #take() {
    const chunks = this.#chunks;
    const whole = chunks.length === 1 ? chunks[0] : new Uint8Array(this.#bytes);
    if (chunks.length > 1) {
      let at = 0;
      for (const chunk of chunks) {
        whole.set(chunk, at);
        at += chunk.length;
      }
    }
    this.#chunks = [];
    this.#bytes = 0;
    this.#given = Date.now();
    return whole;
  }

  #has_last_word() {
    const tail = this.#chunks.at(-1).subarray(-16);
    return String.fromCharCode(...tail).includes(LAST_WORD);
  }
}
"#)]
extern "C" {
    pub type Gathered;

    #[wasm_bindgen(constructor)]
    pub fn new(stream: &ReadableStream) -> Gathered;

    /// What has come; `undefined` at the end.
    #[wasm_bindgen(method)]
    pub fn next(this: &Gathered) -> Promise;

    /// Nothing more is wanted.
    #[wasm_bindgen(method)]
    pub fn cancel(this: &Gathered);
}
