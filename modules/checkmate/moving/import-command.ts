import { resolve } from 'node:path';
import { exit, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer, ShowProgress } from '../../../core/module/command.ts';
import { importCheckmateSettings } from '../base/settings.ts';
import { stageDump } from './dump-source.ts';
import { importStaged } from './staged-import.ts';
import { stageMysql } from './mysql-source.ts';
import { openStage } from './stage.ts';
import { textOfReport } from './import-report.ts';

/**
 * `trivet import checkmate`: reads the whole source into a temporary file, then imports one project after the other, each in one
 * transaction. A source that cannot be read leaves everything as it was.
 * @throws UsageError, Fault.
 */
export async function importCheckmate(host: Host, show: ShowProgress): Promise<CommandAnswer> {
  const given = host.config.read(importCheckmateSettings);
  const { mysql, dump } = given;
  if ((mysql === undefined) === (dump === undefined))
    throw new UsageError(
      'Name one source: trivet import checkmate --mysql URL, or --dump FILE of mysqldump.',
      exit.usage,
    );
  const stage = openStage();
  try {
    const { isUtc } =
      mysql === undefined
        ? await stageDump(resolve(dump ?? ''), stage, show)
        : await stageMysql(mysql.replace(/^mariadb:/, 'mysql:'), stage, show);
    const report = await importStaged(host, stage, {
      source: given.source,
      orgId: given.org,
      isDryRun: given['dry-run'],
      isUtc,
      show,
    });
    return {
      data: report,
      text: textOfReport(report),
      ...(report.projects.some(({ error }) => error !== undefined) && { failed: true }),
    };
  } finally {
    stage.remove();
  }
}
