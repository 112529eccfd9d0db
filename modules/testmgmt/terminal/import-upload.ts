import { counted } from '../../../core/base/counted-noun.ts';
import { exit, UsageError } from '../../../core/base/errors.ts';
import type { CommandAnswer, ToolCommandCall } from '../../../core/module/command.ts';
import { importFormats, type ImportFormatName } from '../import-files/import-formats.ts';
import { InvalidImport } from '../import-files/text/described-test.ts';
import { contentOfBytes } from '../import-files/text/file-content.ts';
import { importSettings } from './import-settings.ts';
import { projectIdOf } from './project-choice.ts';

/** The most bytes of a file: as text, or as base64, it must fit into one call. */
const mostBytes = 16 * 1024 * 1024;

interface Report {
  readonly dryRun: boolean;
  readonly format: ImportFormatName;
  readonly testsCount: number;
  readonly createdCount: number;
  readonly updatedCount: number;
  readonly restoredCount: number;
  readonly unchangedCount: number;
  readonly added: Readonly<Record<string, number>>;
  readonly faultsCount: number;
  readonly faults: ReadonlyArray<{ readonly row: number; readonly message: string }>;
  readonly ignoredColumns: readonly string[];
  readonly hints: readonly string[];
  readonly mapping?: ReadonlyArray<{ readonly column: string; readonly to: string | null }>;
  readonly tests?: ReadonlyArray<{
    readonly testName: string;
    readonly sectionPath?: readonly string[];
    readonly externalId?: string;
    readonly steps?: readonly unknown[];
  }>;
}

/** Imports the tests of one file and reports what happened. @throws UsageError, Fault. */
export async function importFile({ words, config, call, input }: ToolCommandCall): Promise<CommandAnswer> {
  const [path, ...others] = words;
  if (path === undefined || others.length > 0)
    throw new UsageError(
      'Name one file, e.g. trivet import cases.xml --project Shop, or - for stdin. docs/moving.md says what each product exports.',
      exit.usage,
    );
  const settings = config.read(importSettings);
  const mapping = settings.mapping === undefined ? undefined : mappingOf(settings.mapping);
  const content = await contentOf(path, input);
  const projectId = await projectIdOf((tool, args) => call(tool, args), settings.project);
  const report = (await call('import-tests', {
    projectId,
    content,
    format: settings.format ?? 'auto',
    ...(mapping && { mapping }),
    ...(settings.source !== undefined && { source: settings.source }),
    ...(settings.preview && { preview: true }),
    ...(settings.strict && { strict: true }),
  })) as Report;
  const note = report.hints.join('\n');
  return {
    data: report,
    text: reportText(report),
    ...(note !== '' && { note }),
    failed: report.faultsCount > 0,
  };
}

async function contentOf(path: string, input: () => AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await bytesOf(path === '-' ? input() : Bun.file(path).stream(), path);
  try {
    return contentOfBytes(bytes);
  } catch (error) {
    if (error instanceof InvalidImport)
      throw new UsageError(`${path}: ${error.message} Nothing was imported.`);
    throw error;
  }
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>, path: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > mostBytes)
        throw new UsageError(
          `${path} has more than ${mostBytes / 1024 / 1024} MiB. Export it in parts, e.g. one for each suite or section: the ids keep them together.`,
        );
      parts.push(chunk);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read: is there such a file?`);
  }
  return Buffer.concat(parts);
}

/** `A=testName,B=ignore`, or JSON. @throws UsageError. */
function mappingOf(text: string): Readonly<Record<string, string>> {
  const wrong = () =>
    new UsageError(
      '--mapping: give COLUMN=FIELD pairs with commas between, e.g. "Case name=testName,Owner=ignore".',
      exit.usage,
    );
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text) as Readonly<Record<string, string>>;
    } catch {
      throw wrong();
    }
  }
  const pairs = text.split(',').map((pair) => {
    const at = pair.lastIndexOf('=');
    if (at <= 0 || at === pair.length - 1) throw wrong();
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}

const shownFaults = 20;

function reportText(report: Report): string {
  const { createdCount, updatedCount, restoredCount, unchangedCount, added, faultsCount } = report;
  const would = report.dryRun ? 'would be ' : '';
  const lines = [
    `${importFormats[report.format].title}: ${counted(report.testsCount, 'test')}; ${createdCount} ${would}created, ${updatedCount} ${would}updated, ${restoredCount} ${would}restored, ${unchangedCount} unchanged.`,
  ];
  const names = Object.entries(added).filter(([, count]) => count > 0);
  if (names.length > 0)
    lines.push(`New in the project: ${names.map(([kind, count]) => `${count} ${kind}`).join(', ')}.`);
  if (report.ignoredColumns.length > 0) lines.push(`Not understood: ${report.ignoredColumns.join(', ')}.`);
  if (report.mapping && report.mapping.length > 0)
    lines.push(
      '',
      'Columns:',
      ...report.mapping.map(({ column, to }) => `  ${column} → ${to ?? 'not understood'}`),
    );
  if (report.tests && report.tests.length > 0)
    lines.push(
      '',
      report.tests.length === 1 ? 'The first test:' : `The first ${report.tests.length} tests:`,
      ...report.tests.map(
        ({ testName, sectionPath = [], externalId, steps = [] }) =>
          `  ${externalId ?? '–'}  ${[...sectionPath, testName].join(' > ')} (${counted(steps.length, 'step')})`,
      ),
    );
  if (faultsCount > 0)
    lines.push(
      '',
      `${counted(faultsCount, 'row')} cannot be imported:`,
      ...report.faults.slice(0, shownFaults).map(({ row, message }) => `  row ${row}: ${message}`),
    );
  return lines.join('\n');
}
