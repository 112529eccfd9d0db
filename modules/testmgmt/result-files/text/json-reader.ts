import { TextTail } from './case-text.ts';
import { FileFault } from './file-fault.ts';

/** The events of a JSON text, in order. A handler throws to refuse something. */
export interface JsonHandler {
  /** The start of an object or a list. */
  open(isList: boolean): void;
  /** The name of the member whose value follows. */
  key(name: string): void;
  value(value: string | number | boolean | null): void;
  close(): void;
}

interface ReaderLimits {
  /** The maximum nesting of objects and lists. */
  readonly depth: number;
  readonly values?: number;
  /** The two ends of a longer text are kept up to this length; undefined keeps all of it. */
  readonly textEnd?: number;
  /** The maximum number of consecutive spaces. */
  readonly spaces?: number;
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

const escapes: Readonly<Record<string, string | undefined>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads JSON as its text arrives, so that no step is long (JSON.parse of 16 MiB takes up to 3.6 s) and an error has a position, which
 * JSON.parse does not give. Several documents may follow each other.
 */
export class JsonReader {
  readonly #handler: JsonHandler;
  readonly #limits: ReaderLimits;
  /** The closing character of each open object or list. */
  readonly #closers: string[] = [];
  readonly #keys = new Map<string, string>();
  #expected: Expected = 'value';
  #rest = '';
  #text: string | undefined;
  #tail: TextTail | undefined;
  #textLength = 0;
  #values = 0;
  #spaces = 0;
  #line = 1;
  /** The number of characters before the current piece, and before the current line. */
  #before = 0;
  #lineStart = 0;

  constructor(handler: JsonHandler, limits: ReaderLimits) {
    this.#handler = handler;
    this.#limits = limits;
  }

  /** @throws FileFault */
  write(piece: string): void {
    const text = this.#rest + piece;
    this.#rest = '';
    let at = 0;
    while (at < text.length) {
      const next = this.#text === undefined ? this.#token(text, at, false) : this.#inText(text, at);
      if (next === at) break;
      at = next;
    }
    this.#rest = text.slice(at);
    this.#before += at;
  }

