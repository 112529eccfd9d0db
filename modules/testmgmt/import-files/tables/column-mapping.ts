import { didYouMean } from '../../../../core/text/nearest-word.ts';
import { ownName } from '../../rules/field-value.ts';
import type { OwnFields } from './import-format.ts';
import { InvalidImport } from '../text/described-test.ts';
import { fieldsWithLists, plainHeader, tableFields, type ColumnTarget } from './table-fields.ts';

/** What the headers of a format mean: by plain header, the preferred one of a field first. */
export type KnownColumns = Readonly<Record<string, ColumnTarget>>;

/** Products have a column for each kind of script, and a test fills one of them. */
const severalColumns: ReadonlySet<string> = new Set(['steps']);

interface Given {
  readonly columns: KnownColumns;
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly known: OwnFields;
}

/** The key of the own field with this key or name. */
export function ownKeyOf(known: OwnFields, name: string): string | undefined {
  const plain = plainHeader(name);
  for (const { key, name: title } of known.values())
    if (plainHeader(key) === plain || (title !== undefined && plainHeader(title) === plain)) return key;
  return undefined;
}

/**
 * What each CSV column means: where it goes, by position; undefined: it is not understood. If several columns have the meaning of a field with one value,
 * the one that its format prefers has it, and of equal ones the first: the others are not understood.
 * @throws InvalidImport for a mapping that names a column or a field that does not exist.
 */
export function mappedColumns(
  header: readonly string[],
  { columns, mapping, known }: Given,
): ReadonlyArray<ColumnTarget | undefined> {
  const wanted = new Map(Object.entries(mapping).map(([column, to]) => [plainHeader(column), to]));
  requireColumns(header, mapping);
  const order = new Map(Object.keys(columns).map((name, at) => [name, at]));
  const guessed = header.map((column): ColumnTarget | undefined => {
    const plain = plainHeader(column);
    const to = wanted.get(plain);
    if (to !== undefined) return targetOf(to, known);
    const own = /^cf\.([a-z][a-z0-9_-]{0,31})$/.exec(column.trim().toLowerCase())?.[1];
    if (own !== undefined) return ownName(own);
    if (plain === '') return undefined;
    const found = Object.hasOwn(columns, plain) ? columns[plain] : undefined;
    if (found !== undefined) return found;
    const key = ownKeyOf(known, column);
    return key === undefined ? undefined : ownName(key);
  });
  const best = new Map<string, number>();
  const taken = new Set<string>();
  const rank = (at: number) => {
    const plain = plainHeader(header[at] ?? '');
    return wanted.has(plain) ? -1 : (order.get(plain) ?? Number.MAX_SAFE_INTEGER);
  };
  for (const [at, target] of guessed.entries())
    if (target !== undefined)
      best.set(target, Math.min(best.get(target) ?? Number.MAX_SAFE_INTEGER, rank(at)));
  const chosen = guessed.map((target, at) => {
    if (target === undefined || target === 'ignore' || fieldsWithLists.has(target)) return target;
    // A test fills one of them, but a header that stands twice is the same column.
    const place = severalColumns.has(target) ? `${target} ${plainHeader(header[at] ?? '')}` : target;
    if (taken.has(place) || (place === target && rank(at) !== best.get(target))) return undefined;
    taken.add(place);
    return target;
  });
  return withStepsInOneWay(chosen);
}

/** What a column means beside actions that stand in one cell, or else. */
const besideActions = {
  stepAction: { data: 'stepData', expected: 'stepExpected' },
  steps: { stepData: 'data', stepExpected: 'expected' },
} as const;

/**
 * "Expected" may be that of one step or of all: the column of the actions says which. Files with both kinds of actions have a column of each
 * kind.
 */
function withStepsInOneWay(
  targets: ReadonlyArray<ColumnTarget | undefined>,
): ReadonlyArray<ColumnTarget | undefined> {
  const isInOneCell = targets.includes('steps');
  if (isInOneCell && targets.includes('stepAction')) return targets;
  const meant: Partial<Record<ColumnTarget, ColumnTarget>> =
    besideActions[isInOneCell ? 'steps' : 'stepAction'];
  return targets.map((target) => {
    const other = target && meant[target];
    return other && !targets.includes(other) ? other : target;
  });
}

function requireColumns(header: readonly string[], mapping: Readonly<Record<string, unknown>>): void {
  const there = new Set(header.map(plainHeader));
  const missing = Object.keys(mapping).find((column) => !there.has(plainHeader(column)));
  if (missing !== undefined)
    throw new InvalidImport(
      `mapping names the column "${missing.slice(0, 100)}", which its first row does not have.${didYouMean(missing, header)}`,
    );
}

function targetOf(to: unknown, known: OwnFields): ColumnTarget {
  if (typeof to !== 'string') throw new InvalidImport('mapping has a value that is no text.');
  if (to === 'ignore') return to;
  const field = tableFields.find((one) => one === to);
  if (field) return field;
  const key = /^cf\.(.+)$/.exec(to)?.[1];
  if (key !== undefined && known.has(key)) return ownName(key);
  throw new InvalidImport(
    key === undefined
      ? `mapping sends a column to "${to.slice(0, 100)}", which is no field.${didYouMean(to, tableFields)} Fields: ${tableFields.join(', ')}, cf.KEY, ignore.`
      : `mapping sends a column to "${to.slice(0, 100)}", and the project has no such field. Create it first with create-field.`,
  );
}
