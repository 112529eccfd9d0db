import { resolve } from 'node:path';
import { isoTime } from '../base/clock.ts';
import { errorFields } from '../base/log.ts';
import type { Host, LetterKind } from '../host/host.ts';
import { queueLetters } from '../letters/letter-store.ts';
import { coreSettings } from '../settings/settings.ts';
import { readLastBackup } from './last-backup.ts';

/** Tells those who run the server that a scheduled backup failed. */
export const backupFailing: LetterKind = {
  name: 'backup-failing',
  title: 'Scheduled backups that fail',
  for: 'operators',
  write: async (host, _facts, to) => {
    const { operators, data, 'backup-every': every } = host.config.read(coreSettings);
    if (!('address' in to) || !operators.includes(to.address)) return null;
    const last = readLastBackup(resolve(data));
    // It has worked again since.
    if (last && every > 0 && host.clock.now() - last.at < every * 3_600_000) return null;
    return {
      to: to.address,
      subject: 'The scheduled backup of Trivet fails',
      text: [
        `The scheduled backup of ${host.origin()} has failed. ${
          last ? `The last backup was made at ${isoTime(last.at)}.` : 'No backup has been made yet.'
        }`,
        'The log line "backup_failed" says why; often the disk is full. It is tried again, with growing pauses. This letter comes once a day until a backup was made.',
      ],
      link: { name: 'Health of the server', url: `${host.origin()}/console/health` },
      reason: 'You get this letter because your address is in the setting "operators" of this server.',
    };
  },
};

const dayMs = 86_400_000;

/** Queues the letter, once a day to each operator. A disk that is full for the backup may be full for the letter, too. */
export async function tellBackupFailing(host: Host): Promise<void> {
  const { operators } = host.config.read(coreSettings);
  const about = isoTime(Math.floor(host.clock.now() / dayMs) * dayMs).slice(0, 10);
  const letters = operators.map((address) => ({
    kind: backupFailing.name,
    to: { address },
    about,
    facts: {},
  }));
  if (letters.length === 0) return;
  try {
    await host.db.tx((q) => queueLetters(q, host, letters));
  } catch (error) {
    host.log.warn('letter_not_stored', errorFields(error));
  }
}
