import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, UsageError, type Fault } from '../../base/errors.ts';
import { isMissingFile } from '../../base/foreign-errors.ts';

/** Exists in a data directory that is a copy of another one: what its follower knows. */
export const standbyFile = 'standby.json';

/** Exists in a data directory that another one has replaced: its text says by what. */
export const fencedFile = 'replaced';

/**
 * Whether this directory is a copy. Its database has no log: its follower writes pages of the other one into it, and keeps readers away by
 * the locks of a rollback journal.
 */
export const isStandby = (directory: string): boolean => existsSync(join(directory, standbyFile));

/*
 * Whoever signs in or sends the state of an app gets the message without the tip. So the message has no address and no path: which bucket or
 * machine has the replica is for the operator and for callers of tools.
 */

/** The error for a write to a standby. */
export const standbyFault = (directory: string): Fault =>
  fail.STANDBY('This server is a standby: it reads only.', {
    tip: `Send writes to the server that it follows. If that one is lost, run on this machine: trivet promote --data ${directory}`,
  });

/** The error for a write to a server that was replaced. @param why names what has replaced it. */
export const fencedFault = (directory: string, why: string): Fault =>
  fail.FENCED('Another server has the place of this one, so this one reads only.', {
    tip:
      `${why} Use the server that has taken over. To make this one its standby, stop it, move ${directory} away, copy its master.key to ` +
      'an empty directory in its place, and start it with --follow and the same address. What was written here and not replicated is only ' +
      'in the directory that was moved away.',
  });

/** Why nothing may be written to a directory, whichever process would do it; undefined if it may be. */
export function refusalIn(directory: string): Fault | undefined {
  if (isStandby(directory)) return standbyFault(directory);
  const why = fencedReason(directory);
  return why === undefined ? undefined : fencedFault(directory, why);
}

/** What has replaced a directory; undefined if nothing has. */
export function fencedReason(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, fencedFile), 'utf8').trim();
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** @throws UsageError for a directory that is a copy: nothing may migrate it or write to it. */
export function refuseStandby(directory: string): void {
  if (!isStandby(directory)) return;
  throw new UsageError(
    `${directory} is the copy of a standby. Start its server with --follow and the address that it follows, or let it take over: ` +
      `trivet promote --data ${directory}`,
  );
}
