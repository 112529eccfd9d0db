import { refuseRecipients } from '../../base/age-cipher.ts';
import { UsageError } from '../../base/errors.ts';
import { smtpOf } from '../../letters/smtp-settings.ts';
import type { Config } from '../../settings/config.ts';
import { coreSettings } from '../../settings/settings.ts';

/** Refuses settings with which no server can work, at a start and at a reload. @throws UsageError with the remedy. */
export function refuseUnservable(config: Config): void {
  const settings = config.read(coreSettings);
  if (settings['backup-every'] > 0 && settings.database !== undefined)
    throw new UsageError(
      '--backup-every backs up a data directory with SQLite, and this server has its data in PostgreSQL. Leave it out and run ' +
        'pg_dump by a timer (docs/production.md, Backup); trivet backup prints the command.',
    );
  // Other commands need no mail server, and may lack the settings that only a server is given.
  smtpOf(config);
  refuseRecipients('backup-recipient', settings['backup-recipient']);
}
