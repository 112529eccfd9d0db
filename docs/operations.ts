import { coreErrors, exitCodeOf, Fault } from '../core/base/errors.ts';
import { loadModule } from '../core/kernel/module-loading.ts';
import { coreMetrics } from '../core/metrics/core-metrics.ts';
import type { MetricTable } from '../core/metrics/metric.ts';
import type { Module } from '../core/module/module.ts';
import { clientSettings, coreSettings, type Setting, type SettingTable } from '../core/settings/settings.ts';
import { defaultText, settingTime } from '../core/settings/time-setting.ts';
import type { Operation } from '../core/tools/operation.ts';
import { builtIn } from '../modules/built-in.ts';

/**
 * Writes docs/operations.md: every setting, operation and error code as the code declares them. Run by
 * `npm run generate`; with `--check` it writes nothing and fails when the file is not up to date.
 */
const modules = await Promise.all(Object.values(builtIn).map(async (module) => loadModule(await module())));
const file = `${import.meta.dir}/operations.md`;

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (...cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
const heading = (...cells: readonly string[]) => [row(...cells), row(...cells.map(() => '---'))];

function settingRows(table: SettingTable): string[] {
  return Object.entries(table).map(([name, setting]) =>
    row(
      `\`--${name}${setting.secret ? '-file' : ''}\``,
      typeOf(setting),
      defaultOf(setting),
      `${setting.description}${setting.reload ? ' (reload)' : ''}`,
    ),
  );
}

function typeOf(setting: Setting): string {
  if (setting.type === 'integer') {
    const shown = setting.unit ? settingTime : String;
    return `${shown(setting.minimum)} to ${shown(setting.maximum)}`;
  }
  if (setting.type === 'string' && setting.choices) return setting.choices.join(', ');
  if (setting.type === 'table') return 'table (file), JSON (environment)';
  return setting.secret ? 'file' : setting.type;
}

function defaultOf(setting: Setting): string {
  const text = defaultText(setting);
  return text === '' ? '' : `\`${text}\``;
}

function parameterText({ input }: Operation): string {
  const required = new Set(input.required);
  return Object.entries(input.properties)
    .map(
      ([name, schema]) =>
        `\`${name}\`${required.has(name) ? '' : '?'}: ${limitsOf(schema as Record<string, unknown>)}`,
    )
    .join('<br>');
}

function limitsOf(schema: Record<string, unknown>): string {
  const parts = [[schema['type']].flat().join(' or ')];
  if (Array.isArray(schema['enum'])) parts.push(`one of ${schema['enum'].join(', ')}`);
  if (schema['maxLength'] !== undefined) parts.push(`at most ${schema['maxLength']} characters`);
  if (schema['maxItems'] !== undefined)
    parts.push(`${schema['minItems'] ?? 0} to ${schema['maxItems']} items`);
  if (schema['maximum'] !== undefined && schema['maximum'] !== Number.MAX_SAFE_INTEGER) {
    parts.push(`${schema['minimum']} to ${schema['maximum']}`);
  }
  if (schema['default'] !== undefined) parts.push(`default ${JSON.stringify(schema['default'])}`);
  return parts.join(', ');
}

function errorRows(errors: NonNullable<Module['errors']>): string[] {
  return Object.entries(errors).map(([code, kind]) => {
    const exitCode = exitCodeOf(new Fault(code, kind, ''));
    return row(`\`${code}\``, String(kind.status), String(exitCode), kind.tip);
  });
}

const metricRows = (metrics: MetricTable): string[] =>
  Object.values(metrics).map(({ name, type, labels, help }) =>
    row(`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(' '), help),
  );

const lines = [
  '# Operations, settings, errors and metrics',
  '',
  'Generated from the code by `npm run generate`; do not edit.',
  '',
  '## Settings',
  '',
  'Each is a flag, an environment variable `TRIVET_…` (capitals, `-` as `_`; `…_FILE` reads a file) and a key of the TOML',
  'file of `--config`. Flag > environment > file > default.',
  '',
  ...heading('Flag', 'Value', 'Default', 'Meaning'),
  ...settingRows(coreSettings),
  ...settingRows(clientSettings),
  ...modules.flatMap((module) => settingRows(module.settings ?? {})),
  '',
  '## Operations',
  '',
  'Each is `POST /api/tools/{name}`, a tool of `--mcp` and `/mcp`, and `trivet call {name}`. Request bodies are at most',
  '16 MiB there; 64 KiB under `/v1/auth`, 1 MiB under `/cta`. They are nested at most 64 levels deep and hold at most 40,000 values',
  '(commas, colons and opening brackets); those of operations that take long lists up to 400,000, by the length of their lists,',
  'and 40,000 an item. A file in an answer of MCP has at most 4 MiB.',
  '',
  ...modules.flatMap((module) =>
    module.operations === undefined
      ? []
      : [
          `### ${module.name}`,
          '',
          ...heading('Operation', 'What it does', 'Parameters', 'Effect'),
          ...module.operations.map((operation) =>
            row(`\`${operation.name}\``, operation.description, parameterText(operation), operation.effect),
          ),
          '',
        ],
  ),
  '## Errors',
  '',
  'Status over HTTP, exit code of `trivet call`, and the guidance that a tool gives after `Tip:` where the cause has none of',
  'its own.',
  '',
  ...heading('Code', 'Status', 'Exit', 'Tip'),
  ...errorRows(coreErrors),
  ...modules.flatMap((module) => errorRows(module.errors ?? {})),
  '',
  '## Metrics',
  '',
  'What `GET /metrics` shows ([monitoring.md](monitoring.md)). With `--processes` each has the label `worker` as well.',
  '',
  ...heading('Metric', 'Type', 'Labels', 'Meaning'),
  ...metricRows(coreMetrics),
  ...modules.flatMap((module) => metricRows(module.metrics ?? {})),
  '',
];

const wanted = lines.join('\n');
if (process.argv.includes('--check')) {
  const present = (await Bun.file(file).exists()) ? await Bun.file(file).text() : '';
  if (present !== wanted) {
    process.stderr.write('docs/operations.md is not up to date. Run: npm run generate\n');
    process.exitCode = 1;
  }
} else {
  await Bun.write(file, wanted);
}
