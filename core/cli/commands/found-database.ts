import { pendingOf } from '../../db/open/migrate.ts';
import { hostThatReads, migrationsOf } from '../../kernel/kernel.ts';
import { originOf, type Invocation } from '../invocation/invocation.ts';

/*
 * A SQLite database that is about to become the data of a server: a restored one, or the copy of a standby.
 */

/** Whether it is of an earlier version, so that a server has to migrate it before it can be read. */
export const isOlder = async ({ modules }: Invocation, directory: string): Promise<boolean> =>
  (await pendingOf({ engine: 'sqlite', directory, durability: 'full' }, migrationsOf(modules))).length > 0;

/** What opens it. */
export const placeAt = ({ config, modules, log }: Invocation, directory: string) => {
  const there = config.with({ data: directory });
  return {
    modules,
    config: there,
    location: { engine: 'sqlite', directory, durability: 'full' } as const,
    log,
    origin: originOf(there),
  };
};

/** @throws UsageError when the master key of this command or of the directory is missing or that of another database. */
export async function requireOwnKey(invocation: Invocation, directory: string): Promise<void> {
  const host = await hostThatReads(placeAt(invocation, directory));
  try {
    for (const { restorable } of invocation.modules) await restorable?.(host);
  } finally {
    await host.db.close();
  }
}
