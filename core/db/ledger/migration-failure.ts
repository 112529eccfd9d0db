import { Fault, UsageError } from '../../base/errors.ts';
import { isRetryable, storageFault } from '../../base/foreign-errors.ts';
import type { Migration } from './migration.ts';

/**
 * The error of a migration. For a plugin it names the plugin, because the reader of the message is usually not its author. The migrations
 * of a start are one transaction, so a failure undoes all of them.
 */
export function migrationFailure({ tag }: Migration, thrown: unknown): unknown {
  const [plugin, own] = tag.split('/');
  if (own === undefined || isRetryable(thrown) || storageFault(thrown) instanceof Fault) return thrown;
  const why = thrown instanceof Error ? thrown.message : 'it threw';
  return new UsageError(
    `The migration "${own}" of the plugin "${plugin}" failed: ${why}. Nothing was changed; start without the plugin, or ` +
      'with a repaired one.',
  );
}
