import { FileFault } from './file-fault.ts';

/** Most characters of one line. */
export const lineLimit = 1_048_576;

/** Splits text that arrives in pieces into lines. */
export class LineReader {
  #rest = '';
  #number = 0;

  /** The complete lines, without their ends. @throws FileFault */
  *lines(piece: string): Generator<string> {
    const text = this.#rest + piece;
    let from = 0;
    for (let end = text.indexOf('\n', this.#rest.length); end >= 0; end = text.indexOf('\n', from)) {
      this.#number++;
      yield text.slice(from, text[end - 1] === '\r' && end > from ? end - 1 : end);
      from = end + 1;
    }
    this.#rest = text.slice(from);
    if (this.#rest.length > lineLimit) {
      throw new FileFault(`A line has more than ${lineLimit} characters.`, {
        line: this.#number + 1,
        column: lineLimit,
      });
    }
  }

  /** The last line, if it has no line end. */
  *rest(): Generator<string> {
    if (this.#rest === '') return;
    this.#number++;
    yield this.#rest;
    this.#rest = '';
  }

  /** The number of the last line read, from 1. */
  get number(): number {
    return this.#number;
  }
}
