import { testStatuses, type StatusCounts, type TestStatus } from '../rules/test-status.ts';

/** The data of a report: the counts of a run, in total and by section and squad, and its open tests. Times are ISO 8601. */
export interface RunReport {
  readonly runId: number;
  readonly projectId: number;
  readonly projectName: string;
  readonly runName: string;
  readonly runDescription: string;
  readonly status: 'active' | 'locked';
  readonly createdAt: string;
  readonly lockedAt: string | null;
  readonly madeAt: string;
  /** The query that selected the tests; null for all tests of the run. */
  readonly query: string | null;
  /** The outcome in one sentence. */
  readonly verdict: string;
  /** How many tests each person decided, most first. */
  readonly testers: ReadonlyArray<{ readonly name: string; readonly tests: number }>;
  /** Some runs of the project up to this one, oldest first; empty unless there is one before it. */
  readonly trend: readonly PastRun[];
  readonly counts: StatusCounts;
  readonly bySection: readonly Group[];
  readonly bySquad: readonly Group[];
  /** The first {@link shownTests} tests that failed, are blocked or need a retest. */
  readonly open: readonly OpenTest[];
  readonly openTotal: number;
  /** Cases without a test; undefined if there are none, and for a query. */
  readonly unmatched?:
    | { readonly passed: number; readonly failed: number; readonly skipped: number }
    | undefined;
}

/** A run of the trend. `passRate` is a percentage of its tests that have a result. */
interface PastRun {
  readonly runName: string;
  readonly passRate: number;
}

/** The trend of some runs. A run without a result is left out: it has passed nothing and failed nothing. */
export const trendOfRuns = (
  runs: ReadonlyArray<{
    readonly runName: string;
    readonly counts: Pick<StatusCounts, 'passed' | 'failed' | 'blocked'>;
  }>,
): readonly PastRun[] =>
  runs.flatMap(({ runName, counts: { passed, failed, blocked } }) => {
    const found = passed + failed + blocked;
    return found === 0 ? [] : [{ runName, passRate: (passed / found) * 100 }];
  });

export interface Group {
  readonly name: string;
  readonly counts: StatusCounts;
}

export interface OpenTest {
  /** Null for a case without a test. */
  readonly testId: number | null;
  readonly testName: string;
  readonly section: string;
  readonly status: TestStatus;
  readonly comment: string | null;
  /** Keys of the defects of the test, or of its result in the run. */
  readonly issues: readonly string[];
  /** Names of the files of its result in the run. */
  readonly files: readonly string[];
}

/** Within a status, tests with an issue come first: they are known. */
export const knownFirst = (tests: readonly OpenTest[]): readonly OpenTest[] =>
  tests.toSorted((one, other) => Number(other.issues.length > 0) - Number(one.issues.length > 0));

/** e.g. "Files: basket.png, log.txt"; empty without files. */
export const filesText = ({ files }: Pick<OpenTest, 'files'>): string =>
  files.length === 0 ? '' : `Files: ${files.join(', ')}`;

/** Most rows of a list in a report, which gives the number of the rest. */
export const shownTests = 500;
export const shownGroups = 500;

/** The colours of the console on white (modules/console/app/design/base.css): a status has the same colour everywhere. */
export const statusColours: Readonly<Record<TestStatus, string>> = {
  passed: '#14693a',
  failed: '#c22f26',
  blocked: '#7a4fc0',
  retest: '#8f5a00',
  untested: '#5d6673',
};

let timeForm: Intl.DateTimeFormat | undefined;
/** Created on first use: it takes 8 ms, and this file is loaded at each start (measured). */
const timeFormat = () =>
  (timeForm ??= new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  }));

/** A time as a person reads it, e.g. "1 Jan 2026, 00:00 UTC". @param at ISO 8601. */
export const timeText = (at: string): string => `${timeFormat().format(new Date(at))} UTC`;

/** A part of a ring: its start and its length as fractions of the ring, clockwise from the top. */
export interface Arc {
  readonly from: number;
  readonly share: number;
  readonly colour: string;
}

/** An arc for each status; one grey arc for a run without tests. */
export function arcsOf(counts: StatusCounts): readonly Arc[] {
  const arcs: Arc[] = [];
  let from = 0;
  for (const status of testStatuses) {
    const share = counts.total === 0 ? 0 : counts[status] / counts.total;
    if (share > 0) arcs.push({ from, share, colour: statusColours[status] });
    from += share;
  }
  return arcs.length > 0 ? arcs : [{ from: 0, share: 1, colour: '#e0e0e0' }];
}

/** The trend of a report as SVG: a bar for each run, the last one is that of the report. */
export function trendBars(trend: readonly PastRun[]): string {
  const [width, height] = [24, 60];
  const bars = trend.map(({ runName, passRate }, index) => {
    const tall = Math.max(1, (height * passRate) / 100).toFixed(1);
    const colour = index === trend.length - 1 ? statusColours.passed : '#9fb8a8';
    const title = `${Bun.escapeHTML(runName)}: ${passRate.toFixed(1)} % passed`;
    return `<rect x="${index * (width + 4)}" y="${(height - Number(tall)).toFixed(1)}" width="${width}" height="${tall}" fill="${colour}"><title>${title}</title></rect>`;
  });
  const wide = trend.length * (width + 4);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${height}" viewBox="0 0 ${wide} ${height}">${bars.join('')}</svg>`;
}

/** The ring of a report as SVG. */
export const donut = (counts: StatusCounts): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160" viewBox="0 0 160 160">${arcsOf(counts).map(drawn).join('')}</svg>`;

function drawn({ from, share, colour }: Arc): string {
  const [centre, radius] = [80, 60];
  const at = (turn: number) => {
    const angle = 2 * Math.PI * turn - Math.PI / 2;
    return `${(centre + radius * Math.cos(angle)).toFixed(3)} ${(centre + radius * Math.sin(angle)).toFixed(3)}`;
  };
  const ring = `fill="none" stroke="${colour}" stroke-width="32"`;
  // An arc with equal start and end would not be drawn.
  if (share > 0.9999) return `<circle cx="${centre}" cy="${centre}" r="${radius}" ${ring}/>`;
  const large = share > 0.5 ? 1 : 0;
  return `<path d="M ${at(from)} A ${radius} ${radius} 0 ${large} 1 ${at(from + share)}" ${ring}/>`;
}
