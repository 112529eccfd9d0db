import { nextTurn, turnIsOver } from '../base/turns.ts';
import type { Context } from '../host/host.ts';
import type { IdListing, IdListings, RecordsByName } from './id-explanation.ts';

/*
 * People and models write "High" where the id of a priority is asked for. If exactly one record that the caller may see has the name,
 * ignoring case, its id is used. A number in quotes is not resolved: a label may be called "12".
 */

const itemsAtMost = 5_000;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 255 && !/^\s*\d{1,15}\s*$/.test(value);

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The input with ids in the place of names.
 * @param listings the parameters of the operation that take ids, at any depth; only those with `byName` are looked at.
 * @param records the parameters that are records.
 * @returns undefined when there is no name that could be replaced.
 */
export async function withIdsOfNames(
  listings: IdListings,
  records: ReadonlySet<string>,
  input: unknown,
  ctx: Context,
): Promise<Record<string, unknown> | undefined> {
  if (!isRecord(input)) return undefined;
  const whole = input as Readonly<Record<string, unknown>>;
  const read = new Map<IdListing['byName'], RecordsByName>();
  let changed = false;
  const idOf = async (parameter: string, value: unknown): Promise<unknown> => {
    if (!isName(value) || !Object.hasOwn(listings, parameter)) return value;
    const byName = listings[parameter]?.byName;
    if (!byName) return value;
    const named = read.get(byName) ?? (await byName(ctx, whole));
    read.set(byName, named);
    const [only, ...others] = named(value);
    if (!only || others.length > 0) return value;
    changed = true;
    return only.id;
  };
  const visited = async (record: object, depth: number): Promise<Record<string, unknown>> => {
    const entries: Array<readonly [string, unknown]> = [];
    for (const [name, value] of Object.entries(record) as Array<[string, unknown]>) {
      if (depth === 0 && records.has(name) && isRecord(value)) entries.push([name, await visited(value, 1)]);
      else if (!Array.isArray(value)) entries.push([name, await idOf(name, value)]);
      else if (value.length > itemsAtMost) entries.push([name, value]);
      else {
        const items: unknown[] = [];
        for (const item of value as unknown[]) {
          items.push(depth === 0 && isRecord(item) ? await visited(item, 1) : await idOf(name, item));
          if (turnIsOver()) await nextTurn(ctx.signal);
        }
        entries.push([name, items]);
      }
    }
    return Object.fromEntries(entries);
  };
  const resolved = await visited(whole, 0);
  return changed ? resolved : undefined;
}
