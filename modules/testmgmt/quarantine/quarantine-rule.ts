import { calendarSpan } from '../query/field-kinds/query-time.ts';
import type { TestStatus } from '../rules/test-status.ts';

/* When failures of a test do not fail a build, and for how many tests of a project. */

const day = 86_400_000;

/** How far ahead a quarantine may end. */
const maxQuarantineDays = 90;
/** Of the tests of a project, without `force`. */
const quarantinedPercent = 5;
/** Passes in a row on the default branch after which the end is proposed. */
export const passesForEnd = 10;

/** How many tests of a project may be in quarantine at once. A small project may have one. */
export const maxQuarantined = (tests: number): number =>
  Math.max(1, Math.floor((tests * quarantinedPercent) / 100));

/** The moment at which a quarantine ends: a day ends with its midnight in UTC. @returns why not, as a sentence. */
export function quarantineEnd(text: string, now: number): number | string {
  const span = calendarSpan(text);
  if (!span) return `until is neither a day as 2026-12-01 nor a time as 2026-12-01T09:00Z: ${text}.`;
  const { from, until } = span;
  if (until <= now) return 'until is in the past.';
  // The last allowed day counts to its end.
  if (until > now + maxQuarantineDays * day + (until - from))
    return `until is more than ${maxQuarantineDays} days ahead.`;
  return until;
}

/** How many results in a row passed, counted from the newest. A result that says nothing yet is skipped. */
export function passesInRow(newestFirst: readonly TestStatus[]): number {
  let passes = 0;
  for (const status of newestFirst) {
    if (status === 'passed') passes++;
    else if (status === 'failed' || status === 'blocked') break;
  }
  return passes;
}

/** Common names of default branches, where no build says which it is. */
const usualNames = ['main', 'master', 'trunk', 'develop'];

/** The branch whose results decide, by the newest builds of a project; null: no build names a branch. */
export function defaultBranchOf(
  newestFirst: ReadonlyArray<{ readonly branch: string | null; readonly baseBranch: string | null }>,
): string | null {
  const based = newestFirst.find(({ baseBranch }) => baseBranch !== null && baseBranch !== '')?.baseBranch;
  if (based != null) return based;
  const branches = new Set(newestFirst.map(({ branch }) => branch));
  return usualNames.find((name) => branches.has(name)) ?? null;
}
