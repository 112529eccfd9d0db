import type { Actor, Effect } from '../base/actor.ts';
import type { RandomBytes } from '../base/clock.ts';
import {
  recordsAtOnce,
  type AuditedId,
  type AuditedIds,
  type Surface,
  type WriteSubject,
} from '../base/write-entry.ts';
import { later, refused, type Db, type Query } from '../db/query/db.ts';
import type { Host } from '../host/host.ts';

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
const idsOfSubject = ({ projectId, runId, records }: WriteSubject): AuditedIds => ({
  projectId,
  ...(runId === undefined ? {} : { runId }),
  ...(records === undefined ? {} : idsOf({ [`${records.kind}Ids`]: records.ids })),
});

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * The id of one call that writes, for rows that have to be found by the write that made them. The audit entry has an id of its own, but
 * gets it last: a store needs one before its first change. Drawn when a store asks for it first, and then kept in the audit entry too.
 */
interface WriteMark {
  /** A random whole number below 2^48; always the same for one call. */
  id(): number;
  /** The id if a store asked for it; null otherwise. */
  used(): number | null;
}

export function newWriteMark(random: RandomBytes): WriteMark {
  let drawn: number | null = null;
  return {
    id: () => (drawn ??= random(6).reduce((sum, byte) => sum * 256 + byte, 0)),
    used: () => drawn,
  };
}

const marks = new WeakMap<Query, WriteMark>();

/** Runs the work of a transaction as part of a write. On SQLite transactions share a query builder, but never at the same time. */
export async function withinWrite<T>(q: Query, mark: WriteMark, work: (q: Query) => Promise<T>): Promise<T> {
  marks.set(q, mark);
  try {
    return await work(q);
  } finally {
    marks.delete(q);
  }
}

/** The id of the write that a transaction belongs to; null outside of an audited call. */
export const writeIdOf = (q: Query): number | null => marks.get(q)?.id() ?? null;

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
      return [...statements, writeEntry(q, undefined)] as unknown as typeof statements;
    });
    if (results !== refused) stored = true;
    return results;
  };
  return { ...db, tx, write: tx, pipeline };
}

/** What an operation says of its write. */
export interface Written {
  subjects: readonly WriteSubject[];
}

interface WritingOperation {
  readonly name: string;
  readonly effect: Effect;
  /** As in `Operation`. */
  readonly named?: readonly string[];
  readonly namedInResult?: readonly string[];
}

interface WritingCall {
  readonly actor: Actor;
  readonly surface: Surface;
  readonly client?: string;
}

/** The database of a call that writes: its first transaction also writes the audit entry, one for each subject. */
export function auditedDb(
  host: Host,
  db: Db,
  { name, effect, named, namedInResult = [] }: WritingOperation,
  input: unknown,
  call: WritingCall,
  written: Written,
): Db {
  const mark = newWriteMark(host.random);
  const writeEntries = async (q: Query, result: unknown) => {
    const ids = {
      ...(effect === 'create' ? idsOfCreated(result) : {}),
      ...(namedInResult.length > 0 ? idsOf(result, namedInResult) : {}),
      ...idsOf(input, named),
    };
    const entry = {
      actorId: call.actor.userId,
      operation: name,
      ids,
      surface: call.surface,
      credential: call.actor.credential,
      client: call.client ?? null,
      writeId: mark.used(),
      at: host.clock.now(),
    };
    const [only, ...others] = written.subjects;
    // A repeated call that changed nothing wrote nothing.
    if (only && written.subjects.every(({ changes }) => changes?.unchanged)) return;
    const entryOf = ({ operation = name }: WriteSubject) => ({ ...entry, operation });
    if (!only) await host.recordWrite(q, entry);
    else if (others.length === 0) await host.recordWrite(q, { ...entryOf(only), subject: only });
    else
      for (const subject of written.subjects)
        await host.recordWrite(q, { ...entryOf(subject), ids: idsOfSubject(subject), subject });
  };
  const isLong = () =>
    host.tellsOfWrites ||
    written.subjects.some(({ records }, index) => index > 0 || (records?.ids.length ?? 0) > recordsAtOnce);
  return auditWrites(db, writeEntries, mark, isLong);
}
