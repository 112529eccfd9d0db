import type { ReportProblem } from '../rules/filter-check.ts';
import type { FilterFunction, FilterGroup, FilterLeaf } from '../rules/rule-parts.ts';
import type { EventDetails } from './event-body.ts';

/** What the filters of a goal can read of an event. */
const filterable = [
  'value',
  'element',
  'reason',
  'state',
  'actionId',
  'groupKey',
] as const satisfies ReadonlyArray<keyof EventDetails>;

const names: ReadonlySet<string> = new Set(filterable);
const operands: ReadonlySet<unknown> = new Set([...filterable, 'currentTime'].map((name) => `$.${name}`));

const notRead = `must name one of ${filterable.join(', ')}: events have no other property`;

/** Reports what sound filters read that no event has: their goal would never be reached, and nothing would say why. */
export function checkReadable({ filter }: FilterGroup, path: string, report: ReportProblem): void {
  for (const [index, part] of filter.entries()) {
    const partPath = `${path}.filter[${index}]`;
    if ('filter' in part) checkReadable(part, partPath, report);
    else checkLeaf(part, partPath, report);
  }
}

function checkLeaf({ propertyName, functions }: FilterLeaf, path: string, report: ReportProblem): void {
  if (!names.has(propertyName)) report(`${path}.propertyName`, notRead);
  if (functions) checkFunction(functions, `${path}.functions`, report);
}

function checkFunction(given: FilterFunction, path: string, report: ReportProblem): void {
  for (const name of ['operand1', 'operand2'] as const) {
    const operand = given[name];
    if (typeof operand === 'object') checkFunction(operand, `${path}.${name}`, report);
    else if (typeof operand === 'string' && !operands.has(operand)) report(`${path}.${name}`, notRead);
  }
}
