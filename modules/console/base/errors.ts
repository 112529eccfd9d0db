import { coreErrors, defineErrors, type FaultKind } from '../../../core/base/errors.ts';

export const consoleErrors = {
  BACKUP_NOT_HERE: {
    status: 409,
    tip: 'Back up PostgreSQL by pg_dump, and keep the master key as well (docs/production.md).',
  },
  BACKUP_TOO_LARGE: {
    status: 413,
    tip: 'Run trivet backup FILE on the server, or start it with --backup-every 24.',
  },
  BACKUP_RUNNING: { status: 409, tip: 'Wait until the other download is complete, then try again.' },
  BACKUP_FAILED: {
    status: 500,
    tip: 'See the server log; trivet backup FILE on the server says what is wrong.',
  },
} as const satisfies Record<string, FaultKind>;

/** Creates the errors of this module and of the kernel. */
export const fail = defineErrors({ ...coreErrors, ...consoleErrors });
