/*
 * Texts of a report that are kept. A substring keeps the whole chunk alive from which it was cut (for 200 MB of small cases, the whole
 * file), so kept texts are copied.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const scratch = new Uint8Array(16_384);

/** A copy that shares no memory with the text from which it was cut. */
export function ownText(text: string): string {
  if (text.length * 3 > scratch.length) return decoder.decode(encoder.encode(text));
  return decoder.decode(scratch.subarray(0, encoder.encodeInto(text, scratch).written));
}

/** Text that every database stores: U+0000 becomes its picture, as in XML, and half a character U+FFFD. */
export const storableText = (text: string): string => text.replaceAll('\0', '\u2400').toWellFormed();

// U+001B occurs as itself or, outside XML, as its picture.
const escape = String.raw`[\x1b\u241b]`;
const terminalCode = new RegExp(String.raw`${escape}(?:\[[0-9;:?]*[ -/]*[@-~]|[()][A-Z0-9])`, 'g');

/** Text without terminal codes for colours and cursors. */
export const withoutTerminalCodes = (text: string): string => text.replaceAll(terminalCode, '');

/** Keeps the first characters of the added text. */
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

/** Keeps the last characters of the added text. */
export class TextTail {
  readonly #limit: number;
  #text = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: string): void {
    this.#text += ownText(piece.slice(-this.#limit));
    // Not for each piece: a text may arrive character by character.
    if (this.#text.length > 4 * this.#limit) this.#text = this.#text.slice(-this.#limit);
  }

  get text(): string {
    return this.#text.slice(-this.#limit);
  }
}
