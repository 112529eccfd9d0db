/** A dump that cannot be read, with the line of the fault. */
export class DumpFault extends Error {
  override name = 'DumpFault';
}

/** A token of SQL as `mysqldump` writes it. `text` of a string is its value, without escapes. */
export interface DumpToken {
  readonly kind: 'word' | 'name' | 'text' | 'hex' | 'sign' | 'comment';
  readonly text: string;
}

/** Characters of one token, and of one statement: a statement of mysqldump has at most a few MiB. */
const longestToken = 16 * 1024 * 1024;
const longestStatement = 128 * 1024 * 1024;

/** Characters of a comment that are kept. */
const keptOfComment = 200;

type Mode =
  | 'between'
  | 'word'
  | 'quoted'
  | 'escape'
  | 'quote'
  | 'line comment'
  | 'block comment'
  | 'dash'
  | 'slash';

const wordPart = /[\w$.@+\-\u0080-\uffff]/;
const escapes: Readonly<Record<string, string>> = {
  0: '\0',
  b: '\b',
  n: '\n',
  r: '\r',
  t: '\t',
  Z: '\u001a',
};

/**
 * Splits a dump into tokens. It gets the text in chunks, and holds no more than one token.
 * @example const lexer = new DumpLexer((token) => tokens.push(token)); lexer.push('INSERT INTO `a` VALUES (1);'); lexer.end();
 */
export class DumpLexer {
  #mode: Mode = 'between';
  #quote = '';
  #parts: string[] = [];
  #length = 0;
  #inStatement = 0;
  #star = false;
  /** Whether the text belongs to nobody, so that it need not be kept. */
  isSkipping = false;
  line = 1;

  constructor(readonly sink: (token: DumpToken) => void) {}

  /** @throws DumpFault. */
  push(chunk: string): void {
    let at = 0;
    while (at < chunk.length) {
      const before = at;
      at = this.#step(chunk, at);
      this.#inStatement += at - before;
      if (this.#inStatement > longestStatement)
        throw this.fault(`a statement has more than ${longestStatement / 1024 / 1024} MiB`);
    }
  }

  /** @throws DumpFault for a dump that ends in the middle of something. */
  end(): void {
    if (this.#mode === 'quote' || this.#mode === 'word') this.#emit();
    if (this.#mode === 'line comment') this.#emit('comment');
    if (this.#mode === 'quoted' || this.#mode === 'escape' || this.#mode === 'block comment')
      throw this.fault('the file ends in the middle of a text');
  }

  /** The statement has ended: its length counts from here. */
  nextStatement(): void {
    this.#inStatement = 0;
    this.isSkipping = false;
  }

  fault(what: string): DumpFault {
    return new DumpFault(`Line ${this.line}: ${what}.`);
  }

  #step(chunk: string, at: number): number {
    switch (this.#mode) {
      case 'between':
        return this.#between(chunk, at);
      case 'word':
        return this.#word(chunk, at);
      case 'quoted':
        return this.#quoted(chunk, at);
      case 'escape':
        return this.#escape(chunk, at);
      case 'quote':
        return this.#afterQuote(chunk, at);
      case 'dash':
        return this.#afterDash(chunk, at);
      case 'slash':
        return this.#afterSlash(chunk, at);
      case 'line comment':
        return this.#lineComment(chunk, at);
      case 'block comment':
        return this.#blockComment(chunk, at);
    }
  }

  #between(chunk: string, at: number): number {
    const char = chunk.charAt(at);
    if (char === '\n') this.line++;
    else if (char === "'" || char === '"' || char === '`') {
      this.#mode = 'quoted';
      this.#quote = char;
    } else if (char === '-') this.#mode = 'dash';
    else if (char === '/') this.#mode = 'slash';
    else if (char === '#') this.#mode = 'line comment';
    else if (wordPart.test(char)) {
      this.#mode = 'word';
      return at;
    } else if (char.trim() !== '' && char !== '\ufeff') this.sink({ kind: 'sign', text: char });
    return at + 1;
  }

  #word(chunk: string, at: number): number {
    let end = at;
    while (end < chunk.length && wordPart.test(chunk.charAt(end))) end++;
    this.#keep(chunk, at, end);
    if (end < chunk.length) this.#emit();
    return end;
  }

  #quoted(chunk: string, at: number): number {
    let end = at;
    for (; end < chunk.length; end++) {
      const code = chunk.charCodeAt(end);
      if (code === 10) this.line++;
      else if (code === this.#quote.charCodeAt(0) || (code === 92 && this.#quote !== '`')) break;
    }
    this.#keep(chunk, at, end);
    if (end === chunk.length) return end;
    this.#mode = chunk.charAt(end) === '\\' ? 'escape' : 'quote';
    return end + 1;
  }

  #escape(chunk: string, at: number): number {
    const char = chunk.charAt(at);
    if (char === '\n') this.line++;
    const value = char === '%' || char === '_' ? `\\${char}` : (escapes[char] ?? char);
    this.#keep(value, 0, value.length);
    this.#mode = 'quoted';
    return at + 1;
  }

