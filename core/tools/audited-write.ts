import type { Db, Query } from '../db/db.ts';
import type { AuditedId, AuditedIds } from '../write-entry.ts';

/** How many ids of a list are kept: an entry stays small whatever the call. */
const keptIds = 20;

/** The name of a property that holds one id, or a list of them. */
const isIdName = (name: string) => name === 'id' || /(?:^|[a-z])Ids?$/.test(name);

/** Text that is an id by its form. An e-mail address, a name or a sentence is not. */
const isId = (value: unknown): value is AuditedId =>
  Number.isSafeInteger(value) || (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value));

/**
 * The ids that an input or an answer names: its own, those of its lists, and those of the records in its lists. Looks at the
 * first 20 of a list only, so it costs the same for one record and for thousands.
 * @param named other properties that name a record; their text is kept up to 255 characters.
 */
export function idsOf(value: unknown, named: readonly string[] = []): AuditedIds {
  const found: Record<string, AuditedId | readonly AuditedId[]> = {};
  const many = (name: string, ids: readonly unknown[], count: number) => {
    const kept = ids.filter(isId);
    if (kept.length === 0) return;
    found[name] = kept;
    if (count > keptIds) found[`${name}Count`] = count;
  };
  for (const [name, member] of Object.entries(recordOf(value))) {
    if (named.includes(name) && typeof member === 'string') found[name] = member.slice(0, 255);
    else if (Array.isArray(member)) {
      const first: readonly unknown[] = member.slice(0, keptIds);
      if (isIdName(name)) many(name, first, member.length);
      else if (typeof first[0] === 'object') {
        const names = Object.keys(recordOf(first[0])).filter((key) => isIdName(key) && key.endsWith('d'));
        for (const key of names)
          many(
            `${key}s`,
            first.map((item) => recordOf(item)[key]),
            member.length,
          );
      }
    } else if (isIdName(name)) {
      if (isId(member)) found[name] = member;
    }
  }
  return found;
}

/** The ids of what a creation made: a row, or an object that holds rows by name (`{cta: {id: …}}`). */
export function idsOfMade(made: unknown): AuditedIds {
  const rows = Object.entries(recordOf(made)).flatMap(([name, row]) => {
    const { id } = recordOf(row);
    return isId(id) ? [[`${name}Id`, id] as const] : [];
  });
  return { ...Object.fromEntries(rows), ...idsOf(made) };
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * A database whose first transaction also stores an entry, so that neither is there without the other. Later transactions of
 * the same operation add none: they are parts of one call.
 * @param entry gets what the transaction answers: of a creation, the ids are known only then.
 */
export function audited(db: Db, entry: (q: Query, value: unknown) => Promise<void>): Db {
  let stored = false;
  return {
    ...db,
    tx: async (work) => {
      if (stored) return db.tx(work);
      const value = await db.tx(async (q) => {
        const made = await work(q);
        await entry(q, made);
        return made;
      });
      // After the commit: PostgreSQL may run the work again, and the entry of the first attempt is gone then.
      stored = true;
      return value;
    },
  };
}
