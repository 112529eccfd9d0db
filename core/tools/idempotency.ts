import { and, asc, eq, gt, lt, or } from 'drizzle-orm';
import { includes, type Rights } from '../base/actor.ts';
import { later, refused, RepeatWhole, type Db, type Query, type TxOptions } from '../db/query/db.ts';
import { fail } from '../base/errors.ts';
import type { Host } from '../host/host.ts';
import { nextTurn, turnIsOver } from '../base/turns.ts';
import { keyedCalls, type KeyedAnswer } from './idempotency-schema.ts';

/** How long a call may be repeated under its key. */
const keptMs = 24 * 60 * 60 * 1000;

/** A write that its caller may repeat. */
interface KeyedCall {
  readonly userId: number;
  /** The caller's rights now. A result is repeated only to a caller with all rights of the first call. */
  readonly rights: Rights;
  readonly key: string;
  readonly tool: string;
  readonly input: unknown;
  /** The input with the names that it had instead of ids, if it had any. */
  readonly named?: unknown;
  /** The result must not be stored. */
  readonly secret: boolean;
}

/** Another request has made the same call meanwhile. */
class DoneMeanwhile extends Error {}

/** A part of the work needs another isolation than the transaction has; a transaction cannot change it once it has begun. */
class NeedsSerializable extends Error {}

/** The transactions of a call, nested in an outer one. */
function partsOf(
  q: Query,
  { serializable: has }: TxOptions,
): Pick<Db, 'tx' | 'isPart' | 'write' | 'pipeline' | 'reads'> {
  return {
    isPart: true,
    tx: async (part, { serializable } = {}) => {
      if (serializable !== undefined && has === undefined) throw new NeedsSerializable(serializable);
      return part(q);
    },
    write: (statement) => statement(q),
    // A pipeline that is refused ends its transaction, and with it the whole call.
    pipeline: async () => refused,
    reads: (work) => work(q),
  };
}

/** How many times work runs again because a part of it asks for that. */
const repeats = 4;

/**
 * Runs work in one transaction, and once more in a serializable one when a part of it asks for that.
 * @param work gets a database whose transactions belong to that one. It may run again after a serialization failure, or by
 * {@link RepeatWhole}.
 */
export async function inOneTx<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  let options: TxOptions = {};
  for (let left = repeats; ; left--)
    try {
      const using = options;
      return await db.tx((q) => work({ ...db, q, ...partsOf(q, using) }), using);
    } catch (error) {
      if (error instanceof NeedsSerializable) options = { serializable: error.message };
      else if (!(error instanceof RepeatWhole)) throw error;
      else if (left === 0) throw error.cause;
    }
}

/**
 * Runs a write once per idempotency key (IETF draft of the header Idempotency-Key). All of `work` and the key with its result are one
 * transaction: neither exists without the other, and a repeated call returns the first result. A failed call stores nothing; it may
 * be corrected and sent again under its key.
 * @param work gets a database whose transactions belong to that one. It may run again after a serialization failure.
 * @throws Fault IDEMPOTENCY_KEY_REUSED when the key was used for another call.
 */
export async function once(
  { db, clock }: Pick<Host, 'db' | 'clock'>,
  call: KeyedCall,
  work: (db: Db) => Promise<unknown>,
): Promise<unknown> {
  const fingerprint = await fingerprintOf(call);
  const earlier = await earlierAnswer(db.q, call, fingerprint);
  if (earlier) return repeated(call, earlier);
  const { userId, key, tool } = call;
  const named = call.named === undefined ? {} : { named: await fingerprintOf({ tool, input: call.named }) };
  try {
    return await inOneTx(db, async (within) => {
      const { q } = within;
      const claim = {
        userId,
        key,
        fingerprint,
        answer: { value: null, rights: call.rights },
        at: clock.now(),
      };
      const claimed = await q.insert(keyedCalls).values(claim).onConflictDoNothing().returning();
      if (claimed.length === 0) throw new DoneMeanwhile();
      const value = await work(within);
      const answer = { value: call.secret ? null : value, rights: call.rights, ...named };
      const ofCall = and(eq(keyedCalls.userId, userId), eq(keyedCalls.key, key));
      await later(q, q.update(keyedCalls).set({ answer }).where(ofCall));
      return value;
    });
  } catch (error) {
    if (!(error instanceof DoneMeanwhile)) throw error;
    const done = await earlierAnswer(db.q, call, fingerprint);
    if (done) return repeated(call, done);
    throw fail.CONFLICT('This call has been done before, a day or more ago.');
  }
}

