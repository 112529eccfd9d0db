import { didYouMean } from '../../../core/base/nearest-word.ts';
import { fieldsIn, toolOf, type NamedList, type QueryField, type QueryScope } from './query-fields.ts';
import { slipOfField } from './query-slip.ts';
import {
  QueryProblem,
  type ParsedQuery,
  type QueryNode,
  type QueryOperator,
  type QueryTerm,
  type QueryValue,
} from './query-syntax.ts';
import { durationForms, durationOf, isRelativeTime, timeForms, timeSpan } from './query-time.ts';

/** Smallest and largest value that fit, both included; null is open. */
export interface Interval {
  readonly least: number | null;
  readonly most: number | null;
}

/** A condition whose values are known to be of their field's type. With `none`, also what is not set fits. */
export type Condition =
  | { readonly kind: 'search'; readonly word: string }
  | {
      /** Dates are epoch milliseconds, durations microseconds. */
      readonly kind: 'number' | 'date' | 'duration';
      readonly field: string;
      readonly any: readonly Interval[];
      readonly none: boolean;
      /** Of a count: only of results in this time, in milliseconds. */
      readonly window?: Interval;
    }
  | {
      readonly kind: 'text';
      readonly field: string;
      readonly any: readonly string[];
      readonly whole: boolean;
    }
  | { readonly kind: 'words'; readonly field: string; readonly any: readonly string[] }
  | {
      readonly kind: 'person';
      readonly field: string;
      readonly any: readonly Named[];
      readonly none: boolean;
    }
  | {
      readonly kind: 'record';
      readonly field: string;
      readonly list: NamedList;
      readonly any: readonly Named[];
      readonly none: boolean;
      /** Of a section: without those below it. */
      readonly alone: boolean;
    };

/** A record or person by id, name, path or e-mail address. It is not known yet whether it exists. */
export interface Named {
  readonly text: string;
  /** When the text is a number that an id may have. */
  readonly id: number | null;
  readonly at: number;
}

export type ConditionNode =
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly ConditionNode[] }
  | { readonly kind: 'not'; readonly node: ConditionNode }
  | { readonly kind: 'condition'; readonly condition: Condition };

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
}

export interface CheckedQuery {
  readonly scope: QueryScope;
  readonly where: ConditionNode | null;
  readonly sort: readonly SortKey[];
}

/** A number as an id or count is written. */
const wholeNumber = /^\d{1,15}$/;

/**
 * Checks names of fields, operators and values of a query, whatever records there are.
 * @throws QueryProblem that names the position and what was meant.
 */
export function checkQuery(
  { where, sort, since }: ParsedQuery,
  scope: QueryScope,
  now: number,
): CheckedQuery {
  const fields = fieldsIn(scope);
  const window = since && windowOf(since, fields, now);
  if (since) requireCount(where, since);
  const checkNode = (node: QueryNode): ConditionNode => {
    if (node.kind === 'term') {
      const condition = conditionOf(node.term, fields, now);
      const isCount = window && condition.kind === 'number' && counts.has(condition.field);
      return { kind: 'condition', condition: isCount ? { ...condition, window } : condition };
    }
    if (node.kind === 'not') return { kind: 'not', node: checkNode(node.node) };
    return { kind: node.kind, nodes: node.nodes.map(checkNode) };
  };
  return {
    scope,
    where: where === null ? null : checkNode(where),
    sort: sort.map((value) => sortKeyOf(value, fields, scope)),
  };
}

/** The fields that count results. */
const counts: ReadonlySet<string> = new Set(['failed', 'passed', 'runs']);

function windowOf(term: QueryTerm, fields: readonly QueryField[], now: number): Interval {
  const field = fields.find(({ name }) => name === 'since');
  if (!field) throw unknownField('since', term, fields);
  const [window, ...more] = dates({ field, term, values: term.values, none: false }, now);
  if (!window || more.length > 0)
    throw new QueryProblem('"since:" takes one time.', term.at, 'Write e.g. since:7d, or since:A..B.');
  // A day alone is where the time begins.
  return term.operator === 'is' ? { ...window, most: null } : window;
}

