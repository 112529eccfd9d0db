import type { Context } from '../host/host.ts';
import { findNamed, type IdListings } from './id-explanation.ts';

/*
 * People and models write "High" where the id of a priority is asked for. If exactly one record that the caller may see has the name,
 * ignoring case, its id is used. A number in quotes is not resolved: a label may be called "12".
 */

/** The maximum distinct names in one call. Each costs a search. */
const mostNames = 50;
const itemsAtMost = 5_000;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 255 && !/^\s*\d{1,15}\s*$/.test(value);

/**
 * The input with ids in the place of names.
 * @param listings the parameters of the operation that take ids, at any depth; only those with `byName` are looked at.
 * @returns undefined when there is no name that could be replaced.
 */
export async function withIdsOfNames(
  listings: IdListings,
  input: unknown,
  ctx: Context,
): Promise<Record<string, unknown> | undefined> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const whole = input as Readonly<Record<string, unknown>>;
  const known = new Map<string, number | string | undefined>();
  let changed = false;
  const idOf = async (parameter: string, value: unknown): Promise<unknown> => {
    const listing = Object.hasOwn(listings, parameter) ? listings[parameter] : undefined;
    if (!listing?.byName || !isName(value)) return value;
    const key = `${parameter} ${value}`;
    if (!known.has(key) && known.size < mostNames) {
      const [only, ...others] = findNamed(await listing.lookUp(ctx, value, whole), value);
      known.set(key, others.length === 0 ? only?.id : undefined);
    }
    const id = known.get(key);
    changed ||= id !== undefined;
    return id ?? value;
  };
  const visited = async (record: object, depth: number): Promise<Record<string, unknown>> => {
    const entries: Array<readonly [string, unknown]> = [];
    for (const [name, value] of Object.entries(record)) {
      if (!Array.isArray(value)) entries.push([name, await idOf(name, value)]);
      else if (value.length > itemsAtMost) entries.push([name, value]);
      else {
        const items: unknown[] = [];
        for (const item of value as unknown[])
          items.push(
            depth === 0 && typeof item === 'object' && item !== null && !Array.isArray(item)
              ? await visited(item, 1)
              : await idOf(name, item),
          );
        entries.push([name, items]);
      }
    }
    return Object.fromEntries(entries);
  };
  const resolved = await visited(whole, 0);
  return changed ? resolved : undefined;
}
