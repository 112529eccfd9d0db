import { resolve } from 'node:path';
import { requireAdminGrant, type Actor } from '../../../core/base/actor.ts';
import { backupCommand } from '../../../core/backup/backup-command.ts';
import { backupName } from '../../../core/backup/backup-schedule.ts';
import { databaseBytes } from '../../../core/db/sqlite/database-place.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { fileResponse } from '../../../core/http/answer/file-response.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import { fileAnswer } from '../../../core/tools/file-answer.ts';
import { requireAdministersAll } from '../../auth/index.ts';
import { fail } from '../base/errors.ts';

/**
 * A larger database is not downloaded: it is copied before the first byte is sent, and a server closes a connection without a byte
 * for 60 seconds.
 */
const maxBytes = 4 * 1024 ** 3;

const downloads = perHost(() => ({ running: false }));

/**
 * A download of a backup of the database, made by a process of its own, one at a time. It contains the master key only if it is encrypted
 * (`--backup-recipient`): a stolen session must not reveal the key that signs for everybody.
 * @throws Fault FORBIDDEN, BACKUP_NOT_HERE, BACKUP_TOO_LARGE, BACKUP_RUNNING, BACKUP_FAILED.
 */
export async function backupDownload(host: Host, actor: Actor): Promise<Response> {
  await requireAdministersAll(host.db.q, actor, 'download a backup');
  requireAdminGrant(actor, 'download a backup');
  const { data, 'backup-recipient': recipients } = host.config.read(coreSettings);
  const directory = resolve(data);
  if (host.db.engine !== 'sqlite')
    throw fail.BACKUP_NOT_HERE('The data is in PostgreSQL, which Trivet does not back up.');
  if (databaseBytes(directory, '') > maxBytes)
    throw fail.BACKUP_TOO_LARGE('The database has more than 4 GiB.');
  const state = downloads(host);
  if (state.running) throw fail.BACKUP_RUNNING('Another backup is being downloaded.');
  state.running = true;
  const chunks = made(host, directory, recipients, () => (state.running = false));
  // Before the first chunk, a failure can still be reported as an error response.
  const first = await chunks.next().catch((error: unknown) => {
    state.running = false;
    throw error;
  });
  try {
    await recordDownload(host, actor);
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
  const mediaType = recipients.length > 0 ? 'application/octet-stream' : 'application/gzip';
  return fileResponse(
    fileAnswer(backupName(host.clock.now(), recipients), mediaType, async function* () {
      try {
        if (!first.done) yield first.value;
        yield* chunks;
      } finally {
        // If the client leaves at the first chunk, the process would be left waiting on a full pipe.
        await chunks.return(undefined);
      }
    }),
  );
}

/** The bytes of a backup. If the reader leaves, the process sees its pipe closed and removes its copy. */
async function* made(
  host: Host,
  directory: string,
  recipients: readonly string[],
  ended: () => void,
): AsyncGenerator<Uint8Array, undefined> {
  const { words, env } = backupCommand('-', directory, recipients);
  const only = recipients.length > 0 ? [] : ['--database-only'];
  const child = Bun.spawn([...words, ...only], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  void child.exited.finally(ended);
  const said = new Response(child.stderr).text();
  yield* child.stdout;
  if ((await child.exited) === 0) return;
  host.log.error('backup_failed', { file: '-', reason: (await said).trim().slice(0, 500) });
  throw fail.BACKUP_FAILED('The backup could not be made.');
}

/** The audit entry: who has a backup has everything but the key. */
const recordDownload = ({ db, clock, recordWrite }: Host, { userId, credential }: Actor): Promise<void> =>
  db.tx((q) =>
    recordWrite(q, {
      at: clock.now(),
      actorId: userId,
      operation: 'download-backup',
      ids: {},
      surface: 'http',
      credential,
    }),
  );
