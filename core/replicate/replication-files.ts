import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import type { RandomBytes } from '../base/clock.ts';
import { isMissingFile } from '../base/foreign-errors.ts';
import { closedObject } from '../base/schema.ts';
import { replaceFile, storedRecord } from '../base/stored-file.ts';
import { erasedLogFile, replicationLockFile } from '../db/sqlite/erased-log.ts';

const chainFile = 'replication.json';
const holderFile = 'replication-holder';
const statusFile = 'replication-status.json';

/** Files of a data directory that are no data. */
export const isReplicationFile = (name: string): boolean =>
  name === replicationLockFile ||
  name === holderFile ||
  name === erasedLogFile ||
  name.startsWith(chainFile) ||
  name.startsWith(statusFile);

const Pair = Type.Tuple([Type.Integer(), Type.Integer()]);

const KeptChain = closedObject({
  /** The address of the target. */
  target: Type.String(),
  /** The newest generation of this directory, or the one that it was restored from. */
  generation: Type.String(),
  /** Whether this directory began it. One that was restored goes on with a new one. */
  own: Type.Boolean(),
  /** The last object that was stored. */
  sequence: Type.Integer(),
  digest: Type.String(),
  at: Type.Integer(),
  /** The position in the log after it. */
  log: Type.Optional(closedObject({ number: Type.Integer(), salt: Pair, frame: Type.Integer(), sum: Pair })),
  /** When the newest snapshot was made; 0: there is none. */
  snapshotAt: Type.Integer(),
});
/** How far a data directory was replicated. A lost or old one costs a new snapshot, never data. */
type KeptChain = Static<typeof KeptChain>;

/**
 * - `ok`: what is committed is stored within a second.
 * - `away`: the target cannot be reached or refuses.
 * - `snapshot`: the first snapshot of a generation is being made: a loss of the machine now loses what was written since the one before.
 * - `fenced`: another data directory has begun a newer generation.
 * - `stopped`: the server was stopped, and everything had been stored.
 */
export const replicationStates = ['ok', 'away', 'snapshot', 'fenced', 'stopped'] as const;

const Status = closedObject({
  target: Type.String(),
  state: Type.Union(replicationStates.map((state) => Type.Literal(state))),
  /** Epoch milliseconds until which everything committed is at the target; 0: nothing is. */
  coveredAt: Type.Integer(),
  /** When it was last looked at. */
  at: Type.Integer(),
  generation: Type.Optional(Type.String()),
  /** Why it does not work. */
  reason: Type.Optional(Type.String()),
  /** Bytes of the log that wait for the target. */
  waiting: Type.Integer(),
  /** The longest time, in ms, that the replicator kept writers waiting since it began. */
  longestHoldMs: Type.Number(),
});
/** How the replication goes, for `/readyz`, metrics and doctor, also of other processes. */
export type ReplicationStatus = Static<typeof Status>;

export const readChain = (data: string): KeptChain | undefined =>
  storedRecord(join(data, chainFile), KeptChain);
export const readReplicationStatus = (data: string): ReplicationStatus | undefined =>
  storedRecord(join(data, statusFile), Status);
export const keepChain = (data: string, chain: KeptChain): void => write(join(data, chainFile), chain);
export const keepStatus = (data: string, status: ReplicationStatus): void =>
  write(join(data, statusFile), status);

/** Those of these files that stand next to the database. */
export const readBeside = (data: string, names: readonly string[]): Readonly<Record<string, Uint8Array>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      try {
        return [[name, readFileSync(join(data, name))] as const];
      } catch (error) {
        if (isMissingFile(error)) return [];
        throw error;
      }
    }),
  );

/** The word by which claims name a data directory. It is made with the first use. */
export function holderOf(data: string, random: RandomBytes): string {
  const path = join(data, holderFile);
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (/^[0-9a-f]{16}$/.test(kept)) return kept;
  const made = Buffer.from(random(8)).toString('hex');
  replaceFile(path, `${made}\n`);
  return made;
}

/** Not flushed: it is written every second, and an old one is harmless. */
function write(path: string, value: object): void {
  const part = `${path}.part-${process.pid}`;
  try {
    writeFileSync(part, `${JSON.stringify(value)}\n`, { mode: 0o600 });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
