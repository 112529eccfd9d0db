import { didYouMean, nearestWord } from '../../../core/text/nearest-word.ts';
import type { Interval, QueryScope } from './field-kinds/field-value.ts';
import type { AskedTerm, Constraint, QueryField } from './field-kinds/query-field.ts';
import { listed, QueryProblem, type QueryTerm, type QueryValue } from './field-kinds/query-term.ts';
import { timeOfAsOf } from './fields/as-of-field.ts';
import { windowOf } from './fields/count-field.ts';
import { isOwnField, ownQueryField } from './fields/own-field.ts';
import { fieldsIn } from './query-fields.ts';
import { slipOfField } from './query-slip.ts';
import type { ParsedQuery, QueryNode } from './query-syntax.ts';

/** A condition whose values have been checked against the type of their field. */
export type Condition =
  | { readonly kind: 'search'; readonly word: string }
  | {
      readonly kind: 'field';
      readonly field: QueryField;
      readonly asks: Constraint;
      /** The values as written. */
      readonly texts: readonly string[];
    };

export type ConditionNode =
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly ConditionNode[] }
  | { readonly kind: 'not'; readonly node: ConditionNode }
  | { readonly kind: 'condition'; readonly condition: Condition };

export interface SortKey {
  readonly field: QueryField;
  readonly descending: boolean;
  /** Its position in the query, from 1. */
  readonly at: number;
}

export interface CheckedQuery {
  readonly scope: QueryScope;
  readonly where: ConditionNode | null;
  readonly sort: readonly SortKey[];
  /** The time of the asked state, in epoch milliseconds; null: now. */
  readonly asOf: number | null;
}

/**
 * Checks field names, operators and values of a query, without looking at records.
 * @throws QueryProblem that names the position and the probable intention.
 */
export function checkQuery(
  { where, sort, since, asOf }: ParsedQuery,
  scope: QueryScope,
  now: number,
  { asOf: given = null }: { readonly asOf?: number | null } = {},
): CheckedQuery {
  const fields = fieldsIn(scope);
  const known = { fields, scope };
  const window = since && windowOf(askedTerm(since, 'since', known, now));
  if (since) requireCount(where, since, fields);
  const at = asOf ? timeOfAsOf(askedTerm(asOf, 'as-of', known, now)) : given;
  const checkNode = (node: QueryNode): ConditionNode => {
    if (node.kind === 'term') {
      if (at !== null) requireVersions(node.term, known);
      return { kind: 'condition', condition: conditionOf(node.term, known, now, window) };
    }
    if (node.kind === 'not') return { kind: 'not', node: checkNode(node.node) };
    return { kind: node.kind, nodes: node.nodes.map(checkNode) };
  };
  return {
    scope,
    where: where === null ? null : checkNode(where),
    sort: sort.map((value) => {
      const key = sortKeyOf(value, fields, scope);
      if (at !== null && key.field.ofVersions !== true) throw notOfVersions(key.field.name, value.at, fields);
      return key;
    }),
    asOf: at,
  };
}

/** The fields that a query may name. */
interface KnownFields {
  readonly fields: readonly QueryField[];
  readonly scope: QueryScope;
}

/** The field with this name, in lower case: one of the known ones, or an own field of the project. */
const fieldNamed = ({ fields, scope }: KnownFields, name: string): QueryField | undefined =>
  fields.find((each) => each.name === name) ??
  (scope !== 'runs' && isOwnField(name) ? ownQueryField(name) : undefined);

/** @throws QueryProblem for a field that cannot be asked as of a time: only fields of tests have versions. */
function requireVersions({ field: name, at, values }: QueryTerm, known: KnownFields): void {
  const field = name === null ? undefined : fieldNamed(known, name);
  if (!field || field.ofVersions === true) return;
  const kept = field.ofVersions ?? [];
  const other = values.find(
    ({ text }) => !kept.includes(text.toLowerCase()) && !isOwnField(text.toLowerCase()),
  );
  if (!other) return;
  throw notOfVersions(kept.length > 0 ? `${field.name}:${other.text}` : field.name, at, known.fields);
}

function notOfVersions(name: string, at: number, fields: readonly QueryField[]): QueryProblem {
  const known = fields.flatMap((field) => (field.ofVersions && field.name !== 'as-of' ? [field.name] : []));
  return new QueryProblem(
    `"${name}" is not known as of an earlier time: versions of tests do not have it.`,
    at,
    `As of a time, ask for ${listed(known)}.`,
  );
}

function requireCount(where: QueryNode | null, since: QueryTerm, fields: readonly QueryField[]): void {
  const counts = new Set(fields.flatMap((field) => (field.counts ? [field.name] : [])));
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
  const sorted = fields.filter(({ sort }) => sort?.scopes.includes(scope));
  const found = fieldNamed({ fields: sorted, scope }, field);
  if (found) return { field: found, descending: direction === 'desc', at };
  const known = sorted.map(({ name }) => name);
  throw new QueryProblem(
    `"${text}" is nothing to sort by.${didYouMean(field, known)}`,
    at,
    `Sort by ${listed(known)}, with -asc or -desc after it.`,
  );
}

function conditionOf(
  term: QueryTerm,
  known: KnownFields,
  now: number,
  window: Interval | undefined,
): Condition {
  if (term.field === null) return search(term, known.fields);
  const asked = askedTerm(term, term.field, known, now);
  const { field } = asked;
  const asks = field.read(field.counts ? { ...asked, window } : asked);
  return { kind: 'field', field, asks, texts: asked.values.map(({ text }) => text) };
}

/** @throws QueryProblem if there is no such field. */
function askedTerm(
  term: QueryTerm,
  name: string,
  known: KnownFields,
  now: number,
): AskedTerm & { readonly field: QueryField } {
  const field = fieldNamed(known, name);
  if (!field) throw unknownField(name, term, known.fields);
  return { field, term, now, ...withoutNone(field, term) };
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

function unknownField(name: string, { at, values }: QueryTerm, fields: readonly QueryField[]): QueryProblem {
  const known = fields.map((field) => field.name);
  const other = fields.find(({ alsoCalled }) => alsoCalled?.includes(name));
  const isSort = /^(?:order|sort)-?(?:by)?$/.test(name);
  const hint = isSort
    ? ' Did you mean "sort"?'
    : other
      ? ` Did you mean "${other.name}"?`
      : didYouMean(name, known, undefined, nearestWord);
  const rest = values[0]?.text ?? '';
  return new QueryProblem(
    `There is no field "${name}" here.${hint}`,
    at,
    `Fields: ${known.join(', ')}. To search for the text, put it in quotes: "${name}:${rest}".`,
  );
}

/** For a record `none` means the same in quotes: a label named "none" can be found by its id. */
function withoutNone(field: QueryField, { values, operator }: QueryTerm) {
  if (!field.optional || (operator !== 'is' && operator !== 'equals')) return { values, none: false };
  const rest = values.filter(
    ({ text, quoted }) => text.toLowerCase() !== 'none' || (quoted && field.quotedNone),
  );
  return { values: rest, none: rest.length < values.length };
}

/** Every condition of a query, in query order. */
export function conditionsOf(node: ConditionNode | null): readonly Condition[] {
  if (node === null) return [];
  if (node.kind === 'condition') return [node.condition];
  return node.kind === 'not' ? conditionsOf(node.node) : node.nodes.flatMap(conditionsOf);
}
