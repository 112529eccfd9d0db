import { testStatuses, type StatusCounts, type TestStatus } from '../rules/test-status.ts';

/** A run as people report it: what it came to, where, and what needs somebody. Times are ISO 8601. */
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
  readonly counts: StatusCounts;
  readonly bySection: readonly Group[];
  readonly bySquad: readonly Group[];
  /** Tests that failed, are blocked or to be run again, the first {@link shownTests} of them. */
  readonly open: readonly OpenTest[];
  readonly openTotal: number;
}

export interface Group {
  readonly name: string;
  readonly counts: StatusCounts;
}

export interface OpenTest {
  readonly testId: number;
  readonly testName: string;
  readonly section: string;
  readonly status: TestStatus;
  readonly comment: string | null;
}

/** What a page shows of a list; it says how many more there are. */
export const shownTests = 500;
export const shownGroups = 500;

export const statusColours: Readonly<Record<TestStatus, string>> = {
  passed: '#2e7d32',
  failed: '#c62828',
  blocked: '#ef6c00',
  retest: '#6a1b9a',
  untested: '#9e9e9e',
};

/** A ring with an arc for each status, as SVG: the same in the page and in the PDF. */
export function donut(counts: StatusCounts): string {
  const arcs: string[] = [];
  let before = 0;
  for (const status of testStatuses) {
    const share = counts.total === 0 ? 0 : counts[status] / counts.total;
    if (share > 0) arcs.push(arc(before, share, statusColours[status]));
    before += share;
  }
  if (arcs.length === 0) arcs.push(arc(0, 1, '#e0e0e0'));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="160" height="160" viewBox="0 0 160 160">${arcs.join('')}</svg>`;
}

/** From `from` on, both as shares of the whole ring, clockwise from the top. */
function arc(from: number, share: number, colour: string): string {
  const [centre, radius] = [80, 60];
  const at = (turn: number) => {
    const angle = 2 * Math.PI * turn - Math.PI / 2;
    return `${(centre + radius * Math.cos(angle)).toFixed(3)} ${(centre + radius * Math.sin(angle)).toFixed(3)}`;
  };
  const ring = `fill="none" stroke="${colour}" stroke-width="32"`;
  // An arc that ends where it begins is nothing at all.
  if (share > 0.9999) return `<circle cx="${centre}" cy="${centre}" r="${radius}" ${ring}/>`;
  const large = share > 0.5 ? 1 : 0;
  return `<path d="M ${at(from)} A ${radius} ${radius} 0 ${large} 1 ${at(from + share)}" ${ring}/>`;
}
