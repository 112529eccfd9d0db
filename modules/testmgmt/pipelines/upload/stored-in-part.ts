import { Fault } from '../../../../core/base/errors.ts';

interface Place {
  readonly runId: number;
  /** Of {@link count} cases. */
  readonly stored: number;
  readonly count: number;
}

/** How the message begins. Of one transaction these say that nothing was written; the earlier ones of an upload stay. */
const beginnings: Readonly<Record<string, string>> = {
  STORAGE_FAILED: 'The storage failed',
  DATABASE_BUSY: 'The database was busy',
};

/** What an upload says when the storage fails between two of its transactions; any other error unchanged. */
export function storedInPart(error: unknown, { runId, stored, count }: Place): unknown {
  const beginning = error instanceof Fault ? beginnings[error.code] : undefined;
  if (!(error instanceof Fault) || beginning === undefined) return error;
  const why = error.causeWord === undefined ? '' : ` (${error.causeWord})`;
  return error.retold(
    `${beginning}${why}: ${stored} of the ${count} cases are stored in run ${runId}, the others are not.`,
    `${error.tip} Then upload the same files with the same runKey: this completes the run.`,
  );
}
