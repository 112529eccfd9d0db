import type { ChangedValue, FieldChange, WriteChanges } from '../../../core/base/write-entry.ts';

/*
 * The description of a change in the audit entry of a write (docs/decisions/audit.md). It stays small whatever was written: texts are cut,
 * lists are shortened to their first items, and many records become counts.
 */

const shownText = 120;
const shownItems = 20;

type Value = string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>>;
/** The values of a record, keyed by parameter name. */
type Values = Readonly<Record<string, Value | undefined>>;

/** A value as stored in an entry: the first ids of a list of ids, the length of any other list (steps), the first values of an object. */
function kept(value: Value): ChangedValue {
  if (typeof value === 'string')
    return value.length > shownText ? `${value.slice(0, shownText).toWellFormed()}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (!isList(value)) {
    const first = Object.entries(value).slice(0, shownItems);
    return Object.fromEntries(first.map(([key, one]) => [key, kept(one as Value)]));
  }
  const ids = value.filter((item) => typeof item === 'number');
  return ids.length === value.length ? ids.slice(0, shownItems) : value.length;
}

/** `Array.isArray` narrows no readonly list. */
const isList = (value: object): value is readonly unknown[] => Array.isArray(value);

/** A repeated call that changed nothing. */
export const unchanged: WriteChanges = { count: 0, fields: [], unchanged: true };

/** The changes of one record: the fields of `after` that differ from `before`. */
export function changesOfOne(before: Values, after: Values): WriteChanges {
  const fields = Object.entries(after).flatMap(([field, to]): FieldChange[] => {
    const from = before[field] ?? null;
    if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) return [];
    return [{ field, from: kept(from), to: kept(to) }];
  });
  return fields.length === 0 ? unchanged : { count: 1, fields };
}

/** Values that are set on all of many records. */
export const changesOfAll = (count: number, set: Values): WriteChanges => ({
  count,
  fields: Object.entries(set).flatMap(([field, to]) => (to === undefined ? [] : [{ field, to: kept(to) }])),
});

/** For each field, how many of many records it changes. */
export function changesOfMany(items: readonly object[]): WriteChanges {
  const counts = new Map<string, number>();
  for (const item of items)
    for (const field of Object.keys(item)) counts.set(field, (counts.get(field) ?? 0) + 1);
  return { count: items.length, fields: [...counts].map(([field, count]) => ({ field, count })) };
}

/** Only the number of records. */
export const changesOf = (count: number): WriteChanges => ({ count, fields: [] });

/** The records of a write, identified by their ids. */
export const testRecords = (ids: readonly number[]) => ({ kind: 'test', ids });

/** The results of a run: the status of a single result, or the number of results per status. */
export function changesByStatus(results: ReadonlyArray<{ readonly status: string }>): WriteChanges {
  const counts = new Map<string, number>();
  for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1);
  const fields = [...counts].map(([to, count]) => ({ field: 'status', to, count }));
  return { count: results.length, fields };
}
