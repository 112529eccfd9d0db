import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
} from './json-bytes.ts';

/** Bounds the cost of a JSON text. Bytes alone do not bound it: JSON.parse of 1 MiB of `[` takes 300 ms and 80 MB (measured). */
export interface JsonLimits {
  /** Levels of objects and arrays. */
  readonly depth: number;
  /** `,` `:` `[` and `{` outside strings. The most expensive one takes 1 µs and 120 bytes (measured). */
  readonly tokens: number;
  /** How many tokens are parsed in one step; {@link tokensAtOnce} by default. */
  readonly atOnce?: number;
}

/** The reason why a text is refused. */
export type JsonFault = 'depth' | 'tokens' | 'syntax';

/**
 * How many tokens are parsed in one step: at most 40 ms. A longer text is parsed in pieces, so it must be a list whose items each have
 * fewer tokens.
 */
export const tokensAtOnce = 40_000;
/** A piece ends at the first item boundary after this number of tokens. */
const pieceTokens = 10_000;
/** A longer text inside the document is unescaped in parts of this size: 16 MiB of `\n` take 240 ms in one step (measured). */
const textPartBytes = 256 * 1024;
/** The longest escape is \uXXXX. */
const escapeBytes = 6;

/**
 * Reads the bytes of a JSON text as they arrive and counts the cost of parsing them (1 to 4 ms per MiB), so that a body that is too
 * expensive is refused before all of it has arrived. It does not check the syntax; JSON.parse does.
 */
export class JsonScan {
  readonly #limits: JsonLimits;
  /** For each open container: whether it is an array. */
  readonly #open: boolean[] = [];
  readonly #cuts: Cut[] = [];
  readonly #longTexts: LongText[] = [];
  #inString = false;
  #escaped = false;
  /** Where the current text began, and where its current part did. */
  #textStart = 0;
  #partStart = 0;
  #lastEscape = 0;
  #partEnds: number[] = [];
  #position = 0;
  #tokens = 0;
  #sinceCut = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** Where {@link parsePieces} cuts the text; empty when it is cheap enough to be parsed in one step. */
  get cuts(): readonly Cut[] {
    return this.#tokens > tokensAtOnce ? this.#cuts : [];
  }

  /** Texts inside the document that are unescaped in parts. */
  get longTexts(): readonly LongText[] {
    return this.#longTexts;
  }

  /** @returns the reason why the text so far is refused, or null. */
  take(bytes: Uint8Array): JsonFault | null {
    const { depth: maxDepth, tokens: maxTokens, atOnce = tokensAtOnce } = this.#limits;
    const open = this.#open;
    const position = this.#position;
    let inString = this.#inString;
    let escaped = this.#escaped;
    let tokens = this.#tokens;
    let sinceCut = this.#sinceCut;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (inString) {
        if (escaped) {
          escaped = false;
          continue;
        }
        const at = position + i;
        if (at - this.#partStart >= textPartBytes && this.#isBetween(byte, at)) {
          this.#partEnds.push(at);
          this.#partStart = at;
        }
        if (byte === backslash) {
          escaped = true;
          this.#lastEscape = at;
        } else if (byte === quote) {
          inString = false;
          if (this.#partEnds.length > 0) {
            this.#longTexts.push({ start: this.#textStart, end: at, partEnds: this.#partEnds });
            this.#partEnds = [];
          }
        }
        continue;
      }
      switch (byte) {
        case quote:
          inString = true;
          this.#textStart = position + i + 1;
          this.#partStart = this.#textStart;
          this.#lastEscape = this.#textStart - escapeBytes;
          continue;
        case openBracket:
        case openBrace:
          open.push(byte === openBracket);
          if (open.length > maxDepth) return 'depth';
          break;
        case closeBracket:
        case closeBrace:
          if (open.pop() !== (byte === closeBracket)) return 'syntax';
          continue;
        case comma:
          if (sinceCut > pieceTokens && betweenItems(open)) {
            this.#cuts.push({ at: position + i, depth: open.length });
            sinceCut = 0;
          }
          break;
        case colon:
          break;
        default:
          continue;
      }
      tokens++;
      sinceCut++;
      if (tokens > maxTokens || sinceCut > atOnce) return 'tokens';
    }
    this.#inString = inString;
    this.#escaped = escaped;
    this.#tokens = tokens;
    this.#sinceCut = sinceCut;
    this.#position += bytes.length;
    return null;
  }

  /** Whether a text can be split before this byte, i.e. not inside a UTF-8 character or an escape. */
  #isBetween(byte: number | undefined, at: number): boolean {
    if (byte === backslash) return true;
    return at - this.#lastEscape >= escapeBytes && byte !== undefined && (byte & 0xc0) !== 0x80;
  }
}

/** The position of a text between its quotes, and the ends of its parts except the last. */
export interface LongText {
  readonly start: number;
  readonly end: number;
  readonly partEnds: readonly number[];
}

/** In an array nested only in objects: the list of a tool's arguments, alone or in an MCP message. */
const betweenItems = (open: readonly boolean[]) =>
  open.at(-1) === true && open.indexOf(true) === open.length - 1;

/** The position of a comma between two items of an array at `depth - 1` objects. */
export interface Cut {
  readonly at: number;
  readonly depth: number;
}