function requireCount(where: QueryNode | null, since: QueryTerm): void {
  const bounds = (node: QueryNode | null): boolean => {
    if (node === null) return false;
    if (node.kind === 'term') return node.term.field !== null && counts.has(node.term.field);
    return node.kind === 'not' ? bounds(node.node) : node.nodes.some(bounds);
  };
  if (bounds(where)) return;
  const value = since.values[0]?.text ?? '7d';
  throw new QueryProblem(
    '"since:" bounds what failed:, passed: or runs: count, and none of them is here.',
    since.at,
    `Write e.g. failed:>=1 since:${value}, or last-run:${/^\d+[mhdw]$/.test(value) ? '' : '>='}${value} for when a test ran last.`,
  );
}

function sortKeyOf({ text, at }: QueryValue, fields: readonly QueryField[], scope: QueryScope): SortKey {
  const [, field = '', direction] = /^(.*?)(?:-(asc|desc))?$/.exec(text.toLowerCase()) ?? [];
  const known = fields.filter(({ sorts }) => sorts?.includes(scope)).map(({ name }) => name);
  if (known.includes(field)) return { field, descending: direction === 'desc' };
  throw new QueryProblem(
    `"${text}" is nothing to sort by.${didYouMean(field, known)}`,
    at,
    `Sort by ${listed(known)}, with -asc or -desc after it.`,
  );
}

function conditionOf(term: QueryTerm, fields: readonly QueryField[], now: number): Condition {
  if (term.field === null) return search(term, fields);
  const field = fields.find(({ name }) => name === term.field);
  if (!field) throw unknownField(term.field, term, fields);
  const asked = { field, term, ...withoutNone(field, term) };
  switch (field.type.kind) {
    case 'number':
      return {
        kind: 'number',
        field: field.name,
        any: numbers(asked, numberOf, 'a whole number'),
        none: asked.none,
      };
    case 'duration':
      return {
        kind: 'duration',
        field: field.name,
        any: numbers(asked, durationOf, durationForms),
        none: asked.none,
      };
    case 'date':
      return { kind: 'date', field: field.name, any: dates(asked, now), none: asked.none };
    case 'text':
      requireEquality(asked);
      return {
        kind: 'text',
        field: field.name,
        any: asked.values.map(({ text }) => text),
        whole: term.operator === 'equals',
      };
    case 'words':
      requireEquality(asked);
      return { kind: 'words', field: field.name, any: knownWords(asked, field.type.words) };
    case 'person':
      requireEquality(asked);
      return { kind: 'person', field: field.name, any: people(asked), none: asked.none };
    case 'record':
      requireEquality(asked);
      return {
        kind: 'record',
        field: field.name,
        list: field.type.list,
        any: records(asked, field.type.list),
        none: asked.none,
        alone: term.operator === 'equals',
      };
  }
}

function search({ at, values: [value] }: QueryTerm, fields: readonly QueryField[]): Condition {
  const word = value?.text ?? '';
  const named = (name: string) =>
    name === 'sort'
      ? name
      : fields.find((field) => field.name === name || field.alsoCalled?.includes(name))?.name;
  const slip = value?.quoted ? undefined : slipOfField(word, named);
  if (slip)
    throw new QueryProblem(
      slip.message,
      at,
      slip.remedy,
      undefined,
      slip.fix && { word, text: slip.fix.text },
    );
  return { kind: 'search', word };
}

/** A term of a known field. */
interface Asked {
  readonly field: QueryField;
  readonly term: QueryTerm;
  /** Without `none`. */
  readonly values: readonly QueryValue[];
  readonly none: boolean;
}

function unknownField(name: string, { at, values }: QueryTerm, fields: readonly QueryField[]): QueryProblem {
  const known = fields.map((field) => field.name);
  const other = fields.find(({ alsoCalled }) => alsoCalled?.includes(name));
  const isSort = /^(?:order|sort)-?(?:by)?$/.test(name);
  const hint = isSort
    ? ' Did you mean "sort"?'
    : other
      ? ` Did you mean "${other.name}"?`
      : didYouMean(name, known);
  const rest = values[0]?.text ?? '';
  return new QueryProblem(
    `There is no field "${name}" here.${hint}`,
    at,
    `Fields: ${known.join(', ')}. To search for the text, put it in quotes: "${name}:${rest}".`,
  );
}