  /** A quote that is doubled is one of the text. */
  #afterQuote(chunk: string, at: number): number {
    if (chunk.charAt(at) !== this.#quote) {
      this.#emit();
      return at;
    }
    this.#keep(this.#quote, 0, 1);
    this.#mode = 'quoted';
    return at + 1;
  }

  /** `-- ` begins a comment; otherwise it is the sign of a number. */
  #afterDash(chunk: string, at: number): number {
    if (chunk.charAt(at) === '-') {
      this.#mode = 'line comment';
      return at + 1;
    }
    this.#keep('-', 0, 1);
    this.#mode = 'word';
    return at;
  }

  #afterSlash(chunk: string, at: number): number {
    const isComment = chunk.charAt(at) === '*';
    this.#mode = isComment ? 'block comment' : 'between';
    this.#star = false;
    if (!isComment) this.sink({ kind: 'sign', text: '/' });
    return isComment ? at + 1 : at;
  }

  #lineComment(chunk: string, at: number): number {
    const found = chunk.indexOf('\n', at);
    const end = found === -1 ? chunk.length : found;
    this.#keepComment(chunk, at, end);
    if (found !== -1) this.#emit('comment');
    return end;
  }

  #blockComment(chunk: string, at: number): number {
    for (let end = at; end < chunk.length; end++) {
      const code = chunk.charCodeAt(end);
      if (code === 10) this.line++;
      if (code === 47 && this.#star) {
        this.#keepComment(chunk, at, end);
        this.#emit('comment');
        return end + 1;
      }
      this.#star = code === 42;
    }
    this.#keepComment(chunk, at, chunk.length);
    return chunk.length;
  }

  #keepComment(chunk: string, from: number, to: number): void {
    const room = keptOfComment - this.#length;
    if (room > 0) this.#keep(chunk, from, Math.min(to, from + room));
  }

  #keep(chunk: string, from: number, to: number): void {
    if (to === from || (this.isSkipping && this.#mode !== 'word')) return;
    this.#length += to - from;
    if (this.#length > longestToken)
      throw this.fault(`a value has more than ${longestToken / 1024 / 1024} MiB`);
    this.#parts.push(chunk.slice(from, to));
  }

  #emit(kind?: DumpToken['kind']): void {
    const text = this.#parts.join('');
    const inQuotes = this.#mode === 'quote';
    this.#parts = [];
    this.#length = 0;
    this.#mode = 'between';
    const isHex = !inQuotes && /^0x[\da-f]*$/i.test(text);
    this.sink({
      kind: kind ?? (inQuotes ? (this.#quote === '`' ? 'name' : 'text') : isHex ? 'hex' : 'word'),
      text,
    });
  }
}
