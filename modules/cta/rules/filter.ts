import type { FilterFunction, FilterGroup, FilterLeaf } from './rule-parts.ts';

/** The properties of an event or the attributes of a user, flat, by name. Only texts, numbers and booleans count; anything else is missing. */
export type Properties = Readonly<Record<string, unknown>>;

/** The input of a filter. `now` is epoch milliseconds, the value of `$.currentTime`. */
interface FilterInput {
  readonly properties: Properties;
  readonly now: number;
}

type Value = string | number | boolean;

/**
 * Whether the filter of a cohort holds (docs/contract.md, Rules: groups, leaves, functions). No filter always holds.
 *
 * A group with AND holds when all its parts do, with OR when at least one does; an empty AND holds, an empty OR does
 * not. A leaf compares the event's property, left, with `comparisonValue`, right; with `functions` the right side is
 * the result of the function. Both sides are read as `propertyType` says ({@link valueAs}). **The leaf fails, also for
 * `!=`, when a side cannot be read so**: a property that the event lacks differs from nothing.
 *
 * Numbers compare by value, text by code unit, and false comes before true.
 */
export function filterPasses(group: FilterGroup | null | undefined, input: FilterInput): boolean {
  if (!group) return true;
  const holds = (part: FilterGroup | FilterLeaf) =>
    'filter' in part ? filterPasses(part, input) : leafHolds(part, input);
  return group.operator === 'AND' ? group.filter.every(holds) : group.filter.some(holds);
}

function leafHolds(leaf: FilterLeaf, input: FilterInput): boolean {
  const { propertyName, propertyType, comparisonType, comparisonValue, functions } = leaf;
  const left = valueAs(propertyType, propertyOf(input.properties, propertyName));
  const right = valueAs(propertyType, functions ? resultOf(functions, input) : comparisonValue);
  if (left === undefined || right === undefined) return false;
  switch (comparisonType) {
    case '=':
      return left === right;
    case '!=':
      return left !== right;
    case '>':
      return left > right;
    case '<':
      return left < right;
    case '>=':
      return left >= right;
    case '<=':
      return left <= right;
  }
}

const propertyOf = (properties: Properties, name: string): unknown =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

/**
 * A value read as a type, or undefined if that is impossible. Administrators' tools often write every value as text, and
 * apps send `1` where `"1"` was meant, so every unambiguous value is accepted.
 *
 * | read as   | from text                             | from a number      | from a boolean      |
 * |-----------|---------------------------------------|--------------------|---------------------|
 * | `string`  | as it is                              | `7` → `"7"`        | `true` → `"true"`   |
 * | `number`  | a JSON number with space around it    | as it is, if finite| never               |
 * | `boolean` | `true` or `false`, in any case        | 1 and 0 only       | as it is            |
 */
export function valueAs(type: FilterLeaf['propertyType'], value: unknown): Value | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' || isNumber(value) || typeof value === 'boolean'
        ? String(value)
        : undefined;
    case 'number':
      return numberOf(value);
    case 'boolean':
      return booleanOf(value);
  }
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function numberOf(value: unknown): number | undefined {
  if (isNumber(value)) return value;
  if (typeof value !== 'string' || !jsonNumber.test(value.trim())) return undefined;
  const number = Number(value);
  return isNumber(number) ? number : undefined;
}

function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** The result of a function; undefined when an operand is a property that is missing or not a number. */
export function resultOf(
  { operator, operand1, operand2 }: FilterFunction,
  input: FilterInput,
): number | undefined {
  const left = operandOf(operand1, input);
  const right = operandOf(operand2, input);
  if (left === undefined || right === undefined) return undefined;
  return operator === '+' ? left + right : left - right;
}

function operandOf(operand: FilterFunction['operand1'], input: FilterInput): number | undefined {
  if (typeof operand === 'number') return operand;
  if (typeof operand === 'object') return resultOf(operand, input);
  const name = operand.slice('$.'.length);
  // The clock takes precedence over a property of that name: an app must not be able to set it.
  return name === 'currentTime' ? input.now : numberOf(propertyOf(input.properties, name));
}
