import type { Clock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import { expansions, ledgerName, newerThan, findPending, transferTag } from '../ledger/ledger.ts';
import type { Migration } from '../ledger/migration.ts';
import type { TransferSource } from './place.ts';
import { undeclaredTables, type TableDescription } from './table-description.ts';

/**
 * @param migrations those of this executable for the engine of the source.
 * @throws UsageError when the source has no Trivet data, a schema that differs from this executable's, or tables of modules that are not
 * loaded.
 */
export async function requireSource(
  source: TransferSource,
  migrations: readonly Migration[],
  tables: readonly TableDescription[],
): Promise<void> {
  const applied = await source.applied();
  if (applied.length === 0)
    throw new UsageError(`--from: there is no Trivet database in ${source.name}. Name the right place.`);
  const known = new Set(migrations.map(ledgerName));
  const plugin = applied
    .filter(({ tag }) => tag.includes('/') && !tag.startsWith(`${expansions}/`) && !known.has(tag))
    .map(({ tag }) => tag.split('/')[0])[0];
  if (plugin !== undefined)
    throw new UsageError(
      `--from: the database has tables of the plugin "${plugin}". Load it with --plugin FILE.`,
    );
  const [first] = findPending(applied, migrations);
  if (first !== undefined) {
    throw new UsageError(
      `--from: the database in ${source.name} is older than this Trivet (it lacks "${first.tag}"), and a transfer does not ` +
        'change its source. Run trivet migrate on it first.',
    );
  }
  const [newer] = newerThan(applied, migrations);
  if (newer !== undefined)
    throw new UsageError(
      `--from: the database was written by a newer Trivet (it has "${newer}"), whose tables this one does not know. Transfer it ` +
        'with that version.',
    );
  const undeclared = undeclaredTables(await source.tables(), migrations, tables);
  if (undeclared.length > 0)
    throw new UsageError(
      `--from: no loaded module declares ${undeclared.join(', ')}. Load all modules: leave out --modules.`,
    );
}

/** How long the sessions of a server that has just ended may take to go. */
const endedMs = 3_000;
const lookMs = 100;

/**
 * What a server writes after the comparison would be missing in the target, and nothing would say so.
 * @throws UsageError while another Trivet is connected to the source.
 */
export async function requireAlone(source: TransferSource, clock: Clock): Promise<void> {
  const tries = endedMs / lookMs;
  for (let left = tries; ; left--) {
    const sessions = await source.sessions();
    if (sessions === 0) return;
    if (left === 0)
      throw new UsageError(
        `--from: a server or command of Trivet has ${sessions === 1 ? 'a session' : `${sessions} sessions`} on ${source.name}, and what it ` +
          'writes from now on would be lost. Stop it, then try again. To try a transfer before that, use a restored copy as --from.',
      );
    await clock.wait(lookMs);
  }
}

/**
 * @param target the present target, null when it does not exist.
 * @returns whether it contains rows of an interrupted transfer from this source, which then continues.
 * @throws UsageError when it is the source itself or has data.
 */
export async function requireTarget(
  target: TransferSource | null,
  source: TransferSource,
  tables: readonly TableDescription[],
): Promise<boolean> {
  if (target === null) return false;
  if (target.name === source.name)
    throw new UsageError(`--from and --to name the same place: ${source.name}.`);
  const [interrupted] = await target.progress();
  if (interrupted !== undefined) {
    if (interrupted.source === source.name) return true;
    throw new UsageError(
      `--to: ${target.name} has a part of the data of ${interrupted.source}, from which a transfer was interrupted. Go on with ` +
        'that transfer, or name an empty place.',
    );
  }
  const existing = await target.tables();
  // Before the first row the progress table exists but is empty.
  const begun = (await target.applied()).some(({ tag }) => tag === transferTag);
  for (const table of begun ? [] : tables) {
    if (!existing.includes(table.name) || (await target.page(table, null)).length === 0) continue;
    throw new UsageError(
      `--to: ${target.name} has data already (in ${table.name}), and a transfer does not mix two databases. Name an empty one; ` +
        '"trivet serve" must not have run on it. If a transfer to it was killed in its last moment, it is complete.',
    );
  }
  return false;
}
