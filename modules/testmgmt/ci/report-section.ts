import type { ReportedTest, UploadReport } from '../pipelines/rows/upload-report.ts';
import { cut, lineOf } from './foreign-text.ts';

/*
 * The lists of a report for people, in the order in which they matter. Names, places and messages are foreign, and each is one line here
 * without controls; an output still has to quote them in its own language.
 */

interface ReportEntry {
  /** One name, or two of a test that has another now. */
  readonly names: readonly string[];
  /** `src/cart.test.ts:12`. */
  readonly place?: string;
  /** The message as it came, in lines; nothing of it is safe. */
  readonly message?: string;
  /** Our own words about it. */
  readonly about?: string;
}

export interface ReportSection {
  /** A word for it, which never changes. */
  readonly key: string;
  readonly title: string;
  readonly tone: 'bad' | 'good' | 'doubtful' | 'plain';
  /** How many there are; the report names the first of them. */
  readonly total: number;
  readonly entries: readonly ReportEntry[];
}

/** Characters of a name. Those of a file have up to 4,000. */
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

/** The failing tests that failed before, if the report names enough to tell: it names the first newly failing ones only. */
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

/** The lists that have something in them. */
export function sectionsOf(report: UploadReport): readonly ReportSection[] {
  const { totals, newlyFailingCount, created, dryRun } = report;
  const sections: readonly ReportSection[] = [
    {
      key: 'newly_failing',
      title: 'Newly failing',
      tone: 'bad',
      total: newlyFailingCount,
      entries: report.newlyFailing.map(entryOf),
    },
    {
      key: 'failing',
      title: report.comparedWith === null ? 'Failing' : 'Still failing',
      tone: 'bad',
      total: Math.max(0, totals.failed - newlyFailingCount),
      entries: stillFailing(report).map(entryOf),
    },
    {
      key: 'fixed',
      title: 'Fixed',
      tone: 'good',
      total: report.fixedCount,
      entries: report.fixed.map(quietEntryOf),
    },
    {
      key: 'flaky',
      title: 'Flaky',
      tone: 'doubtful',
      total: totals.flaky,
      entries: report.flakyTests.map(entryOf),
    },
    {
      key: 'renamed',
      title: 'Renamed?',
      tone: 'doubtful',
      total: report.renamedCount,
      entries: report.renamed.map(({ from, to, file, testId, similarity, accepted }) => {
        const place = placeOf(file === undefined ? {} : { file });
        return {
          names: [nameOf(from), nameOf(to)],
          ...(place === undefined ? {} : { place }),
          about: accepted
            ? `joined to test ${testId}`
            : `${Math.floor(similarity * 100)} % alike, the history is of test ${testId}`,
        };
      }),
    },
    {
      key: 'duplicates',
      title: 'Several cases with one name',
      tone: 'doubtful',
      total: report.duplicates.length,
      entries: report.duplicates.map(({ name, file, count }) => {
        const place = placeOf(file === undefined ? {} : { file });
        return {
          names: [nameOf(name)],
          ...(place === undefined ? {} : { place }),
          about: `${count} cases`,
        };
      }),
    },
    {
      key: 'missing',
      title: 'Missing',
      tone: 'doubtful',
      total: report.missing,
      entries: report.missingTests.map(quietEntryOf),
    },
    {
      key: 'unmatched',
      title: created === 0 ? 'Of no test' : dryRun ? 'Tests that would be created' : 'Created tests',
      tone: 'plain',
      total: report.unmatched,
      entries: report.unmatchedTests.map(quietEntryOf),
    },
    {
      key: 'warnings',
      title: 'Warnings',
      tone: 'doubtful',
      total: report.warnings.length,
      entries: report.warnings.map((warning) => ({ names: [cut(lineOf(warning), 1_000) || '(nothing)'] })),
    },
  ];
  return sections.filter(({ total }) => total > 0);
}
