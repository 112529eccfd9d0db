import { resolve } from 'node:path';
import { exit } from '../errors.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Finding } from '../module.ts';
import { clientSettings, coreSettings } from '../settings/settings.ts';
import { openKernel, print, type Invocation } from './invocation.ts';
import { doctorSettings } from './verb-settings.ts';

interface Checked {
  readonly check: string;
  readonly findings: readonly Finding[];
}

/** `trivet doctor`: checks the whole database, also while a server runs on it. Exit code 1 when something is left to repair. */
export async function runDoctor(invocation: Invocation): Promise<number> {
  const { repair } = invocation.config.read(doctorSettings);
  const kernel = await openKernel(invocation, 'check');
  try {
    const checked: Checked[] = [{ check: 'database', findings: await databaseFindings(kernel, invocation) }];
    for (const { name, checks = [] } of kernel.modules) {
      for (const check of checks)
        checked.push({ check: `${name} ${check.name}`, findings: await check.run(kernel.host, { repair }) });
    }
    const left = checked.flatMap(({ findings }) => findings).filter(({ repaired }) => !repaired);
    const { json } = invocation.config.read(clientSettings);
    await print(json ? `${JSON.stringify({ ok: left.length === 0, checks: checked })}\n` : textOf(checked));
    return left.length === 0 ? exit.ok : exit.failed;
  } finally {
    await kernel.stop();
  }
}

const textOf = (checked: readonly Checked[]) =>
  checked
    .flatMap(({ check, findings }) =>
      findings.length === 0
        ? [`ok        ${check}\n`]
        : findings.map(
            ({ finding, message, remedy, repaired }) =>
              `${repaired ? 'repaired' : 'WRONG   '}  ${check} (${finding}): ${message}${repaired ? '' : ` ${remedy}`}\n`,
          ),
    )
    .join('');

/** How many damaged places of the file are named. */
const maxShown = 20;

/** The engine's own checks of its file. PostgreSQL has its own tools (amcheck). */
async function databaseFindings({ host }: Kernel, { config }: Invocation): Promise<readonly Finding[]> {
  if (host.db.engine !== 'sqlite') return [];
  const { data } = config.read(coreSettings);
  const { connect } = await import('../db/sqlite.ts');
  const client = connect(resolve(data), 'full');
  try {
    const integrity = client
      .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${maxShown})`)
      .all()
      .map((row) => row.integrity_check);
    const references = client.query<{ table: string }, []>('PRAGMA foreign_key_check').all();
    return [
      ...integrity
        .filter((line) => line !== 'ok')
        .map((message) => ({ finding: 'damaged', message, remedy: 'Stop the server and restore a backup.' })),
      ...[...Map.groupBy(references, ({ table }) => table)].map(([table, rows]) => ({
        finding: 'missing_reference',
        message: `${rows.length} rows of ${table} refer to rows that are not there.`,
        remedy: 'Restore a backup, or report this with what happened before.',
      })),
    ];
  } finally {
    client.close();
  }
}
