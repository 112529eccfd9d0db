import { Fault, UsageError } from '../../base/errors.ts';
import { isRetryable, storageFault } from '../../base/foreign-errors.ts';
import type { Migration } from './migration.ts';

/**
 * What a migration threw. That of a plugin is named with its plugin: whoever wrote it is not who reads the message. The migrations of
 * a start are one transaction, so a failure undoes all of them.
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