// No parameter has this name.
const continued = '\u0000continued';
const continuedText = JSON.stringify(continued);

/**
 * Parses a document piece by piece and yields after each, so that the server can yield to other requests.
 * @param text in UTF-8.
 * @param scanned what {@link JsonScan} found in it.
 * @throws SyntaxError for invalid JSON.
 */
export function* parsePieces(
  text: Uint8Array,
  scanned: { readonly cuts: readonly Cut[]; readonly longTexts: readonly LongText[] },
): Generator<void, unknown> {
  const { cuts, longTexts } = scanned;
  if (longTexts.length === 0) return yield* parseCut(text, cuts);
  const read: string[] = [];
  for (const longText of longTexts) read.push(yield* unescaped(text, longText));
  const short = shortened(text, cuts, longTexts);
  return yield* lengthened(yield* parseCut(short.text, short.cuts), read);
}

const decoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function* unescaped(text: Uint8Array, { start, end, partEnds }: LongText): Generator<void, string> {
  const utf8 = decoder();
  let whole = '';
  let from = start;
  for (const to of [...partEnds, end]) {
    whole += JSON.parse(`"${utf8.decode(text.subarray(from, to))}"`) as string;
    from = to;
    yield;
  }
  return whole;
}

/** Replaces a long text while the rest is parsed. No parameter has this value, because U+0000 is refused. */
const placeholder = (index: number) => `\u0000text ${index}`;

/** The document with a placeholder for each long text, and its cuts moved accordingly. */
function shortened(text: Uint8Array, cuts: readonly Cut[], longTexts: readonly LongText[]) {
  const parts: Uint8Array[] = [];
  const moved: Array<{ readonly after: number; readonly by: number }> = [];
  let from = 0;
  let by = 0;
  for (const [index, { start, end }] of longTexts.entries()) {
    const stand = Buffer.from(JSON.stringify(placeholder(index)).slice(1, -1));
    parts.push(text.subarray(from, start), stand);
    from = end;
    by += stand.length - (end - start);
    moved.push({ after: end, by });
  }
  parts.push(text.subarray(from));
  const at = (place: number) => place + (moved.findLast(({ after }) => after <= place)?.by ?? 0);
  return { text: Buffer.concat(parts), cuts: cuts.map((cut) => ({ ...cut, at: at(cut.at) })) };
}

/** Puts the long texts back in place of their placeholders. */
function* lengthened(value: unknown, texts: readonly string[]): Generator<void, unknown> {
  const byPlaceholder = new Map(texts.map((text, index) => [placeholder(index), text]));
  const textOf = (inner: unknown) => (typeof inner === 'string' ? byPlaceholder.get(inner) : undefined);
  const whole = textOf(value);
  if (whole !== undefined) return whole;
  const open: unknown[] = [value];
  for (let step = 0; open.length > 0; step++) {
    const container = open.pop();
    if (typeof container !== 'object' || container === null) continue;
    for (const [key, inner] of Object.entries(container)) {
      const text = textOf(inner);
      if (text === undefined) open.push(inner);
      else Object.defineProperty(container, key, { value: text });
    }
    if (step % 1_000 === 0) yield;
  }
  return value;
}

function* parseCut(text: Uint8Array, cuts: readonly Cut[]): Generator<void, unknown> {
  const utf8 = decoder();
  const piece = (from: number, to: number) => utf8.decode(text.subarray(from, to));
  let whole: unknown;
  let previous: Cut | undefined;
  for (const cut of [...cuts, undefined]) {
    const objects = previous ? previous.depth - 1 : 0;
    const head = previous ? `${`{${continuedText}:`.repeat(objects)}[` : '';
    const tail = cut ? `]${'}'.repeat(cut.depth - 1)}` : '';
    const from = previous ? previous.at + 1 : 0;
    const parsed = JSON.parse(head + piece(from, cut?.at ?? text.length) + tail) as unknown;
    if (previous) resume(whole, parsed, objects);
    else whole = parsed;
    previous = cut;
    yield;
  }
  return whole;
}

/** Adds the content of a later piece where the text was cut: into the last member of each object, down to the array. */
function resume(whole: unknown, piece: unknown, objects: number): void {
  let target = whole;
  let source = piece;
  const added: Array<readonly [object, object]> = [];
  for (let level = 0; level < objects; level++) {
    if (!isObject(target) || !isObject(source)) throw new SyntaxError('not JSON');
    const keys = Object.keys(target);
    const last = keys.at(-1);
    // JavaScript moves integer-like keys to the front, so the last key of the text is unknown.
    if (last === undefined || keys.some((key) => /^\d+$/.test(key)))
      throw new SyntaxError('keys are numbers');
    added.push([target, source]);
    target = target[last];
    source = source[continued];
  }
  if (!Array.isArray(target) || !Array.isArray(source) || source.length === 0)
    throw new SyntaxError('not JSON');
  for (const item of source as unknown[]) target.push(item);
  for (const [object, more] of added) {
    for (const [key, value] of Object.entries(more)) {
      if (key === continued) continue;
      // Defined, not assigned: a member may be named __proto__.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    }
  }
}

/** Whether a value of JSON is an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
