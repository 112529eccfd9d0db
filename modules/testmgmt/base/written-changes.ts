import type { FieldChange, WriteChanges } from '../../../core/base/write-entry.ts';

/*
 * What the audit entry of a write says of it (docs/decisions/audit.md). It stays small whatever was written: a text is cut, a list
 * has its first items, many records have counts.
 */

const shownText = 120;
const shownItems = 20;

type Value = string | number | boolean | null | readonly unknown[];
/** The values of a record by the names of its parameters. */
type Values = Readonly<Record<string, Value | undefined>>;

/** A value as an entry keeps it: of a list of ids the first, of another list (steps) the number. */
function kept(value: Value): NonNullable<FieldChange['from']> | null {
  if (typeof value === 'string')
    return value.length > shownText ? `${value.slice(0, shownText).toWellFormed()}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  const ids = value.filter((item) => typeof item === 'number');
  return ids.length === value.length ? ids.slice(0, shownItems) : value.length;
}

/** A call that was repeated. */
export const unchanged: WriteChanges = { count: 0, fields: [], unchanged: true };

/** What becomes of one record: the fields of `after` that differ from `before`. */
export function changesOfOne(before: Values, after: Values): WriteChanges {
  const fields = Object.entries(after).flatMap(([field, to]): FieldChange[] => {
    const from = before[field] ?? null;
    if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) return [];
    return [{ field, from: kept(from), to: kept(to) }];
  });
  return fields.length === 0 ? unchanged : { count: 1, fields };
}

/** What all of many records get. */
export const changesOfAll = (count: number, set: Values): WriteChanges => ({
  count,
  fields: Object.entries(set).flatMap(([field, to]) => (to === undefined ? [] : [{ field, to: kept(to) }])),
});

/** How many of many records get each field. */
export function changesOfMany(items: readonly object[]): WriteChanges {
  const counts = new Map<string, number>();
  for (const item of items)
    for (const field of Object.keys(item)) counts.set(field, (counts.get(field) ?? 0) + 1);
  return { count: items.length, fields: [...counts].map(([field, count]) => ({ field, count })) };
}

/** Only how many records. */
export const changesOf = (count: number): WriteChanges => ({ count, fields: [] });

/** The records of a write that are found by their ids. */
export const testRecords = (ids: readonly number[]) => ({ kind: 'test', ids });

/** The results of a run: of one its status, of many how many have each. */
export function changesByStatus(results: ReadonlyArray<{ readonly status: string }>): WriteChanges {
  const counts = new Map<string, number>();
  for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1);
  const fields = [...counts].map(([to, count]) => ({ field: 'status', to, count }));
  return { count: results.length, fields };
}
