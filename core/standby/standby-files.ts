import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { isMissingFile } from '../base/foreign-errors.ts';
import { closedObject } from '../base/schema.ts';
import { flush, replaceFile, storedRecord } from '../base/stored-file.ts';
import { fencedFile, standbyFile } from '../db/sqlite/directory-role.ts';

/** Held by the process that changes the copy: the follower of a server, or `trivet promote`. */
export const standbyLockFile = 'standby.lock';
const statusFile = 'standby-status.json';
/** Asks the follower to leave: its text is the id of the process that asks. */
const requestFile = 'standby-promote';
/** Where a snapshot is put together. */
export const standbyStage = 'standby-stage';

/** Files of a data directory that are no data. */
export const isStandbyFile = (name: string): boolean =>
  [standbyLockFile, requestFile, standbyFile, standbyStage, fencedFile].includes(name) ||
  name.startsWith(statusFile);

const State = closedObject({
  /** The address that it follows. */
  target: Type.String(),
  /** The generation that the copy is of; empty before the first. */
  generation: Type.String(),
  /** The last object in it: its number, and the first 16 digits of its digest and of that before it. */
  sequence: Type.Integer(),
  digest: Type.String(),
  previous: Type.Union([Type.String(), Type.Null()]),
  /** Everything up to this object may have been written, but perhaps not all of it is on the disk. */
  until: Type.Integer(),
  /** Whether there is a copy. */
  whole: Type.Boolean(),
  /** A snapshot is being laid over the copy: after a loss of power it must be done again. */
  replacing: Type.Boolean(),
  /** Everything that was committed until then is in it (epoch ms). */
  coveredAt: Type.Integer(),
  /** The generation with which it takes over. */
  taking: Type.Optional(Type.String()),
});
/** How far a copy goes. It is on the disk before what it describes. */
export type StandbyState = Static<typeof State>;

/**
 * - `copying`: there is no complete copy yet.
 * - `following`: it has what the other server stored a few seconds ago.
 * - `waiting`: the other server has begun anew, and its snapshot is not complete yet.
 * - `away`: the target cannot be read.
 * - `failing`: something on this machine, or in the replica, is wrong.
 */
export const standbyStates = ['copying', 'following', 'waiting', 'away', 'failing'] as const;
export type StandbyWord = (typeof standbyStates)[number];

const Status = closedObject({
  target: Type.String(),
  state: Type.Union(standbyStates.map((state) => Type.Literal(state))),
  coveredAt: Type.Integer(),
  at: Type.Integer(),
  reason: Type.Optional(Type.String()),
});
/** How the following goes, for `/readyz`, metrics and doctor. */
export type StandbyStatus = Static<typeof Status>;

export const freshState = (target: string): StandbyState => ({
  target,
  generation: '',
  sequence: 0,
  digest: '',
  previous: null,
  until: 0,
  whole: false,
  replacing: false,
  coveredAt: 0,
});

/** Whether a copy is one moment of the other database, also if this machine lost its power. */
export const isClean = ({ whole, replacing, until, sequence }: StandbyState): boolean =>
  whole && !replacing && until === sequence;

export const readStandby = (data: string): StandbyState | undefined =>
  storedRecord(join(data, standbyFile), State);
export const keepStandby = (data: string, state: StandbyState): void =>
  replaceFile(join(data, standbyFile), `${JSON.stringify(state)}\n`);

/** From now on the directory is no copy any more. */
export function endStandby(data: string): void {
  const path = join(data, standbyFile);
  rmSync(path, { force: true });
  flush(dirname(path));
  rmSync(join(data, statusFile), { force: true });
}

export const readStandbyStatus = (data: string): StandbyStatus | undefined =>
  storedRecord(join(data, statusFile), Status);
export const keepStandbyStatus = (data: string, status: StandbyStatus): void =>
  replaceFile(join(data, statusFile), `${JSON.stringify(status)}\n`);

/** Asks the follower of a directory to leave it. @returns a function that withdraws it. */
export function askFollowerToLeave(data: string): () => void {
  const path = join(data, requestFile);
  writeFileSync(path, `${process.pid}\n`, { mode: 0o600 });
  return () => rmSync(path, { force: true });
}

/** Whether a process that runs has asked the follower to leave. */
export function isAskedToLeave(data: string): boolean {
  try {
    const pid = Number(readFileSync(join(data, requestFile), 'utf8'));
    return pid > 0 && isRunning(pid);
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
