import { isCalendarDay } from '../../base/calendar-day.ts';
import type { RestoreSource } from '../../backup/backup-restoring.ts';
import { exit, UsageError } from '../../base/errors.ts';
import { noDigest } from '../../replicate/replica-object.ts';
import { keepChain } from '../../replicate/replication-files.ts';
import { openTarget } from '../../replicate/target-opening.ts';
import { readReplica } from '../../replicate/replica-reading.ts';
import { restoreReplica, timeText, type RestoredReplica } from '../../replicate/replica-restoring.ts';

interface Asked {
  readonly at: string | undefined;
  readonly identity: string | undefined;
  readonly s3: string | undefined;
  /** Names of files that may stand next to the database. */
  readonly files: readonly string[];
}

/** More than a pause between two objects: somebody who asked for a moment should know. */
const shownInexactMs = 2_000;

/** A replica as the source of a restore. @throws UsageError for an address or a time that is none, or a target that cannot be read. */
export async function replicaSource(url: string, { at, identity, s3, files }: Asked) {
  const moment = at === undefined ? undefined : readMoment(at);
  const replica = await readReplica(await openTarget(url, s3));
  let found: RestoredReplica | undefined;
  const source: RestoreSource = {
    where: replica.target.name,
    identity,
    fill: async (stage, requireRoom, progress) => {
      found = await restoreReplica(replica, { at: moment, identity, stage, files, requireRoom, progress });
    },
  };
  return {
    source,
    /** Notes in the data directory what it was restored from: a server on it may go on with a new generation. */
    keep: (data: string): void => {
      const generation = replica.generations.at(-1)?.id ?? '';
      const { name } = replica.target;
      keepChain(data, {
        target: name,
        generation,
        own: false,
        sequence: 0,
        digest: noDigest,
        at: 0,
        snapshotAt: 0,
      });
    },
    restored: () =>
      found && {
        generation: found.generation,
        lastChangeAt: timeText(found.lastChangeAt),
        inexactMs: found.inexactMs,
      },
    text: (): string => {
      if (!found) return '';
      const inexact =
        found.inexactMs > shownInexactMs
          ? `; what was written in the ${Math.round(found.inexactMs / 1_000)} s before the moment may be missing`
          : '';
      return `, with the changes until ${timeText(found.lastChangeAt)}${inexact}`;
    },
  };
}

/** @throws UsageError unless it is a time with a zone (RFC 3339). */
function readMoment(text: string): number {
  const isMoment =
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(text) &&
    isCalendarDay(text.slice(0, 10));
  const time = isMoment ? Date.parse(text.replace(' ', 'T')) : NaN;
  if (Number.isNaN(time))
    throw new UsageError(
      `--at: ${text} is no time with a zone. Write e.g. 2026-11-23T14:31:00Z.`,
      exit.usage,
    );
  return time;
}
