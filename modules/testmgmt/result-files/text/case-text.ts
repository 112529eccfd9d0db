/*
 * Texts of a report that are kept. A substring keeps the whole chunk alive that it was cut from (200 MB of small cases: all of the
 * file), so what is kept is copied.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const scratch = new Uint8Array(16_384);

/** A copy that shares no memory with the text it is cut from. */
export function ownText(text: string): string {
  if (text.length * 3 > scratch.length) return decoder.decode(encoder.encode(text));
  return decoder.decode(scratch.subarray(0, encoder.encodeInto(text, scratch).written));
}

// U+001B stands there as itself or, out of XML, as its picture.
const escape = String.raw`[\x1b\u241b]`;
const terminalCode = new RegExp(String.raw`${escape}(?:\[[0-9;:?]*[ -/]*[@-~]|[()][A-Z0-9])`, 'g');

/** Text without the codes for colours and cursors of a terminal. */
export const withoutTerminalCodes = (text: string): string => text.replaceAll(terminalCode, '');

/** The first characters of what is added. */
export class TextHead {
  readonly #limit: number;
  #text = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: string): void {
    const left = this.#limit - this.#text.length;
    if (left > 0) this.#text += ownText(piece.slice(0, left));
  }

  get text(): string {
    return this.#text;
  }
}

/** The last characters of what is added. */
export class TextTail {
  readonly #limit: number;
  #text = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: string): void {
    this.#text += ownText(piece.slice(-this.#limit));
    // Not at each piece: a text may come character by character.
    if (this.#text.length > 4 * this.#limit) this.#text = this.#text.slice(-this.#limit);
  }

  get text(): string {
    return this.#text.slice(-this.#limit);
  }
}
