import type { Context } from '../host/host.ts';
import { nameKey } from '../text/name-key.ts';
import { nearest } from '../text/nearest-word.ts';

/*
 * Users and agents give names instead of ids. The error then says which tool lists the ids and, if exactly one record that the caller
 * may see has that name, its id. It contains names as they are stored, never as they were sent.
 */

/** The id of a record, as its parameter accepts it, and one of its names. */
export interface NamedRecord {
  readonly id: number | string;
  readonly name: string;
}

/** For a parameter that takes ids: the tool that lists them, and a search by name. */
export interface IdListing {
  readonly tool: string;
  /** The records that the caller may see: all if there are few, otherwise those of this name. */
  readonly lookUp: (
    ctx: Context,
    name: string,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<readonly NamedRecord[]>;
  /** A name is accepted in place of an id if exactly one of these records, which are read once for a call, has it. */
  readonly byName?: (ctx: Context, input: Readonly<Record<string, unknown>>) => Promise<RecordsByName>;
  /** Ids are strings of digits, as in Area B. */
  readonly asText?: true;
}

/** The records that have a name, whatever its case. */
export type RecordsByName = (name: string) => readonly NamedRecord[];

export type IdListings = Readonly<Record<string, IdListing>>;

/** The listing of records that have no name. */
export const nameless = (tool: string): IdListing => ({ tool, lookUp: async () => [] });

/** How many names of one call are looked up, and how many ids of one name are listed. */
const maxExplained = 5;
const maxIds = 5;

/**
 * Explains an invalid call for `Operation.explain`: one sentence for each name that was given for an id.
 * @param listings every parameter that takes ids, at any depth. @param records the parameters that are records.
 */
export const explainIds =
  (listings: IdListings, records: ReadonlySet<string>) =>
  async (rawInput: unknown, ctx: Context): Promise<string | undefined> => {
    const given = namesGiven(rawInput, listings, records);
    if (given.length === 0) return undefined;
    const input = rawInput as Readonly<Record<string, unknown>>;
    const sentences: string[] = [];
    for (const { parameter, path, name } of given) {
      const listing = listings[parameter];
      if (!listing || (listing.asText && digits.test(name))) continue;
      sentences.push(await sentenceOf(listing, { path, name }, ctx, input));
    }
    return sentences.length === 0 ? undefined : sentences.join(' ');
  };

const digits = /^\s*\d{1,15}\s*$/;

interface GivenName {
  readonly parameter: string;
  readonly path: string;
  readonly name: string;
}

/** The first texts given in place of ids. */
function namesGiven(
  input: unknown,
  listings: IdListings,
  records: ReadonlySet<string>,
): readonly GivenName[] {
  const found: GivenName[] = [];
  const note = (parameter: string, path: string, value: unknown) => {
    if (typeof value === 'string' && found.length < maxExplained)
      found.push({ parameter, path, name: value.slice(0, 255) });
  };
  const visit = (record: object, prefix: string, depth: number) => {
    for (const [key, value] of Object.entries(record).slice(0, 100)) {
      if (found.length === maxExplained) return;
      const isId = Object.hasOwn(listings, key);
      if (!Array.isArray(value)) {
        if (isId) note(key, prefix + key, value);
        else if (depth === 0 && records.has(key) && typeof value === 'object' && value !== null)
          visit(value as object, `${prefix}${key}.`, 1);
        continue;
      }
      for (const [index, item] of value.slice(0, 5_000).entries()) {
        const path = `${prefix}${key}[${index}]`;
        if (isId) note(key, path, item);
        else if (depth === 0 && typeof item === 'object' && item !== null)
          visit(item as object, `${path}.`, 1);
      }
    }
  };
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) visit(input, '', 0);
  return found;
}

/** Finds records by name. A record that has a name twice, as name and as e-mail address, is listed once. */
export function namedIn<R extends NamedRecord>(all: readonly R[]): (name: string) => readonly R[] {
  const byKey = Map.groupBy(all, ({ name }) => nameKey(name));
  return (name) => [...new Map(byKey.get(nameKey(name))?.map((one) => [one.id, one])).values()];
}

async function sentenceOf(
  { tool, lookUp }: IdListing,
  { path, name }: Pick<GivenName, 'path' | 'name'>,
  ctx: Context,
  input: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (digits.test(name)) return `${path} is a number: write ${Number(name)} without quotes.`;
  const all = await lookUp(ctx, name, input);
  const exact = namedIn(all)(name);
  const [only] = exact;
  if (only && exact.length === 1)
    return `${path} takes an id, not a name: "${only.name}" is ${only.id} (${tool} lists them).`;
  if (only) {
    const ids = exact.slice(0, maxIds).map(({ id }) => id);
    return `${path} takes an id, and several have this name: ${ids.join(', ')} (${tool} lists them).`;
  }
  const close = nearest(
    name,
    all.slice(0, 500).map((one) => one.name),
  );
  const meant = all.find((one) => one.name === close);
  return meant
    ? `${path} takes an id; did you mean "${meant.name}", which is ${meant.id}? (${tool} lists them.)`
    : `${path} takes an id: use ${tool} to see them.`;
}
