import type { Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { sharesOf, type Shares } from '../assignments/assignment-store.ts';
import type { ShareRule } from '../assignments/work-share.ts';
import { requireDistinct } from '../base/id-list.ts';
import { fail } from '../base/errors.ts';
import { chooseTests, mostByQuery } from '../cases/case-choice-store.ts';
import { notInProject } from '../cases/case-store.ts';
import { requireMembers } from '../projects/project-people.ts';
import { liveTestIds } from '../runs/run-case-store.ts';
import type { Combination, GivenConfigurations } from './plan-combinations.ts';
import { requireFew } from './plan-store.ts';

/** An entry of create-plan. */
interface GivenEntry extends GivenConfigurations {
  readonly runName?: string;
  readonly query?: string;
  readonly testIds?: readonly number[];
  readonly assignTo?: readonly number[];
  readonly by?: ShareRule;
}

/** The tests of an entry, and who gets which in each of its runs. */
interface ChosenEntry {
  readonly given: GivenEntry;
  readonly testIds: readonly number[];
  readonly shares: Shares | null;
}

interface Asking {
  readonly projectId: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Reads the tests of the entries of a plan, before the transaction that stores it.
 * @throws Fault INVALID_REQUEST, INVALID_QUERY, NOT_IN_PROJECT, NOT_A_MEMBER, NOTHING_TO_UPDATE.
 */
export async function chosenEntries(
  q: Query,
  actor: Actor,
  entries: readonly GivenEntry[],
  asking: Asking,
): Promise<readonly ChosenEntry[]> {
  const { projectId, signal } = asking;
  const chosen: ChosenEntry[] = [];
  for (const [index, given] of entries.entries()) {
    const at = `entries[${index}]`;
    const testIds = await testsOfEntry(q, actor, given, at, asking);
    const { assignTo, by: rule = 'even' } = given;
    if (assignTo) {
      requireDistinct(assignTo, { parameter: `${at}.assignTo`, inside: '' });
      await requireMembers(q, projectId, assignTo, `${at}.assignTo`);
    }
    const people = assignTo ?? null;
    const shares = people && (await sharesOf(q, projectId, testIds, { people, rule, signal }));
    chosen.push({ given, testIds, shares });
  }
  return chosen;
}

async function testsOfEntry(
  q: Query,
  actor: Actor,
  { query, testIds }: GivenEntry,
  at: string,
  { projectId, now, signal }: Asking,
): Promise<readonly number[]> {
  if ((query === undefined) === (testIds === undefined))
    throw fail.INVALID_REQUEST(`Give ${at} either a query or testIds.`, { cause: 'entries' });
  if (testIds) {
    requireDistinct(testIds, { parameter: `${at}.testIds`, inside: '' });
    const live = await liveTestIds(q, projectId, testIds, signal);
    if (live.size < testIds.length) throw notInProject(projectId, testIds, live);
    return testIds;
  }
  const { ids } = await chooseTests(q, actor, { projectId, query: query ?? '' }, { now, signal });
  if (ids.length > 0) return ids;
  throw fail.NOTHING_TO_UPDATE(`No test fits the query of ${at}; nothing was written.`, {
    cause: 'entries',
    tip: 'Try the query with get-tests first.',
  });
}

/** A run that a plan will make. */
export interface PlannedRun {
  readonly entry: ChosenEntry;
  readonly runName: string;
  readonly combination: Combination;
}

/** The most entries of one call. */
export const maxEntries = 50;

/** One run for each entry and combination. @throws Fault PLAN_TOO_LARGE. */
export function plannedRuns(
  planName: string,
  entries: ReadonlyArray<{ readonly entry: ChosenEntry; readonly combinations: readonly Combination[] }>,
): readonly PlannedRun[] {
  const runs = entries.flatMap(({ entry, combinations }) =>
    combinations.map((combination) => ({
      entry,
      combination,
      runName: plannedRunName(entry.given.runName ?? planName, combination),
    })),
  );
  requireFew(runs.length);
  const tests = runs.reduce((sum, { entry }) => sum + entry.testIds.length, 0);
  if (tests > mostByQuery)
    throw fail.PLAN_TOO_LARGE(
      `The runs would have ${tests} tests together; at most ${mostByQuery} are allowed.`,
      { cause: 'entries' },
    );
  return runs;
}

const maxName = 255;

/** e.g. `Release 1.4 (Chrome, Windows)`. A long name is cut, not the values that distinguish it. */
export function plannedRunName(name: string, combination: Combination): string {
  if (combination.length === 0) return name.trim().slice(0, maxName);
  const values = ` (${combination.map(({ value }) => value).join(', ')})`.slice(0, maxName - 20);
  return `${name.trim().slice(0, maxName - values.length)}${values}`.toWellFormed();
}
