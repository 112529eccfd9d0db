import { later, refused, type Db, type Query } from '../db/query/db.ts';
import type { AuditedId, AuditedIds, WriteSubject } from '../base/write-entry.ts';
import { withinWrite, type WriteMark } from './write-id.ts';

/** The maximum ids stored per list: an audit entry stays small for any call. */
const keptIds = 20;

/** The name of a property with one id, or a list of them. */
const isIdName = (name: string) => name === 'id' || /(?:^|[a-z])Ids?$/.test(name);

/** Whether a value has the form of an id. E-mail addresses, names and sentences do not. */
const isId = (value: unknown): value is AuditedId =>
  Number.isSafeInteger(value) || (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value));

/**
 * The ids in an input or a result: top-level ones, lists of ids, and the ids of records in lists. Reads only the first 20 items of a list,
 * so it costs the same for one record and for thousands.
 * @param named other properties that name a record; their first 255 characters are stored.
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

/** The ids of what was created: a row, or an object of rows by name (`{cta: {id: …}}`). */
export function idsOfCreated(created: unknown): AuditedIds {
  const rows = Object.entries(recordOf(created)).flatMap(([name, row]) => {
    const { id } = recordOf(row);
    return isId(id) ? [[`${name}Id`, id] as const] : [];
  });
  return { ...Object.fromEntries(rows), ...idsOf(created) };
}

/** The ids of one subject of a write. Those of the input may belong to another subject. */
export const idsOfSubject = ({ projectId, runId, records }: WriteSubject): AuditedIds => ({
  projectId,
  ...(runId === undefined ? {} : { runId }),
  ...(records === undefined ? {} : idsOf({ [`${records.kind}Ids`]: records.ids })),
});

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * A database whose first transaction also writes an audit entry, so that neither exists without the other. Later transactions of the same
 * operation add no entry, since they belong to the same call.
 * @param writeEntry gets the result of the transaction: the ids of what it created are known only then.
 * @param mark of the call: stores find it by the query builder of a transaction.
 * @param isLong whether the entry takes several statements, each of which waits for the one before. A pipeline cannot.
 */
export function auditWrites(
  db: Db,
  writeEntry: (q: Query, value: unknown) => Promise<void>,
  mark: WriteMark,
  isLong: () => boolean = () => false,
): Db {
  let stored = false;
  const tx: Db['tx'] = async (work, options) => {
    if (stored) return db.tx((q) => withinWrite(q, mark, work), options);
    const value = await db.tx(async (q) => {
      const result = await withinWrite(q, mark, work);
      if (isLong()) await writeEntry(q, result);
      else await later(q, writeEntry(q, result));
      return result;
    }, options);
    // After the commit: PostgreSQL may run the work again, and then the entry of the first attempt was rolled back.
    stored = true;
    return value;
  };
  const pipeline: Db['pipeline'] = async (send) => {
    if (stored) return db.pipeline(send);
    // The caller then falls back to a transaction.
    if (isLong()) return refused;
    const results = await db.pipeline((q) => {
      const statements = send(q);
      // What a pipeline creates is not known before its commit: it is for changes of records that the input names.
      const entry = writeEntry(q, undefined).then(() => []);
      return [...statements, entry] as unknown as typeof statements;
    });
    if (results !== refused) stored = true;
    return results;
  };
  return { ...db, tx, write: tx, pipeline };
}
