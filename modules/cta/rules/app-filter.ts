import type { EventData } from './app-event.ts';
import type { FilterFunction, FilterGroup, FilterLeaf } from './rule-parts.ts';

/**
 * Whether the filters of a transition hold in the deployed app SDK. Cohorts are evaluated differently (filter.ts): the SDK
 * converts with JavaScript's own functions, and has oddities; `ruleWarnings` warns the administrator of them.
 *
 * | type    | both sides as | operators                                | never holds         |
 * |---------|---------------|------------------------------------------|---------------------|
 * | number  | `Number()`    | = > < >= <=                              | `!=`, NaN           |
 * | string  | `String()`    | = !=                                     | > < >= <=           |
 * | boolean | `Boolean()`   | ignored: both sides must be equal         |                     |
 *
 * A property must be in the event. With `functions`, the result of the function replaces it in the comparison with
 * `comparisonValue`.
 * @throws TypeError for a property that cannot be converted; the SDK then makes no transition.
 */
export function holdsInApp(filters: FilterGroup | null | undefined, event: EventData): boolean {
  if (!filters || Object.keys(filters).length === 0) return true;
  const holds = (part: FilterGroup | FilterLeaf) =>
    'filter' in part ? holdsInApp(part, event) : leafHolds(part, event);
  return filters.operator === 'AND' ? filters.filter.every(holds) : filters.filter.some(holds);
}

function leafHolds(leaf: FilterLeaf, event: EventData): boolean {
  const { propertyName, propertyType, comparisonType, comparisonValue, functions } = leaf;
  if (!event.has(propertyName)) return false;
  const result = functions ? resultInApp(functions, event) : undefined;
  // The SDK's own marker for "no result", even when a property happens to be that number.
  if ((result ?? event.valueOf(propertyName)) === Number.MIN_SAFE_INTEGER) return false;
  switch (propertyType) {
    case 'string': {
      const same =
        (result === undefined ? event.textOf(propertyName) : String(result)) === String(comparisonValue);
      return comparisonType === '=' ? same : comparisonType === '!=' && !same;
    }
    case 'number':
      return compared(result ?? event.numberOf(propertyName), comparisonType, Number(comparisonValue));
    case 'boolean':
      return Boolean(result ?? event.valueOf(propertyName)) === Boolean(comparisonValue);
  }
}

function compared(left: number, comparison: FilterLeaf['comparisonType'], right: number): boolean {
  switch (comparison) {
    case '=':
      return left === right;
    case '>':
      return left > right;
    case '<':
      return left < right;
    case '>=':
      return left >= right;
    case '<=':
      return left <= right;
    case '!=':
      return false;
  }
}

/** The result of a function: NaN when an operand is missing or not a number. */
function resultInApp({ operator, operand1, operand2 }: FilterFunction, event: EventData): number {
  const left = operandInApp(operand1, event);
  const right = operandInApp(operand2, event);
  return operator === '+' ? left + right : left - right;
}

function operandInApp(operand: FilterFunction['operand1'], event: EventData): number {
  if (typeof operand === 'number') return operand;
  if (typeof operand === 'object') return resultInApp(operand, event);
  const name = operand.slice('$.'.length);
  // The clock takes precedence over a property of that name.
  return name === 'currentTime' ? event.at : event.numberOf(name);
}
