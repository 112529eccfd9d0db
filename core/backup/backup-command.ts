import { ownCommand } from '../base/own-command.ts';

/**
 * The command of a process that makes a backup of the data directory, so that the copy of a database of 1 GB does not hold up every
 * request for seconds.
 * @param target a file, or `-` for its stdout.
 */
export const backupCommand = (target: string, data: string, recipients: readonly string[]) => ({
  words: [
    ...ownCommand(),
    'backup',
    target,
    '--data',
    data,
    ...recipients.flatMap((recipient) => ['--backup-recipient', recipient]),
  ],
  // Server settings are left out: a command refuses options of other commands.
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TRIVET_'))),
});
