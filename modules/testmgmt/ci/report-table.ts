import { counted } from '../../../core/base/counted-noun.ts';
import type { UploadReport } from '../pipelines/rows/upload-report.ts';
import { lineOf, linesOf, webAddressOf } from './foreign-text.ts';
import { sectionsOf, type ReportSection } from './report-section.ts';
import { countsOf, verdictOf } from './report-verdict.ts';

/*
 * The report for a person at a terminal or in the log of a job. Each line begins with a character of ours, so that no log reads the foreign
 * text after it as a command.
 */

/** Most entries of a list. The console and `--json` show more. */
const shownEntries = 10;
const narrowest = 20;

/** The beginning that fits. Slicing by columns would include a wide character even where only its first half fits. */
function fitted(line: string, width: number): string {
  if (Bun.stringWidth(line) <= width) return line;
  const slice = Bun.sliceAnsi(line, 0, width - 1);
  return `${Bun.stringWidth(slice) < width ? slice : Bun.sliceAnsi(line, 0, width - 2)}…`;
}

/** The end that fits: the end of a name with suites is the most specific part. */
const fittedEnd = (line: string, width: number): string =>
  Bun.stringWidth(line) <= width ? line : `…${Bun.sliceAnsi(line, 1 - width)}`;

/** A summary of the upload, before any list. The address is never cut. */
export function summaryLines(report: UploadReport, width: number): readonly string[] {
  const { runId, runKey, comparedWith, files } = report;
  const url = report.url === undefined ? undefined : webAddressOf(report.url);
  const run = runId === null ? 'No run yet' : `Run ${runId}`;
  return [
    verdictOf(report),
    countsOf(report),
    fitted(`${run}, key ${lineOf(runKey)}`, width),
    ...(url === undefined ? [] : [url]),
    fitted(
      comparedWith === null
        ? 'Compared with no run: there is none before it.'
        : `Compared with run ${comparedWith.runId}: ${lineOf(comparedWith.runName)}`,
      width,
    ),
    ...files
      .slice(0, shownEntries)
      .map(({ file, format, cases, failed }) =>
        fitted(`- ${lineOf(file)} (${lineOf(format)}): ${counted(cases, 'test')}, ${failed} failed`, width),
      ),
    ...(files.length > shownEntries ? [`- … and ${counted(files.length - shownEntries, 'more file')}`] : []),
  ];
}

/** The entries of a list. Sentences are shown in full; names and messages are cut to fit. */
export function entryLines({ key, entries, total }: ReportSection, width: number): readonly string[] {
  const shown = entries.slice(0, shownEntries);
  const lines = shown.flatMap(({ names, place, message, about }) => {
    const name = names.join(' → ');
    if (key === 'warnings') return sentenceLines(name, width);
    const at = place && `at ${place}`;
    const oneLine = `- ${[name, [about, at].filter(Boolean).join(', ')].filter(Boolean).join('  ')}`;
    const first = message === undefined ? '' : (linesOf(message)[0] ?? '').trim();
    const behind = [about && fitted(`  ${about}`, width), at && `  ${fittedEnd(at, width - 2)}`];
    return [
      ...(Bun.stringWidth(oneLine) <= width
        ? [oneLine]
        : [`- ${fittedEnd(name, width - 2)}`, ...behind.flatMap((line) => line ?? [])]),
      ...(first === '' ? [] : [fitted(`  │ ${first}`, width)]),
    ];
  });
  return total > shown.length ? [...lines, `- … and ${total - shown.length} more`] : lines;
}

const sentenceLines = (sentence: string, width: number): readonly string[] =>
  Bun.wrapAnsi(sentence, width - 4, { hard: true })
    .split('\n')
    .map((line, at) => `${at === 0 ? '- ' : '  │ '}${line}`);

/** @param width columns of the terminal. */
export function reportTable(report: UploadReport, { width }: { readonly width: number }): string {
  const columns = Math.max(narrowest, width);
  const lists = sectionsOf(report).flatMap((section) => [
    '',
    `${section.title} (${section.total})`,
    ...entryLines(section, columns - 2).map((line) => `  ${line}`),
  ]);
  return `${[...summaryLines(report, columns), ...lists].join('\n')}\n`;
}