/**
 * The result of a call that was done before with this key and this input, with ids or with the names that were given then.
 * @returns undefined if it was not, also when the key was used for another one.
 */
export async function resultOfEarlier(
  { db }: Pick<Host, 'db'>,
  call: KeyedCall,
): Promise<{ readonly value: unknown } | undefined> {
  const known = await keyedRow(db.q, call);
  if (!known) return undefined;
  const fingerprint = await fingerprintOf(call);
  if (known.fingerprint !== fingerprint && known.answer.named !== fingerprint) return undefined;
  return { value: repeated(call, known.answer) };
}

/** The result of a repeated call. It may contain what only the rights of the first call allow to see. */
function repeated({ secret, rights: now }: KeyedCall, { value, rights: then, erased }: KeyedAnswer): unknown {
  if (erased)
    throw fail.CONFLICT('This call was done before. Its result was erased with the data of a person.', {
      tip: 'Read what it made with a tool that reads.',
    });
  if (!then || !includes(now, then)) {
    throw fail.FORBIDDEN('This call was done before with rights that you no longer have.', {
      cause: 'rights',
      tip: 'Ask an administrator for the role or the token scope that the first call had.',
    });
  }
  if (!secret) return value;
  throw fail.CONFLICT('This call was done before, and its result is shown only once.', {
    tip: 'Undo what it created, then call again with another key.',
  });
}

async function keyedRow(q: Query, { userId, key }: KeyedCall): Promise<KeyedRow | undefined> {
  const [known] = await q
    .select()
    .from(keyedCalls)
    .where(and(eq(keyedCalls.userId, userId), eq(keyedCalls.key, key)));
  return known;
}

async function earlierAnswer(q: Query, call: KeyedCall, fingerprint: string) {
  const known = await keyedRow(q, call);
  if (known && known.fingerprint !== fingerprint) {
    throw fail.IDEMPOTENCY_KEY_REUSED('This idempotency key was used for another call.');
  }
  return known?.answer;
}

/**
 * The SHA-256 of a tool's name, a line feed, and its input as JSON whose objects are lists of sorted entries: it does not depend on the
 * order of properties. The form is that of 0.1.0, so that versions running side by side recognize each other's calls. Yields to other
 * requests while it hashes a long list.
 */
export async function fingerprintOf({ tool, input }: Pick<KeyedCall, 'tool' | 'input'>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256').update(`${tool}\n`);
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return hasher.update(JSON.stringify(sorted(input))).digest('hex');
  for (const [at, [name, value]] of sortedEntries(input).entries()) {
    hasher.update(`${at === 0 ? '[' : ','}[${JSON.stringify(name)},`);
    if (!Array.isArray(value)) hasher.update(`${JSON.stringify(sorted(value))}]`);
    else {
      hasher.update('[');
      for (const [index, item] of (value as unknown[]).entries()) {
        hasher.update(`${index === 0 ? '' : ','}${JSON.stringify(sorted(item))}`);
        if (turnIsOver()) await nextTurn();
      }
      hasher.update(']]');
    }
  }
  return hasher.update(Object.keys(input).length === 0 ? '[]' : ']').digest('hex');
}

const sortedEntries = (value: object) => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The value in a form whose JSON does not depend on the order of properties. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // Entries instead of an object: a property may be named __proto__.
  return sortedEntries(value).map(([name, member]) => [name, sorted(member)]);
}

