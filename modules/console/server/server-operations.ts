import { resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { readLastBackup } from '../../../core/backup/last-backup.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { dataSize } from '../../../core/db/open/data-size.ts';
import { checkResults } from '../../../core/http/server/readiness.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { describeSettings } from '../../../core/settings/printed-setting.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import { operationIn } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { requireAdministersAll } from '../../auth/index.ts';
import { originKind, originKinds } from './setting-origin.ts';

const operation = operationIn('server');

export const getServerSettings = operation({
  name: 'get-server-settings',
  title: 'Read the settings of the server',
  description:
    'Returns every setting as "trivet config print" shows it on the server: value, where it was given, what it does. Secrets are ' +
    'masked. To change one, change the file, the variable or the flag and restart the server; a change of the file where reload is ' +
    'true takes effect with "trivet reload". Only for administrators of the first organization.',
  input: closedObject({ ...paging }),
  output: page(
    'settings',
    closedObject({
      name: Type.String(),
      value: Type.Unknown({ description: 'null: it is not set.' }),
      origin: words(originKinds, { description: 'Where its value was given.' }),
      source: Type.String({ description: 'e.g. --port, TRIVET_PORT, trivet.toml: port, default, not set.' }),
      fixed: Type.Boolean({
        description: 'A flag or a variable gives it, so the configuration file does not change it.',
      }),
      reload: Type.Boolean({
        description: 'A running server takes a new value from the configuration file with "trivet reload".',
      }),
      description: Type.String(),
    }),
  ),
  access: member('admin'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, host }) => {
    await requireAdministersAll(q, actor, 'see the settings of the server');
    const paged = pageOf(input);
    const all = describeSettings(host.config, host.settings);
    const settings = all.slice(paged.offset, paged.offset + paged.limit).map((setting) => {
      const origin = originKind(setting);
      const fixed = origin === 'flag' || origin === 'environment';
      const { description = '', reload = false } = host.settings[setting.name] ?? {};
      return { ...setting, origin, fixed, reload: reload && !fixed, description };
    });
    return { total: all.length, ...paged, settings };
  },
});

/** The maximum number of tables to list. */
const mostTables = 12;

export const getServerHealth = operation({
  name: 'get-server-health',
  title: 'Read the health of the server',
  description:
    'Returns version, uptime, database engine, the result of each check of GET /readyz, the size of the data with its largest ' +
    'tables, and the last backup of the data directory. "trivet doctor" on the server checks more. Only for administrators of ' +
    'the first organization.',
  input: closedObject({}),
  output: closedObject({
    version: Type.String(),
    startedAt: Type.String({ description: 'Of the process that answers.' }),
    uptimeSeconds: Type.Integer(),
    engine: words(['sqlite', 'postgres'], { description: 'Where the data is.' }),
    ready: Type.Boolean(),
    checks: Type.Array(
      closedObject({
        name: Type.String(),
        ok: Type.Boolean(),
        code: nullable(Type.String()),
        cause: nullable(Type.String()),
        message: nullable(Type.String()),
        remedy: nullable(Type.String()),
      }),
      { description: 'None unless a server answers.' },
    ),
    data: closedObject({
      bytes: Type.Integer(),
      tables: Type.Array(
        closedObject({
          table: Type.String(),
          rows: Type.Integer(),
          atLeast: Type.Boolean({ description: 'It was counted no further.' }),
        }),
      ),
    }),
    lastBackup: nullable(
      closedObject({ at: Type.String(), bytes: Type.Integer() }, { description: 'null: none is known.' }),
    ),
  }),
  access: member('admin'),
  effect: 'read',
  handler: async (_input, { actor, db, host, config }) => {
    await requireAdministersAll(db.q, actor, 'see the health of the server');
    const directory = resolve(config.read(coreSettings).data);
    const checks = (await checkResults(host)).map(({ name, fault }) => ({
      name,
      ok: fault === null,
      code: fault?.code ?? null,
      cause: fault?.causeWord ?? null,
      message: fault?.message ?? null,
      remedy: fault?.tip ?? null,
    }));
    const { bytes, tables } = await dataSize(db, directory, mostTables);
    const last = readLastBackup(directory);
    return {
      version: host.version,
      startedAt: isoTime(Math.round(performance.timeOrigin)),
      uptimeSeconds: Math.floor(performance.now() / 1_000),
      engine: db.engine,
      ready: checks.every(({ ok }) => ok),
      checks,
      data: { bytes, tables: [...tables] },
      lastBackup: last ? { at: isoTime(last.at), bytes: last.bytes } : null,
    };
  },
});
