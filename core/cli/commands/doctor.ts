import { resolve } from 'node:path';
import { hasDatabase } from '../../db/sqlite/database-place.ts';
import { pendingOf } from '../../db/open/migrate.ts';
import { missingObjects, missingRights } from '../../db/query/schema-objects.ts';
import { exit, UsageError, type Fault } from '../../base/errors.ts';
import { asFault } from '../../base/foreign-errors.ts';
import { migrationsOf, type Kernel } from '../../kernel/kernel.ts';
import type { Finding } from '../../module/module.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { coreTables } from '../invocation/tables.ts';
import { isDamage } from '../../host/storage-damage.ts';
import { directoryChecks } from './directory-check.ts';
import { locationOf, openKernel, print, type Invocation } from '../invocation/invocation.ts';
import { doctorSettings } from '../invocation/command-settings.ts';

interface Checked {
  readonly check: string;
  readonly findings: readonly Finding[];
}

/**
 * `trivet doctor`: checks the data directory and the whole database, also while a server runs on it. A database that cannot be opened is a
 * finding as well. The exit code is 1 when something is left to repair. Warnings do not count.
 */
export async function runDoctor(invocation: Invocation): Promise<number> {
  const { json } = invocation.config.read(clientSettings);
  const checked = await allChecks(invocation);
  const left = checked.flatMap(({ findings }) => findings).filter((one) => !one.repaired && !one.warning);
  await print(json ? `${JSON.stringify({ ok: left.length === 0, checks: checked })}\n` : textOf(checked));
  return left.length === 0 ? exit.ok : exit.failed;
}

async function allChecks(invocation: Invocation): Promise<readonly Checked[]> {
  const location = locationOf(invocation.config);
  const outside: Checked[] = [];
  try {
    const missing = await pendingOf(location, migrationsOf(invocation.modules));
    if (location.engine === 'sqlite') outside.push(...directoryChecks(invocation, location.directory));
    outside.push({ check: 'schema', findings: missing.length > 0 ? [older(missing)] : [] });
    if (missing.length > 0) return outside;
    return [...outside, ...(await checksInside(invocation))];
  } catch (error) {
    const fault = error instanceof UsageError ? undefined : asFault(error);
    if (fault?.code === 'INTERNAL') throw error;
    if (location.engine === 'sqlite' && outside.length === 0 && hasDatabase(location.directory))
      outside.push(...directoryChecks(invocation, location.directory));
    if (fault) return [...outside, { check: 'database', findings: [findingOf(fault)] }];
    // A directory that others can read is a finding. A wrong directory, or a database of a newer version, cannot be checked.
    if (outside.some(({ check, findings }) => check === 'permissions' && findings.length > 0)) return outside;
    throw error;
  }
}

const older = (missing: ReadonlyArray<{ readonly tag: string }>): Finding => ({
  finding: 'schema_older',
  message: `The database lacks ${missing.map(({ tag }) => `"${tag}"`).join(', ')}; what needs them is not checked.`,
  remedy: 'Run trivet migrate, or start the server.',
});

function findingOf(fault: Fault): Finding {
  const { code, causeWord = code.toLowerCase(), message, tip } = fault;
  if (!isDamage(fault)) return { finding: causeWord, message, remedy: tip };
  return {
    finding: causeWord,
    message: 'The database file is damaged.',
    remedy: restoreIt,
  };
}

async function checksInside(invocation: Invocation): Promise<readonly Checked[]> {
  const { repair } = invocation.config.read(doctorSettings);
  const kernel = await openKernel(invocation, 'check');
  try {
    const checked: Checked[] = [{ check: 'database', findings: await databaseFindings(kernel, invocation) }];
    for (const { name, checks = [] } of kernel.modules) {
      for (const check of checks)
        checked.push({ check: `${name} ${check.name}`, findings: await check.run(kernel.host, { repair }) });
    }
    return checked;
  } finally {
    await kernel.stop();
  }
}

const textOf = (checked: readonly Checked[]) =>
  checked
    .flatMap(({ check, findings }) =>
      findings.length === 0 ? [`ok        ${check}\n`] : findings.map((finding) => lineOf(check, finding)),
    )
    .join('');

function lineOf(check: string, { finding, message, remedy, repaired, warning }: Finding): string {
  const mark = repaired ? 'repaired' : warning ? 'warning ' : 'WRONG   ';
  return `${mark}  ${check} (${finding}): ${message}${repaired ? '' : ` ${remedy}`}\n`;
}
/** The maximum number of damaged places to list. */
const maxShown = 20;

const restoreIt = 'Stop the server and restore a backup.';

/** Missing schema objects, and the engine's own file checks. PostgreSQL has separate tools for the latter (amcheck). */
async function databaseFindings(
  kernel: Kernel,
  { config, modules }: Invocation,
): Promise<readonly Finding[]> {
  const { host } = kernel;
  const tables = [coreTables, ...kernel.modules.map((module) => module.tables ?? {})].flatMap((one) =>
    Object.values<object>(one),
  );
  const lost = await missingObjects(host.db, tables);
  const missing = lost.map(({ kind, name }) => ({
    finding: `missing_${kind}`,
    message: `The ${kind} ${name} is not there: something else has dropped it.`,
    remedy: restoreIt,
  }));
  const lacked = (await missingRights(host.db, tables)).map(({ kind, name, rights, user, schema }) => ({
    finding: 'missing_right',
    message: `The user ${user} of PostgreSQL lacks the right to ${rights} on the ${kind} ${name}.`,
    remedy: `As the owner of the tables, run GRANT ALL ON ALL ${kind.toUpperCase()}S IN SCHEMA ${schema} TO ${user}.`,
  }));
  if (host.db.engine !== 'sqlite') return [...missing, ...lacked];
  const { data } = config.read(coreSettings);
  const { connect } = await import('../../db/sqlite/sqlite-connection.ts');
  const { foreignObjects } = await import('../../db/open/foreign-objects.ts');
  const { damagedPlaces, lostReferences } = await import('../../db/sqlite/database-examination.ts');
  const client = connect(resolve(data), 'full');
  try {
    return [
      ...missing,
      ...foreignObjects(client, migrationsOf(modules)).map((name) => ({
        finding: 'foreign_object',
        message: `The database has a ${name} that no migration of Trivet made: it acts with the rights of the server.`,
        remedy: 'Find out who made it, and drop it.',
      })),
      ...damagedPlaces(client, maxShown).map((message) => ({
        finding: 'damaged',
        message,
        remedy: restoreIt,
      })),
      ...[...Map.groupBy(lostReferences(client), ({ table }) => table)].map(([table, rows]) => ({
        finding: 'missing_reference',
        message: `${rows.length} rows of ${table} refer to rows that are not there.`,
        remedy: 'Restore a backup, or report this with what happened before.',
      })),
    ];
  } finally {
    client.close();
  }
}