/** Results that are looked through in one step: one may have a megabyte. */
const lookedAtOnce = 50;

/**
 * Removes some of the results of the calls that erased users made, and of those that say `userId` of one. Any tool may return what is known
 * of a person, so this looks at the results and not at the tools. The key stays, so its call is not done twice.
 * @param after where the last step ended.
 * @returns where this one ended; undefined: there are no more.
 */
export async function eraseAnswersAbout(
  q: Query,
  userIds: readonly number[],
  after: Pick<KeyedRow, 'userId' | 'key'> | undefined,
): Promise<Pick<KeyedRow, 'userId' | 'key'> | undefined> {
  const isBehind =
    after &&
    or(
      gt(keyedCalls.userId, after.userId),
      and(eq(keyedCalls.userId, after.userId), gt(keyedCalls.key, after.key)),
    );
  const rows = await q
    .select({ userId: keyedCalls.userId, key: keyedCalls.key, answer: keyedCalls.answer })
    .from(keyedCalls)
    .where(isBehind)
    .orderBy(asc(keyedCalls.userId), asc(keyedCalls.key))
    .limit(lookedAtOnce);
  const ids = new Set(userIds);
  for (const { userId, key, answer } of rows)
    if (!answer.erased && (ids.has(userId) || saysUser(answer.value, ids)))
      await q
        .update(keyedCalls)
        .set({ answer: { value: null, erased: true } })
        .where(and(eq(keyedCalls.userId, userId), eq(keyedCalls.key, key)));
  return rows.length < lookedAtOnce ? undefined : rows.at(-1);
}

type KeyedRow = typeof keyedCalls.$inferSelect;

/** Whether a result has one of these ids in a member like `userId` or `userIds`. Other numbers are no users. */
function saysUser(value: unknown, ids: ReadonlySet<number>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) =>
      (/userId/i.test(name) && [member].flat().some((id) => ids.has(Number(id)))) || saysUser(member, ids),
  );
}

/** Keys that are deleted in one transaction: others write between them. */
const forgottenAtOnce = 200;

/** Deletes keys that are older than a day. */
export async function forgetKeyedCalls({ db, clock }: Host): Promise<void> {
  const old = lt(keyedCalls.at, clock.now() - keptMs);
  for (;;) {
    const rows = await db.q
      .select({ userId: keyedCalls.userId, key: keyedCalls.key })
      .from(keyedCalls)
      .where(old)
      .orderBy(asc(keyedCalls.at))
      .limit(forgottenAtOnce);
    if (rows.length === 0) return;
    await db.tx(async (q) => {
      for (const { userId, key } of rows)
        await q.delete(keyedCalls).where(and(eq(keyedCalls.userId, userId), eq(keyedCalls.key, key), old));
    });
    if (turnIsOver()) await nextTurn();
  }
}

/** Writes a row to test the storage; reads one where nothing may be written. @throws Fault STORAGE_FAILED or DATABASE_BUSY. */
export async function probeStorage({ db, clock }: Host): Promise<void> {
  if (db.refusal()) {
    await db.q.select({ at: keyedCalls.at }).from(keyedCalls).limit(1);
    return;
  }
  // No user has the id 0.
  const row = { userId: 0, key: 'probe', fingerprint: '', answer: { value: null }, at: clock.now() };
  await db.write(async (q) => {
    await q
      .insert(keyedCalls)
      .values(row)
      .onConflictDoUpdate({ target: [keyedCalls.userId, keyedCalls.key], set: { at: row.at } });
  });
}

/** @throws Fault INVALID_REQUEST for an invalid key. */
export function checkIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw fail.INVALID_REQUEST('An idempotency key is 1 to 255 printable ASCII characters without spaces.', {
    cause: 'idempotencyKey',
    tip: 'Use something unique per intended change, e.g. a UUID.',
  });
}
