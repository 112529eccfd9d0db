import type { ReportedTest, UploadReport } from '../pipelines/rows/upload-report.ts';
import { cut, lineOf } from './foreign-text.ts';
import { failedOf } from './report-verdict.ts';

/*
 * The lists of a report for people, most important first. Names, places and messages are foreign text; here each is one line without
 * control characters, but an output still has to escape them for its own format.
 */

interface ReportEntry {
  /** One name, or two if the test was renamed. */
  readonly names: readonly string[];
  /** `src/cart.test.ts:12`. */
  readonly place?: string;
  /** The lines of the original message, unescaped and unsafe. */
  readonly message?: string;
  /** Our own remark about it. */
  readonly about?: string;
}

export interface ReportSection {
  /** A word that identifies the list and never changes. */
  readonly key: string;
  readonly title: string;
  readonly tone: 'bad' | 'good' | 'doubtful' | 'plain';
  /** The total number; the report names the first ones. */
  readonly total: number;
  readonly entries: readonly ReportEntry[];
}

/** Most characters of a name. Names in a file may have up to 4,000. */
const nameLimit = 300;

export const nameOf = (name: string): string => cut(lineOf(name), nameLimit) || '(no name)';

const placeOf = ({ file, line }: Pick<ReportedTest, 'file' | 'line'>): string | undefined => {
  const path = file === undefined ? '' : cut(lineOf(file), nameLimit);
  return path === '' ? undefined : `${path}${line === undefined ? '' : `:${line}`}`;
};

function entryOf(test: ReportedTest): ReportEntry {
  const place = placeOf(test);
  return {
    names: [nameOf(test.name)],
    ...(place === undefined ? {} : { place }),
    ...(test.message === undefined ? {} : { message: test.message }),
  };
}

const quietEntryOf = ({ message: _message, ...test }: ReportedTest): ReportEntry => entryOf(test);

/** The failing tests that failed before, if they can be determined: the report names only the first newly failing ones. */
export function stillFailing({
  failing,
  newlyFailing,
  newlyFailingCount,
}: UploadReport): readonly ReportedTest[] {
  if (newlyFailingCount > newlyFailing.length) return [];
  const keyOf = ({ testId, name, file }: ReportedTest) => JSON.stringify([testId, name, file]);
  const newly = new Set(newlyFailing.map(keyOf));
  return failing.filter((test) => !newly.has(keyOf(test)));
}

const sectionOf = (
  tone: ReportSection['tone'],
  key: string,
  title: string,
  total: number,
  entries: readonly ReportEntry[],
): ReportSection => ({ key, title, tone, total, entries });

/** An entry with our own remark. */
function entryAbout(names: readonly string[], file: string | undefined, about: string): ReportEntry {
  const place = placeOf(file === undefined ? {} : { file });
  return { names: names.map(nameOf), ...(place === undefined ? {} : { place }), about };
}

const renameOf = ({ from, to, file, testId, similarity, accepted }: UploadReport['renamed'][number]) =>
  entryAbout(
    [from, to],
    file,
    accepted
      ? `joined to test ${testId}`
      : `${Math.floor(similarity * 100)} % alike, the history is of test ${testId}`,
  );

/** The lists that are not empty. */
export function sectionsOf(report: UploadReport): readonly ReportSection[] {
  const { totals, newlyFailingCount: newly, created, dryRun, duplicates, warnings } = report;
  const failing = report.comparedWith === null ? 'Failing' : 'Still failing';
  const unmatched = created === 0 ? 'Of no test' : dryRun ? 'Tests that would be created' : 'Created tests';
  const repeated = duplicates.map(({ name, file, count }) => entryAbout([name], file, `${count} cases`));
  const warned = warnings.map((warning) => ({ names: [cut(lineOf(warning), 1_000) || '(nothing)'] }));
  return [
    sectionOf('bad', 'newly_failing', 'Newly failing', newly, report.newlyFailing.map(entryOf)),
    sectionOf(
      'bad',
      'failing',
      failing,
      Math.max(0, failedOf(totals) - newly),
      stillFailing(report).map(entryOf),
    ),
    sectionOf(
      'doubtful',
      'quarantined',
      'Failed in quarantine',
      report.quarantinedCount ?? 0,
      (report.quarantined ?? []).map(entryOf),
    ),
    sectionOf('good', 'fixed', 'Fixed', report.fixedCount, report.fixed.map(quietEntryOf)),
    sectionOf('doubtful', 'flaky', 'Flaky', totals.flaky, report.flakyTests.map(entryOf)),
    sectionOf('doubtful', 'renamed', 'Renamed?', report.renamedCount, report.renamed.map(renameOf)),
    sectionOf('doubtful', 'duplicates', 'Several cases with one name', duplicates.length, repeated),
    sectionOf('doubtful', 'missing', 'Missing', report.missing, report.missingTests.map(quietEntryOf)),
    sectionOf('plain', 'unmatched', unmatched, report.unmatched, report.unmatchedTests.map(quietEntryOf)),
    sectionOf('doubtful', 'warnings', 'Warnings', warnings.length, warned),
  ].filter(({ total }) => total > 0);
}
