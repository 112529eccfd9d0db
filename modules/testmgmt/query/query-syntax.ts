import {
  QueryProblem,
  type QueryOperator,
  type QueryTerm,
  type QueryValue,
} from './field-kinds/query-term.ts';
import { slipOf, slipOfValue, type QuerySlip } from './query-slip.ts';

/**
 * The syntax of the query language (docs/query.md): terms side by side mean AND; `OR`, `NOT` or `-`, parentheses; `field:value`,
 * `field:"two words"`, `field:a,b`, `field:>v`, `field:a..b`; words and "phrases" alone. The meaning of fields is not known here.
 * docs/decisions/query.md says why no library parses it.
 */
export type QueryNode =
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly QueryNode[] }
  | { readonly kind: 'not'; readonly node: QueryNode }
  | { readonly kind: 'term'; readonly term: QueryTerm };

export interface ParsedQuery {
  /** null: everything. */
  readonly where: QueryNode | null;
  /** The `sort:…` terms, in query order. */
  readonly sort: readonly QueryValue[];
  /** The term `since:…`: which results the counts of the query cover. */
  readonly since?: QueryTerm;
  /** The term `as-of:…`: the time of the asked state. */
  readonly asOf?: QueryTerm;
}

/** A longer, wider or deeper query is refused before any work: its cost grows with each of these. */
export const queryLimits = { characters: 2_000, terms: 50, values: 200, depth: 10 } as const;

const examples = 'e.g. label:smoke (last:failed OR last:none) -has:steps';

/** @throws QueryProblem */
export function parseQuery(text: string): ParsedQuery {
  if (text.length > queryLimits.characters)
    throw new QueryProblem(
      `The query has ${text.length} characters; at most ${queryLimits.characters} are allowed.`,
      queryLimits.characters + 1,
      'Ask in two queries, or name a section or label instead of many ids.',
    );
  return new Parser(text).parse();
}

const space = /\s/;
/** A field name and its colon. Only own fields have a dot: `example.com:8080` is text. */
const fieldHead = /^((?:cf\.)?[A-Za-z][A-Za-z0-9_-]*):/i;
const startsWithValue = /^[^\s():,]/;
const comparison = /^(>=|<=|>|<|=)/;

class Parser {
  #at = 0;
  #terms = 0;
  #values = 0;
  readonly #sort: QueryValue[] = [];
  #since: QueryTerm | undefined;
  #asOf: QueryTerm | undefined;
  /** The previous term, which is needed to recognize slips. */
  #before: { readonly field: string | null; readonly value: string; readonly at: number } | undefined;

  constructor(readonly text: string) {}