/** `none` in quotes would be a name, but the parser does not tell: a label "none" is found by its id. */
function withoutNone(field: QueryField, { values, operator }: QueryTerm) {
  if (!field.optional || (operator !== 'is' && operator !== 'equals')) return { values, none: false };
  const rest = values.filter(({ text }) => text.toLowerCase() !== 'none');
  return { values: rest, none: rest.length < values.length };
}

function requireEquality({ field, term }: Asked): void {
  if (term.operator === 'is' || term.operator === 'equals') return;
  throw new QueryProblem(
    `"${field.name}" has no order, so ${term.operator === 'range' ? 'a range' : `"${term.operator}"`} means nothing.`,
    term.at,
    `Write e.g. ${field.example}.`,
  );
}

/** The interval of a comparison with a value that covers `least` to `most`, e.g. a day. */
function interval(operator: QueryOperator, least: number, most: number): Interval {
  switch (operator) {
    case '>':
      return { least: most + 1, most: null };
    case '>=':
      return { least, most: null };
    case '<':
      return { least: null, most: least - 1 };
    case '<=':
      return { least: null, most };
    default:
      return { least, most };
  }
}

const numberOf = (text: string): number | null => (wholeNumber.test(text) ? Number(text) : null);

function numbers(
  { field, term, values }: Asked,
  valueOf: (text: string) => number | null,
  forms: string,
): readonly Interval[] {
  const read = values.map(({ text, at }) => {
    const value = valueOf(text);
    if (value !== null) return value;
    throw new QueryProblem(
      `"${field.name}" takes ${forms}, not "${text}".`,
      at,
      `Write e.g. ${field.example}.`,
    );
  });
  if (term.operator === 'range') return [{ least: read[0] ?? null, most: read[1] ?? null }];
  return read.map((value) => interval(term.operator, value, value));
}

function dates({ field, term, values }: Asked, now: number): readonly Interval[] {
  const read = values.map(({ text, at }) => {
    const span = timeSpan(text, now);
    if (!span)
      throw new QueryProblem(
        `"${field.name}" takes a time, not "${text}".`,
        at,
        `Write ${timeForms}: ${field.name}:>=2026-11-01.`,
      );
    return { least: span.from, most: Math.max(span.from, span.until - 1), ago: isRelativeTime(text) };
  });
  if (term.operator === 'range') return [{ least: read[0]?.least ?? null, most: read[1]?.most ?? null }];
  return read.map(({ least, most, ago }) =>
    ago && (term.operator === 'is' || term.operator === 'equals')
      ? { least, most: null }
      : interval(term.operator, least, most),
  );
}

function knownWords({ field, values }: Asked, known: readonly string[]): readonly string[] {
  return values.map(({ text, at }) => {
    const word = text.toLowerCase();
    if (known.includes(word)) return word;
    throw new QueryProblem(
      `"${field.name}" has no value "${text}".${didYouMean(word, known)}`,
      at,
      `Values: ${listed(known)}.`,
    );
  });
}

const people = ({ field, values }: Asked): readonly Named[] =>
  values.map((value) => {
    const { text, at } = value;
    if (text.toLowerCase() === 'me' || text.includes('@') || wholeNumber.test(text)) return named(value);
    throw new QueryProblem(
      `"${field.name}" takes a person's e-mail address, id or "me", not "${text}".`,
      at,
      'get-all-users lists the people.',
    );
  });

const records = ({ field, values }: Asked, list: NamedList): readonly Named[] =>
  values.map((value) => {
    if (list !== 'run' || wholeNumber.test(value.text)) return named(value);
    throw new QueryProblem(
      `"${field.name}" takes the id of a run, not "${value.text}".`,
      value.at,
      `${toolOf(list)} lists the runs.`,
    );
  });

const named = ({ text, at }: QueryValue): Named => ({
  text: text.trim(),
  id: wholeNumber.test(text) ? Number(text) : null,
  at,
});

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** Every condition of a query, in its order. */
export function conditionsOf(node: ConditionNode | null): readonly Condition[] {
  if (node === null) return [];
  if (node.kind === 'condition') return [node.condition];
  return node.kind === 'not' ? conditionsOf(node.node) : node.nodes.flatMap(conditionsOf);
}
