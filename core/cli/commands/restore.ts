import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { counted } from '../../base/counted-noun.ts';
import {
  checkBackup,
  completeFrom,
  restoreBackup,
  type RestoreSource,
} from '../../backup/backup-restoring.ts';
import { stages } from '../../backup/stage-directory.ts';
import { refuseUnreadableFile } from '../../db/sqlite/data-directory.ts';
import { hasDatabase } from '../../db/sqlite/database-place.ts';
import { leaveIdGap } from '../../db/query/reserved-ids.ts';
import { refuseForeignObjects } from '../../db/open/foreign-objects.ts';
import { exit, UsageError } from '../../base/errors.ts';
import type { Host } from '../../host/host.ts';
import { hostThatReads, migrationsOf, startKernel, type Kernel } from '../../kernel/kernel.ts';
import { keptIdsOf, type RestoreChoice, type RestoreNote } from '../../module/module.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { inputStream } from '../../base/standard-streams.ts';
import { openKernel, print, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';
import { escapeControls } from '../invocation/terminal-text.ts';
import { namesReplica } from '../../replicate/target-opening.ts';
import { replicaSource } from './replica-source.ts';
import { isOlder, placeAt, requireOwnKey } from './found-database.ts';
import { noteText } from './restore-words.ts';
import { restoreSettings } from '../invocation/command-settings.ts';

/**
 * `trivet restore FILE|DIR|-`: checks a backup completely and puts it in the place of the data, which is kept aside. With `--check` it only
 * checks. Without a file it records that the database was restored by other means, e.g. pg_restore.
 */
export async function runRestore(invocation: Invocation): Promise<number> {
  const { config, modules } = invocation;
  const [given, ...more] = config.words;
  const settings = config.read(coreSettings);
  const { force, check, at, 'age-identity': identity, ...choice } = config.read(restoreSettings);
  const chosen: RestoreChoice = {
    endSessions: choice['end-sessions'],
    revokeTokens: choice['revoke-tokens'],
  };
  const isOfDatabase = settings.database !== undefined;
  if (given === undefined && (isOfDatabase || chosen.endSessions || chosen.revokeTokens))
    return noteOnly(invocation, chosen);
  if (given === undefined || more.length > 0)
    throw new UsageError('Name one backup: trivet restore FILE|DIR|- --data DIR.', exit.usage);
  if (isOfDatabase)
    throw new UsageError(
      'A dump of PostgreSQL is restored by pg_restore, into an empty database: pg_restore --single-transaction --exit-on-error ' +
        '--no-owner --dbname=URL trivet.dump. Then note it, which says what came back: trivet restore --database URL. Then check it: ' +
        'trivet doctor --database URL.',
    );
  const data = resolve(settings.data);
  const files = modules.flatMap((module) => module.files ?? []);
  const replica = namesReplica(given)
    ? await replicaSource(given, { at, identity, files, s3: settings['replicate-keys'] })
    : undefined;
  if (at !== undefined && !replica)
    throw new UsageError('--at is for a replica (file:///… or s3://…): a backup has one moment.', exit.usage);
  const source = replica?.source ?? sourceOf(given, identity);
  const progress = progressLine();
  const hooks = {
    files,
    keptIds: keptIdsOf(modules),
    accept: (directory: string) => refuseUnusable(invocation, directory, chosen),
    progress: (done: number, total: number) => progress.show(done, total, `of ${total} bytes read`),
  };
  const { manifest, tables, aside } = await (
    check ? checkedOnly(source, data, hooks) : restoreBackup(source, { data, force, now: Date.now() }, hooks)
  ).finally(progress.end);
  if (!check) replica?.keep(data);
  const note = check ? undefined : await noteIn(invocation, { data, aside, chosen });

  const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
  const { json } = config.read(clientSettings);
  const made = manifest ? { trivet: manifest.trivet, createdAt: manifest.createdAt } : {};
  if (json) {
    const place = check ? {} : { directory: data, ...(aside === undefined ? {} : { aside }) };
    const restored = note ? { restored: note } : {};
    const moment = replica?.restored();
    return print(
      `${JSON.stringify({ checked: true, ...place, ...made, ...moment, tables, rows, ...restored })}\n`,
    );
  }
  const of =
    replica?.text() ?? (manifest ? `, made at ${manifest.createdAt} by Trivet ${manifest.trivet}` : '');
  const what = `${counted(rows, 'row')} of ${counted(Object.keys(tables).length, 'table')}${of}`;
  if (check) return print(`${source.where} is whole: ${what}.\n`);
  const kept = aside === undefined ? '' : ` What was there is in ${aside}.`;
  return print(escapeControls(`${data} has ${what}.${kept}\n${note ? noteText(note, chosen) : olderText}`));
}

const olderText =
  'It is of an earlier version. To go back to that version, start that one; to go on with this one, start it or run trivet migrate: either ' +
  'migrates it. Tokens that were revoked, and members who were removed, since the backup are valid again: trivet restore --data DIR ' +
  '--end-sessions --revoke-tokens ends them then.\n';

/** Records a restore that was done by other means. */
async function noteOnly(invocation: Invocation, chosen: RestoreChoice): Promise<number> {
  const kernel = await openKernel(invocation, 'check');
  try {
    const note = await noteOf(invocation, kernel, chosen, undefined);
    if (!note) throw new UsageError('No loaded module has sessions or tokens.');
    if (invocation.config.read(clientSettings).json)
      return await print(`${JSON.stringify({ restored: note })}\n`);
    return await print(escapeControls(noteText(note, chosen)));
  } finally {
    await kernel.stop();
  }
}

/** @returns undefined: no loaded module has sessions or tokens. */
async function noteOf(
  { modules }: Invocation,
  { host }: Kernel,
  chosen: RestoreChoice,
  before: Host | undefined,
): Promise<RestoreNote | undefined> {
  await host.db.tx((q) => leaveIdGap(q, keptIdsOf(modules), before?.db.q));
  const [note] = await Promise.all(
    modules.flatMap(({ restored }) => (restored ? [restored(host, chosen, before)] : [])),
  );
  const links = before && (await modules.find(({ linksBack }) => linksBack)?.linksBack?.(host, before));
  return note && links ? { ...note, shareLinksBack: links.first, shareLinksBackCount: links.count } : note;
}

function sourceOf(given: string, identity: string | undefined): RestoreSource {
  if (given === '-') return { where: 'The archive on stdin', archive: inputStream(), identity };
  const where = resolve(given);
  refuseUnreadableFile(dirname(where), where, 'backup');
  const found = statSync(where, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no backup ${where}.`);
  if (found.isDirectory()) return { where, directory: where, identity };
  return isDatabase(where)
    ? { where, database: where, identity }
    : { where, archive: Bun.file(where).stream(), identity };
}

/** Whether a file is a database of SQLite (sqlite.org/fileformat.html §1.3), e.g. the copy that an upgrade leaves. */
function isDatabase(path: string): boolean {
  const magic = Buffer.from('SQLite format 3\0');
  const file = openSync(path, 'r');
  try {
    const first = Buffer.alloc(magic.length);
    return readSync(file, first) === magic.length && first.equals(magic);
  } finally {
    closeSync(file);
  }
}

/** @param data where the backup would go: what the backup lacks is taken from there, as a restore does. */
const checkedOnly = (source: RestoreSource, data: string, hooks: Parameters<typeof checkBackup>[2]) => {
  stages.check.sweep(tmpdir(), Date.now());
  const accept = async (directory: string) => {
    completeFrom(data, directory, hooks.files);
    await hooks.accept(directory);
  };
  return stages.check.inside(tmpdir(), async (stage) => ({
    ...(await checkBackup(source, stage, { ...hooks, accept })),
    aside: undefined,
  }));
};

interface Noting {
  readonly data: string;
  /** The previous data, for comparison. */
  readonly aside: string | undefined;
  readonly chosen: RestoreChoice;
}

/** Records the restore in the restored database. @returns undefined for one of an earlier version. */
async function noteIn(
  invocation: Invocation,
  { data, aside, chosen }: Noting,
): Promise<RestoreNote | undefined> {
  if (await isOlder(invocation, data)) return undefined;
  const kernel = await startKernel({ ...placeAt(invocation, data), used: [], mode: 'check' });
  const before = await hostBefore(invocation, aside);
  try {
    return await noteOf(invocation, kernel, chosen, before);
  } finally {
    await before?.db.close();
    await kernel.stop();
  }
}

/**
 * Refuses a database that this executable could not open: it is of a newer version, or its master key is missing or different. The key of
 * an older database is checked after a server has migrated it.
 */
async function refuseUnusable(
  invocation: Invocation,
  directory: string,
  { endSessions, revokeTokens }: RestoreChoice,
): Promise<void> {
  const { modules } = invocation;
  refuseForeignObjects(directory, migrationsOf(modules));
  if (await isOlder(invocation, directory)) {
    if (endSessions || revokeTokens)
      throw new UsageError(
        'The backup is of an earlier version. Restore it without --end-sessions and --revoke-tokens, run trivet migrate, then: trivet ' +
          'restore --data DIR with them. Nothing was changed.',
      );
    return;
  }
  await requireOwnKey(invocation, directory);
}

/** The replaced data, for comparison; undefined if there is none or it cannot be read. */
async function hostBefore(invocation: Invocation, directory: string | undefined): Promise<Host | undefined> {
  if (directory === undefined || !hasDatabase(directory)) return undefined;
  try {
    return (await isOlder(invocation, directory))
      ? undefined
      : await hostThatReads(placeAt(invocation, directory));
  } catch {
    return undefined;
  }
}