  parse(): ParsedQuery {
    const where = this.#alternatives(0);
    // The outermost level ends only at the end of the text or at a parenthesis that was never opened.
    if (this.#at < this.text.length)
      throw this.#problem('This ")" has no "(" before it.', this.#at, 'Remove it, or add the "(".');
    return {
      where,
      sort: this.#sort,
      ...(this.#since ? { since: this.#since } : {}),
      ...(this.#asOf ? { asOf: this.#asOf } : {}),
    };
  }

  #alternatives(depth: number): QueryNode | null {
    const nodes: QueryNode[] = [];
    for (let joinedAt = 0; ;) {
      const node = this.#conjunction(depth);
      this.#skipSpace();
      const orAt = this.#at;
      const or = this.#takeWord('OR');
      if (!or && nodes.length === 0) return node;
      if (node === null)
        throw nodes.length === 0
          ? this.#problem('"OR" has nothing before it.', orAt, 'Write what is meant before OR, or remove it.')
          : this.#problem(
              '"OR" has nothing after it.',
              joinedAt,
              'Write what is meant after OR, or remove it.',
            );
      joinedAt = orAt;
      nodes.push(node);
      if (!or) return { kind: 'or', nodes };
    }
  }

  #conjunction(depth: number): QueryNode | null {
    const nodes: QueryNode[] = [];
    for (;;) {
      this.#skipSpace();
      const andAt = this.#at;
      const and = this.#takeWord('AND');
      if (and && nodes.length === 0)
        throw this.#problem('"AND" has nothing before it.', andAt, 'Remove it: terms side by side mean AND.');
      const aside = this.#aside;
      const node = this.#unary(depth);
      if (node !== null) nodes.push(node);
      else if (and)
        throw this.#problem('"AND" has nothing after it.', andAt, 'Remove it, or write a term after it.');
      // A sort was read, which is no condition; otherwise nothing was read.
      else if (this.#aside === aside) break;
    }
    const [first] = nodes;
    return first === undefined ? null : nodes.length === 1 ? first : { kind: 'and', nodes };
  }

  #unary(depth: number): QueryNode | null {
    this.#skipSpace();
    const at = this.#at;
    const minus = this.text[at] === '-' && !this.#endsAt(at + 1);
    if (minus) this.#at++;
    if (minus || this.#takeWord('NOT')) {
      this.#requireDepth(depth);
      const [aside, since, asOf] = [this.#aside, this.#since, this.#asOf];
      const node = this.#unary(depth + 1);
      if (this.#since !== since)
        throw this.#problem('"since:" cannot be negated.', at, 'Write since:A..B for a time between.');
      if (this.#asOf !== asOf)
        throw this.#problem('"as-of:" cannot be negated.', at, 'Write as-of: and one time.');
      if (this.#aside > aside)
        throw this.#problem('A sort cannot be negated.', at, 'Write sort:name-desc for the other direction.');
      if (node === null)
        throw this.#problem('There is nothing to negate.', at, 'Write a term after it, e.g. -label:smoke.');
      return { kind: 'not', node };
    }
    if (this.text[at] === '(') return this.#group(depth);
    return this.#term();
  }

  #group(depth: number): QueryNode {
    const openAt = this.#at++;
    this.#requireDepth(depth);
    const aside = this.#aside;
    const node = this.#alternatives(depth + 1);
    if (this.text[this.#at] !== ')') throw this.#problem('This "(" is never closed.', openAt, 'Add the ")".');
    this.#at++;
    if (this.#aside > aside)
      throw this.#problem(
        'A sort, "since:" or "as-of:" stands in parentheses.',
        openAt,
        'Write it once, at the end.',
      );
    if (node === null) throw this.#problem('These parentheses are empty.', openAt, 'Remove them.');
    return node;
  }

  /** @returns null at the end of a group or the text, at a joining word, and after a sort, `since:` or `as-of:`. */
  #term(): QueryNode | null {
    const at = this.#at;
    if (this.#endsAt(at) || this.#peekWord('OR') || this.#peekWord('AND')) return null;
    const head = fieldHead.exec(this.text.slice(at, at + 44))?.[1];
    const field = head === undefined ? null : head.toLowerCase();
    if (head !== undefined) this.#at += head.length + 1;
    const [term, ...more] = field === null ? [this.#words(at)] : this.#conditions(field, at);
    this.#before = { field, value: term.values[0]?.text ?? '', at };
    this.#terms += 1 + more.length;
    if (this.#terms > queryLimits.terms)
      throw this.#problem(
        `The query has more than ${queryLimits.terms} terms.`,
        at,
        'Write field:a,b,c for several values of one field.',
      );
    if (field === 'sort' || field === 'since' || field === 'as-of')
      return this.#besides(field, at, term, more.length > 0);
    const nodes = [term, ...more].map((one) => ({ kind: 'term', term: one }) as const);
    return nodes.length === 1 && nodes[0] ? nodes[0] : { kind: 'or', nodes };
  }

  /** A term that is no condition. @param isMixed values and ranges stand side by side in it. */
  #besides(field: 'sort' | 'since' | 'as-of', at: number, term: QueryTerm, isMixed: boolean): null {
    if (field === 'sort') {
      if (term.operator !== 'is' || term.values.length > 1 || isMixed)
        throw this.#problem('A sort has one field.', at, 'Write e.g. sort:updated-desc.');
      this.#sort.push(...term.values);
      return null;
    }
    const once = field === 'since' ? 'Write since:A..B for a time between.' : 'Write as-of: and one time.';
    if (field === 'since' ? this.#since : this.#asOf)
      throw this.#problem(`"${field}:" stands twice.`, at, once);
    if (isMixed) throw this.#problem(`"${field}:" takes one value.`, at, once);
    if (field === 'since') this.#since = term;
    else this.#asOf = term;
    return null;
  }

  #words(at: number): QueryTerm {
    const value = this.#value('');
    if (value.text.trim() === '')
      throw this.#problem('There is no word between these quotes.', at, 'Write one, or remove them.');
    if (!value.quoted) {
      const rest = /^\s{1,20}([^\s()]{1,200})/.exec(this.text.slice(this.#at, this.#at + 240))?.[1] ?? '';
      this.#refuse(slipOf(value.text, this.#before, rest), at);
    }
    return { field: null, at: at + 1, operator: 'is', values: [value] };
  }

  /** The conditions of a field, of which one must hold: its values, and each of its ranges. */
  #conditions(field: string, at: number): readonly [QueryTerm, ...QueryTerm[]] {
    const sign = comparison.exec(this.text.slice(this.#at, this.#at + 2))?.[1];
    if (sign !== undefined) this.#at += sign.length;
    const operator = sign === undefined ? 'is' : sign === '=' ? 'equals' : (sign as QueryOperator);
    const values: QueryValue[] = [];
    const ranges: QueryTerm[] = [];
    do {
      if (values.length + ranges.length > 0) this.#at++;
      const start = this.#at;
      const isRange = () => this.text.startsWith('..', this.#at);
      if (operator === 'is' && isRange())
        throw this.#openRange(field, start, '<=', this.text.slice(start + 2));
      const first = this.#value(field);
      if (!isRange()) {
        values.push(first);
        continue;
      }
      if (operator !== 'is')
        throw this.#problem(
          operator === 'equals' ? '"=" takes no range.' : `"${sign}" takes one value.`,
          at,
          `Write ${field}:A..B for a range.`,
        );
      const [from, rest] = [this.text.slice(start, this.#at), this.text.slice(this.#at + 2)];
      this.#at += 2;
      if (!startsWithValue.test(rest)) throw this.#openRange(field, start, '>=', `${from}${rest}`);
      ranges.push({ field, at: at + 1, operator: 'range', values: [first, this.#value(field)] });
    } while (this.text[this.#at] === ',');
    if (values.length > 1 && operator !== 'is' && operator !== 'equals')
      throw this.#problem(
        `"${sign}" takes one value.`,
        at,
        `Write e.g. ${field}:${sign}${values[0]?.text ?? ''}.`,
      );
    const [range, ...others] = ranges;
    const single: QueryTerm = { field, at: at + 1, operator, values };
    return range === undefined ? [single] : values.length > 0 ? [single, ...ranges] : [range, ...others];
  }

  /** A range without its first or its last value. @param rest of the query, without the two points. */
  #openRange(field: string, start: number, sign: '<=' | '>=', rest: string): QueryProblem {
    const isAlone = this.text[start - 1] !== ',' && !/^[^\s()]*,/.test(rest);
    const meant =
      isAlone && startsWithValue.test(rest) ? `${this.text.slice(0, start)}${sign}${rest}` : undefined;
    const remedy = `A range has two ends: ${field}:A..B. For one end write ${field}:>=A or ${field}:<=B.`;
    return this.#problem(`"${field}:" has no value here.`, this.#at, remedy, meant);
  }

  /** A value of `field`, or a word if the name is empty. */
  #value(field: string): QueryValue {
    const at = this.#at;
    if (++this.#values > queryLimits.values)
      throw this.#problem(
        `The query has more than ${queryLimits.values} values.`,
        at,
        'Ask in two queries, or name a section or label instead.',
      );
    const text = this.text[at] === '"' ? this.#quoted() : this.#bare(field !== '');
    if (text === '' && field !== '') {
      const meant = this.#withoutGap();
      throw this.#problem(
        `"${field}:" has no value here.`,
        at,
        `Write it without a space after the colon, e.g. ${field}:a, ${field}:a,b or ${field}:"two words".`,
        meant,
      );
    }
    if (this.text[at] === '"') return { text, at: at + 1, quoted: true };
    if (field !== '') this.#refuse(slipOfValue(field, text), at);
    return { text, at: at + 1 };
  }

  /** The query with the value that follows a space or stray commas, or without the comma before another term. */
  #withoutGap(): string | undefined {
    const before = this.text.slice(0, this.#at);
    const rest = this.text.slice(this.#at).replace(/^[\s,]+/, '');
    const [word = ''] = /^[^\s()]*/.exec(rest) ?? [];
    const isTerm = !word.startsWith('"') && /^(?:-|OR$|NOT$)|:/.test(word);
    if (word !== '' && !isTerm) return before + rest;
    if (!before.endsWith(',')) return undefined;
    return `${before.slice(0, -1)}${word === '' ? '' : ' '}${rest}`;
  }

  /** @param at the position of the word or value, which has been read. */
  #refuse(slip: QuerySlip | undefined, at: number): void {
    if (!slip) return;
    throw this.#problem(slip.message, at, slip.remedy, slip.fix && this.#fixed(slip.fix, at));
  }

  #fixed({ text, of }: NonNullable<QuerySlip['fix']>, at: number): string {
    const takesBefore = of === 'before' || of === 'around';
    const takesAfter = of === 'after' || of === 'around';
    const isNegatedTerm = text.startsWith('-') && this.#before?.field !== null;
    const start = takesBefore && !isNegatedTerm ? (this.#before?.at ?? at) : at;
    const from = of === 'term' ? this.#termStart(at) : start;
    const after = takesAfter ? (/^\s*[^\s()]*/.exec(this.text.slice(this.#at))?.[0].length ?? 0) : 0;
    return `${this.text.slice(0, from)}${text}${this.text.slice(this.#at + after)}`
      .replaceAll(/\s+/g, ' ')
      .trim();
  }

  #quoted(): string {
    const openAt = this.#at++;
    let text = '';
    for (; this.#at < this.text.length; this.#at++) {
      const next = this.text[this.#at];
      if (next === '"') {
        this.#at++;
        return text;
      }
      // A quote or backslash inside is escaped with a backslash.
      if (next === '\\' && /["\\]/.test(this.text[this.#at + 1] ?? '')) this.#at++;
      text += this.text[this.#at];
    }
    throw this.#problem('This quote is never closed.', openAt, 'Add the closing ".');
  }

  #bare(ofField: boolean): string {
    const from = this.#at;
    while (!this.#endsAt(this.#at)) {
      const next = this.text[this.#at];
      if (next === '(' || next === '"') break;
      if (ofField && (next === ',' || this.text.startsWith('..', this.#at))) break;
      this.#at++;
    }
    return this.text.slice(from, this.#at);
  }

  /** The number of terms read that are not conditions. */
  get #aside(): number {
    return this.#sort.length + (this.#since ? 1 : 0) + (this.#asOf ? 1 : 0);
  }

  #skipSpace(): void {
    while (space.test(this.text[this.#at] ?? '')) this.#at++;
  }

  /** Whether a term ends here: none begins or continues. */
  #endsAt(at: number): boolean {
    const next = this.text[at];
    return next === undefined || next === ')' || space.test(next);
  }

  #peekWord(word: string): boolean {
    const after = this.text[this.#at + word.length];
    return (
      this.text.startsWith(word, this.#at) &&
      (after === undefined || after === '(' || after === ')' || space.test(after))
    );
  }

  #takeWord(word: string): boolean {
    this.#skipSpace();
    if (!this.#peekWord(word)) return false;
    this.#at += word.length;
    return true;
  }

  #requireDepth(depth: number): void {
    if (depth >= queryLimits.depth)
      throw this.#problem(
        `Parentheses and negations are nested deeper than ${queryLimits.depth}.`,
        this.#at,
        `Write it flatter, ${examples}.`,
      );
  }

  /** The position at which the term of a value begins: before its field. */
  #termStart(at: number): number {
    let from = at;
    while (/[<>=:]/.test(this.text[from - 1] ?? '')) from--;
    while (/[\w-]/.test(this.text[from - 1] ?? '')) from--;
    return from;
  }

  #problem(message: string, at: number, remedy: string, meant?: string): QueryProblem {
    return new QueryProblem(message, at + 1, remedy, meant);
  }
}
