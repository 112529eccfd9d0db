import type { ReportedTest, UploadReport } from '../pipelines/rows/upload-report.ts';
import { cut, lineOf, linesOf } from './foreign-text.ts';
import { nameOf, stillFailing } from './report-section.ts';
import { reportTable } from './report-table.ts';
import { failedOf } from './report-verdict.ts';

/*
 * The report for a job of GitHub Actions: the lists in the log, and workflow commands, which GitHub shows next to the code of a pull
 * request (docs.github.com/actions/reference/workflows-and-actions/workflow-commands).
 */

/** The most annotations of one kind that GitHub shows for a step; it silently drops the rest. */
const shownAnnotations = 10;
const titleLimit = 200;
const logWidth = 120;

interface Annotation {
  readonly command: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
}

/** Escapes like escapeData and escapeProperty of actions/toolkit, packages/core/src/command.ts. */
const dataOf = (text: string): string => text.replaceAll(/[%\r\n]/g, encodeURIComponent);
const propertyOf = (text: string): string => text.replaceAll(/[%\r\n:,]/g, encodeURIComponent);

function commandOf({ command, title, message, file, line }: Annotation): string {
  const properties = Object.entries({ file, line: file && line, title: cut(title, titleLimit) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${propertyOf(String(value))}`);
  return `::${command} ${properties.join(',')}::${dataOf(message)}`;
}

/** The path of a file in the repository; undefined for a file outside it, which GitHub cannot show. */
function pathInside(file: string, workspace: string | undefined): string | undefined {
  const plain = (path: string) =>
    lineOf(path)
      .replace(/^file:\/\/(?=\/)/, '')
      .replaceAll('\\', '/');
  const path = plain(file);
  const base = workspace === undefined ? '' : `${plain(workspace).replace(/(?<!\/)\/+$/, '')}/`;
  const inside =
    base !== '' && path.toLowerCase().startsWith(base.toLowerCase()) ? path.slice(base.length) : path;
  const parts = inside.split('/').filter((part) => part !== '.');
  return /^(?:\/|[A-Za-z]:|\w+:\/\/|$)/.test(inside) || parts.includes('..') ? undefined : parts.join('/');
}

/** The first annotations of a kind; the last one says how many more there are. */
function limited(all: readonly Annotation[], total: number): readonly Annotation[] {
  if (total <= shownAnnotations) return all.slice(0, shownAnnotations);
  const shown = all.slice(0, shownAnnotations - 1);
  const [first] = shown;
  if (!first) return [];
  const title = `${total - shown.length} more`;
  return [
    ...shown,
    { command: first.command, title, message: `${title}: see the log, or the run in Trivet.` },
  ];
}

/** @param workspace GITHUB_WORKSPACE: GitHub identifies files by their paths in it. */
export function reportGithub(
  report: UploadReport,
  { workspace }: { readonly workspace?: string | undefined } = {},
): string {
  const of = (command: Annotation['command'], before: string, missing: string) => (test: ReportedTest) => {
    const file = test.file === undefined ? undefined : pathInside(test.file, workspace);
    return {
      command,
      title: before + nameOf(test.name),
      message: linesOf(test.message ?? '').join('\n') || missing,
      ...(file === undefined ? {} : { file }),
      ...(test.line === undefined ? {} : { line: test.line }),
    };
  };
  const still = report.comparedWith === null ? 'Failing: ' : 'Still failing: ';
  const annotations = [
    ...limited(
      [
        ...report.newlyFailing.map(of('error', 'Newly failing: ', 'It failed without a message.')),
        ...stillFailing(report).map(of('error', still, 'It failed without a message.')),
      ],
      Math.max(failedOf(report.totals), report.newlyFailingCount),
    ),
    ...limited(
      (report.quarantined ?? []).map(of('notice', 'In quarantine: ', 'It failed without a message.')),
      report.quarantinedCount ?? 0,
    ),
    ...limited(
      report.flakyTests.map(of('warning', 'Flaky: ', 'It passed after it failed.')),
      report.totals.flaky,
    ),
    ...limited(
      report.renamed.map(({ from, to, file, testId, accepted }) => {
        const message = `${nameOf(from)} → ${nameOf(to)}${accepted ? `, joined to test ${testId}` : `. The history is of test ${testId}; --accept-renames joins them.`}`;
        const test = { testId, name: to, message, ...(file === undefined ? {} : { file }) };
        return of('notice', accepted ? 'Renamed: ' : 'Renamed? ', '')(test);
      }),
      report.renamedCount,
    ),
  ];
  return `${reportTable(report, { width: logWidth })}${annotations.map((one) => `${commandOf(one)}\n`).join('')}`;
}
