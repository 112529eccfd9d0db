import { valueAs } from './filter.ts';
import {
  comparisonTypes,
  functionOperators,
  groupOperators,
  maxFilterBytes,
  maxFilterDepth as maxDepth,
  operandForm,
  propertyTypes,
} from './rule-words.ts';
import type { FilterLeaf } from './rule-parts.ts';

/** Receives the path and a description of each problem. Never the value itself. */
export type ReportProblem = (path: string, message: string) => void;
type Fields = Readonly<Record<string, unknown>>;

const operand = new RegExp(operandForm);

/** Whether a comparisonValue can be read as a type: if not, its leaf never holds. */
export type Reads = (type: FilterLeaf['propertyType'], value: unknown) => boolean;

/** Reads values as cohorts do. */
const readsInCohorts: Reads = (type, value) => valueAs(type, value) !== undefined;

/** Checks that a filter can be evaluated. Does not throw for any input. */
export const checkFilters = (
  filters: unknown,
  path: string,
  report: ReportProblem,
  reads: Reads = readsInCohorts,
): void => checkGroup(filters, path, 1, report, reads);

/** Like {@link checkFilters}, for filters that are stored by themselves. */
export function checkStoredFilters(filters: unknown, path: string, report: ReportProblem): void {
  if (Buffer.byteLength(JSON.stringify(filters)) > maxFilterBytes)
    return report(path, `must have at most ${maxFilterBytes / 1024} KiB of JSON`);
  return checkFilters(filters, path, report);
}

function checkGroup(group: unknown, path: string, depth: number, report: ReportProblem, reads: Reads): void {
  if (depth > maxDepth) return report(path, `must be nested at most ${maxDepth} levels deep`);
  if (!isFields(group)) return report(path, 'must be {operator, filter}');
  if (!isOneOf(groupOperators, group['operator'])) report(`${path}.operator`, 'must be AND or OR');
  const { filter } = group;
  if (!Array.isArray(filter) || filter.length === 0) {
    return report(`${path}.filter`, 'must be a non-empty array of leaves and groups');
  }
  for (const [index, part] of (filter as unknown[]).entries()) {
    const partPath = `${path}.filter[${index}]`;
    if (isFields(part) && part['filter'] !== undefined) checkGroup(part, partPath, depth + 1, report, reads);
    else checkLeaf(part, partPath, report, reads);
  }
  return undefined;
}

function checkLeaf(leaf: unknown, path: string, report: ReportProblem, reads: Reads): void {
  if (!isFields(leaf)) return report(path, 'must be an object');
  const { propertyName, propertyType, comparisonType, comparisonValue, functions } = leaf;
  if (leaf['operator'] !== undefined)
    report(`${path}.operator`, 'must not stand in a leaf: apps read it as a group');
  if (!isText(propertyName)) report(`${path}.propertyName`, 'must be a non-empty string');
  if (!isOneOf(propertyTypes, propertyType)) {
    report(`${path}.propertyType`, `must be one of ${propertyTypes.join(', ')}`);
  }
  if (!isOneOf(comparisonTypes, comparisonType)) {
    report(`${path}.comparisonType`, `must be one of ${comparisonTypes.join(' ')}`);
  }
  if (functions !== undefined && functions !== null) checkFunction(functions, `${path}.functions`, 1, report);
  else if (!['string', 'number', 'boolean'].includes(typeof comparisonValue)) {
    report(`${path}.comparisonValue`, 'must be a string, a number or a boolean');
  } else if (isPropertyType(propertyType) && !reads(propertyType, comparisonValue)) {
    report(`${path}.comparisonValue`, `cannot be read as a ${propertyType}, so the leaf would never hold`);
  }
  return undefined;
}

const isPropertyType = (word: unknown): word is FilterLeaf['propertyType'] => isOneOf(propertyTypes, word);

function checkFunction(value: unknown, path: string, depth: number, report: ReportProblem): void {
  if (depth > maxDepth) return report(path, `must be nested at most ${maxDepth} levels deep`);
  if (!isFields(value)) return report(path, 'must be {operator, operand1, operand2}');
  if (!isOneOf(functionOperators, value['operator'])) report(`${path}.operator`, 'must be + or -');
  for (const name of ['operand1', 'operand2']) {
    const given = value[name];
    if (isFields(given)) checkFunction(given, `${path}.${name}`, depth + 1, report);
    else if (typeof given !== 'number' && !(typeof given === 'string' && operand.test(given))) {
      report(`${path}.${name}`, 'must be a number, $.eventProperty, $.currentTime or a function');
    }
  }
  return undefined;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isOneOf = (values: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && values.includes(value);
