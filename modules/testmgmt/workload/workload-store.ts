import { and, asc, isNull } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { runs } from '../base/schema.ts';
import { isRunOfMilestone, milestoneIn } from '../milestones/milestone-store.ts';
import { planIn, runsOfPlan } from '../plans/plan-store.ts';
import { membersOfProject } from '../projects/project-people.ts';
import { statusCounts } from '../rules/test-status.ts';
import type { Run } from '../runs/run-row.ts';
import { assignedTestsOf } from '../assignments/assignment-store.ts';
import type { Forecast, ForecastBasis } from '../assignments/forecast.ts';
import { forecastsOf } from '../assignments/forecast-store.ts';

/** The most tests in runs, and runs, of which one call adds up the work. */
const [maxTests, maxRuns] = [200_000, 1_000];

/** What one person has done and has to do. */
export interface Effort {
  readonly todo: number;
  readonly done: number;
  /** Without a result in a run that is locked. */
  readonly leftOpen: number;
  readonly seconds: number;
  readonly bases: Readonly<Record<ForecastBasis, number>>;
}

interface PersonalEffort {
  readonly userId: number | null;
  readonly name: string | null;
  readonly effort: Effort;
}

/** The runs of a milestone and of its parts. @throws Fault MILESTONE_NOT_FOUND, TOO_MANY_TESTS. */
export async function runsOfMilestone(q: Query, projectId: number, milestoneId: number) {
  await milestoneIn(q, projectId, milestoneId);
  return fewRuns(
    await q
      .select()
      .from(runs)
      .where(and(isRunOfMilestone(q, milestoneId), isNull(runs.deletedAt)))
      .orderBy(asc(runs.id))
      .limit(maxRuns + 1),
  );
}

/** The runs of a plan. @throws Fault PLAN_NOT_FOUND, TOO_MANY_TESTS. */
export async function runsOfPlanToCount(q: Query, projectId: number, planId: number) {
  await planIn(q, projectId, planId);
  return fewRuns(await runsOfPlan(q, planId));
}

function fewRuns(found: readonly Run[]): readonly Run[] {
  const tests = found.reduce((sum, run) => sum + statusCounts(run).total, 0);
  if (found.length <= maxRuns && tests <= maxTests) return found;
  throw fail.TOO_MANY_TESTS(
    `The work of at most ${maxTests} tests in ${maxRuns} runs is added up; there are more.`,
    { tip: 'Use get-workload with the runId of one run, or with a plan or a milestone with fewer runs.' },
  );
}

interface Tally {
  done: number;
  leftOpen: number;
  readonly todo: number[];
}

/** The work of some runs, in total and by person. Yields to other requests. */
export async function workloadOf(
  q: Query,
  projectId: number,
  found: readonly Run[],
  signal: AbortSignal,
): Promise<{
  readonly all: Effort;
  readonly people: readonly PersonalEffort[];
  readonly projectSeconds: number | null;
}> {
  const tallies = new Map<number | null, Tally>();
  for (const run of found)
    for await (const rows of assignedTestsOf(q, run.id, signal))
      for (const { testId, status, assigneeId } of rows) {
        const tally = tallies.get(assigneeId) ?? { done: 0, leftOpen: 0, todo: [] };
        tallies.set(assigneeId, tally);
        if (status !== 'untested' && status !== 'retest') tally.done++;
        else if (run.lockedAt === null) tally.todo.push(testId);
        else tally.leftOpen++;
      }
  const known = await membersOfProject(
    q,
    projectId,
    [...tallies.keys()].flatMap((userId) => userId ?? []),
  );
  const todo = [...new Set([...tallies.values()].flatMap((tally) => tally.todo))].toSorted((a, b) => a - b);
  const { byTest, projectSeconds } = await forecastsOf(q, projectId, todo, signal);
  const ofNobody: Tally = { done: 0, leftOpen: 0, todo: [] };
  const people: PersonalEffort[] = [];
  for (const [userId, tally] of tallies) {
    const person = userId === null ? undefined : known.get(userId);
    if (turnIsOver()) await nextTurn(signal);
    if (person) people.push({ userId, name: person.name ?? person.email, effort: effortOf(tally, byTest) });
    else {
      ofNobody.done += tally.done;
      ofNobody.leftOpen += tally.leftOpen;
      for (const testId of tally.todo) ofNobody.todo.push(testId);
    }
  }
  people.sort((a, b) => (a.userId ?? 0) - (b.userId ?? 0));
  if (ofNobody.done + ofNobody.leftOpen + ofNobody.todo.length > 0)
    people.push({ userId: null, name: null, effort: effortOf(ofNobody, byTest) });
  return { all: people.map(({ effort }) => effort).reduce(sumOf, noEffort), people, projectSeconds };
}

const noEffort: Effort = {
  todo: 0,
  done: 0,
  leftOpen: 0,
  seconds: 0,
  bases: { durations: 0, estimate: 0, project: 0, none: 0 },
};

const sumOf = (one: Effort, other: Effort): Effort => ({
  todo: one.todo + other.todo,
  done: one.done + other.done,
  leftOpen: one.leftOpen + other.leftOpen,
  seconds: one.seconds + other.seconds,
  bases: {
    durations: one.bases.durations + other.bases.durations,
    estimate: one.bases.estimate + other.bases.estimate,
    project: one.bases.project + other.bases.project,
    none: one.bases.none + other.bases.none,
  },
});

function effortOf({ done, leftOpen, todo }: Tally, byTest: ReadonlyMap<number, Forecast>): Effort {
  const bases = { ...noEffort.bases };
  let seconds = 0;
  for (const testId of todo) {
    const forecast = byTest.get(testId);
    bases[forecast?.basis ?? 'none']++;
    seconds += forecast?.seconds ?? 0;
  }
  return { todo: todo.length, done, leftOpen, seconds, bases };
}