  /** @throws FileFault */
  end(): void {
    if (this.#text === undefined && this.#rest !== '') this.#token(this.#rest, 0, true);
    if (this.#text === undefined && this.#closers.length === 0) return;
    throw this.#fault(
      'It ends before its JSON is complete: the file was cut off. Upload it again',
      this.#rest.length,
    );
  }

  /** Reads one token. @returns the start of the next one; the same position if this one is not complete yet. */
  #token(text: string, at: number, isLast: boolean): number {
    const code = text.charCodeAt(at);
    if (code === 0x0a) {
      this.#line++;
      this.#lineStart = this.#before + at + 1;
    }
    if (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d || code === 0xfeff) {
      const { spaces = Infinity } = this.#limits;
      if (++this.#spaces > spaces) throw this.#fault(`It has more than ${spaces} spaces in a row`, at);
      return at + 1;
    }
    this.#spaces = 0;
    const character = text.charAt(at);
    const expected = this.#expected;
    if (character === '"' && expected !== 'colon' && expected !== 'comma or end') {
      this.#text = '';
      this.#textLength = 0;
      return at + 1;
    }
    const isValue = expected === 'value' || expected === 'value or ]';
    const closer = this.#closers.at(-1);
    if (isValue && (character === '[' || character === '{')) this.#enter(character === '[', at);
    else if (character === closer && (expected === 'comma or end' || expected.endsWith(character))) {
      this.#closers.pop();
      this.#handler.close();
      this.#valueEnded();
    } else if (character === ':' && expected === 'colon') this.#expected = 'value';
    else if (character === ',' && expected === 'comma or end' && closer !== undefined)
      this.#expected = closer === '}' ? 'key' : 'value';
    else {
      literal.lastIndex = at;
      const word = isValue ? (literal.exec(text)?.[0] ?? '') : '';
      if (word !== '' && at + word.length === text.length && !isLast && word.length < 400) return at;
      this.#add(this.#literal(word, character, at), at);
      return at + word.length;
    }
    return at + 1;
  }

  #literal(word: string, character: string, at: number): number | boolean | null {
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word)) return Number(word);
    const [what] = this.#expected.split(' ', 1);
    throw this.#fault(
      `It is not valid JSON: there is "${word.slice(0, 40) || character}" where a ${what} should be`,
      at,
    );
  }

  #enter(isList: boolean, at: number): void {
    this.#count(at);
    this.#handler.open(isList);
    this.#closers.push(isList ? ']' : '}');
    const { depth } = this.#limits;
    if (this.#closers.length > depth) throw this.#fault(`It nests values deeper than ${depth} levels`, at);
    this.#expected = isList ? 'value or ]' : 'key or }';
  }

  #add(value: string | number | boolean | null, at: number): void {
    this.#count(at);
    this.#handler.value(value);
    this.#valueEnded();
  }

  #count(at: number): void {
    const { values = Infinity } = this.#limits;
    if (++this.#values > values) throw this.#fault(`It has more than ${values} values`, at);
  }

  #valueEnded(): void {
    this.#expected = this.#closers.length > 0 ? 'comma or end' : 'value';
  }

  /** Continues reading inside a text. @returns where to continue; the same position in an escape that is not complete yet. */
  #inText(text: string, begin: number): number {
    let read = '';
    let at = begin;
    for (;;) {
      plainText.lastIndex = at;
      const plain = plainText.exec(text)?.[0] ?? '';
      read += plain;
      at += plain.length;
      const character = text.charAt(at);
      if (character === '"') {
        this.#addText(read);
        this.#endText(at);
        return at + 1;
      }
      const kind = text.charAt(at + 1);
      const length = kind === 'u' ? 6 : 2;
      if (at >= text.length || (character === '\\' && text.length - at < length)) {
        const waiting = lengthOfHalf(read, text.slice(begin, at));
        this.#addText(waiting === 0 ? read : read.slice(0, -1));
        return at - waiting;
      }
      read += this.#escape(character, kind, text.slice(at + 2, at + 6), at);
      at += length;
    }
  }

  #escape(character: string, kind: string, hex: string, at: number): string {
    if (character !== '\\') {
      throw this.#fault('It is not valid JSON: a text contains a line end or control character', at);
    }
    if (kind === 'u' && /^[\da-f]{4}$/i.test(hex)) return String.fromCharCode(Number.parseInt(hex, 16));
    const read = escapes[kind];
    if (read === undefined) throw this.#fault(`It is not valid JSON: "\\${kind}" is no escape`, at);
    return read;
  }

  #addText(part: string): void {
    this.#textLength += part.length;
    const head = this.#text ?? '';
    const { textEnd = Infinity } = this.#limits;
    if (this.#textLength <= 2 * textEnd) {
      this.#text = head + part;
      return;
    }
    if (!this.#tail) {
      this.#tail = new TextTail(textEnd);
      this.#tail.add(head.slice(textEnd));
      this.#text = head.slice(0, textEnd) + part.slice(0, Math.max(0, textEnd - head.length));
    }
    this.#tail.add(part);
  }

  #endText(at: number): void {
    const head = this.#text ?? '';
    const whole = this.#tail ? head + this.#tail.text : head;
    this.#text = undefined;
    this.#tail = undefined;
    if (this.#expected.startsWith('key')) {
      const key = this.#keys.get(whole) ?? whole;
      if (this.#keys.size < 1_000) this.#keys.set(whole, whole);
      this.#handler.key(key);
      this.#expected = 'colon';
    } else {
      this.#add(whole, at);
    }
  }

  #fault(sentence: string, at: number): FileFault {
    return new FileFault(`${sentence}.`, {
      line: this.#line,
      column: this.#before + at - this.#lineStart + 1,
    });
  }
}

/**
 * How many characters at the end of a piece are the first half of a letter: 0, 1, or the 6 of its escape. The tail of a long text would
 * replace each half.
 */
const lengthOfHalf = (read: string, piece: string): number =>
  /[\ud800-\udbff]$/.test(read) ? (/[\ud800-\udbff]$/.test(piece) ? 1 : 6) : 0;

const literal = /[-+.\w]+/y;
const plainText = new RegExp(String.raw`[^"\\\x00-\x1f]*`, 'y');
