import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';

/** Exists in a data directory while a backup replaces its data. */
export const interruptedRestoreFile = 'restore-interrupted';

/** @throws UsageError when a restore was interrupted: the directory contains neither the old data nor the new. */
export function refuseInterruptedRestore(directory: string): void {
  if (existsSync(join(directory, interruptedRestoreFile)))
    throw new UsageError(
      `A restore into ${directory} was interrupted. Run the same "trivet restore" again, which completes it.`,
    );
}
