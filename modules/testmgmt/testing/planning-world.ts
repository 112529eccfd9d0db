import type { Random } from '../../../test/verify/scale.ts';
import { failureGroup } from '../rules/failure-group.ts';
import type {
  ModelLink,
  ModelResult,
  PlannedRunModel,
  PlannedTest,
  PlanningNames,
} from './planning-model.ts';
import type { TestmgmtKernel } from './testmgmt-kernel.ts';

const keys = ['SHOP-1', 'shop-2', 'Größe 3', 'a "quoted" key'];
const messages = ['timeout after 5 s', 'timeout after 9 s', 'expected "a" at line 7', 'no such page', ''];
const milestoneNames = ['1.4', 'Next "big" one', 'ÄRGER'];
const groupsOfValues = [
  ['Browser', ['Chrome', 'Edge']],
  ['System', ['Linux', 'Windows 11']],
] as const;
const days = ['2026-11-30', '2026-12-01', '2026-12-24'];
const statuses = ['passed', 'failed', 'blocked', 'retest'] as const;

/** A random project, made by tools, and the same as arrays. */
export interface PlanningWorld {
  readonly projectId: number;
  readonly names: PlanningNames;
  readonly tests: readonly PlannedTest[];
  readonly runs: readonly PlannedRunModel[];
}

type Mutable<T> = { -readonly [F in keyof T]: T[F] };
interface GrowingTest extends Mutable<Omit<PlannedTest, 'links' | 'results'>> {
  readonly links: ModelLink[];
  readonly results: ModelResult[];
}
interface GrowingRun extends Omit<PlannedRunModel, 'assignees' | 'open'> {
  readonly assignees: Map<number, number | null>;
  readonly open: Set<number>;
}

/** @param people members of the organization, of whom one is `me`. */
export async function makePlanningWorld(
  trivet: TestmgmtKernel,
  random: Random,
  people: PlanningNames['people'],
): Promise<PlanningWorld> {
  const projectId = await trivet.makeProject();
  const call = (tool: string, args: object) => trivet.call(tool, { projectId, ...args });
  const maybe = <T>(value: T): T | null => (random.below(3) === 0 ? null : value);
  const some = <T>(from: readonly T[]): readonly T[] => from.filter(() => random.below(2) === 0);
  const tests = await makeTests(call, random);
  for (const test of tests) for (const link of randomLinks(random, null)) await addLink(call, test, link);
  const milestones = new Map<string, number>();
  for (const name of milestoneNames)
    milestones.set(name, Number((await call('create-milestone', { name }))['milestoneId']));
  for (const [name, values] of groupsOfValues) await call('create-configuration-group', { name, values });

  const runs: GrowingRun[] = [];
  const planIds: number[] = [];
  for (let n = 1 + random.below(3); n > 0; n--) {
    const [milestone, dueOn, own] = [
      maybe(random.pick(milestoneNames)),
      maybe(random.pick(days)),
      some(tests),
    ];
    if (own.length === 0) continue;
    const milestoneId = milestone === null ? undefined : milestones.get(milestone);
    const placed = { ...(milestoneId && { milestoneId }), ...(dueOn && { dueOn }) };
    const testIds = own.map(({ id }) => id);
    const assignees = () => new Map<number, number | null>(testIds.map((id) => [id, null]));
    const isPlan = random.below(2) === 0;
    if (isPlan) {
      const configurations = random.pick(['all', 'pairwise'] as const);
      const made = (await call('create-plan', {
        name: `plan ${n}`,
        ...placed,
        entries: [{ testIds, configurations }],
      })) as {
        plan: { planId: number };
        runs: Array<{ runId: number; configurations: Array<{ value: string }> }>;
      };
      planIds.push(made.plan.planId);
      for (const run of made.runs)
        runs.push({
          id: run.runId,
          milestone,
          planId: made.plan.planId,
          configurations: run.configurations.map(({ value }) => value),
          dueOn,
          assignees: assignees(),
          open: new Set(testIds),
        });
    } else {
      const { runId } = await call('create-run', { runName: `run ${n}`, testIds, ...placed });
      runs.push({
        id: Number(runId),
        milestone,
        planId: null,
        configurations: [],
        dueOn,
        assignees: assignees(),
        open: new Set(testIds),
      });
    }
  }
  for (const run of runs) await fillRun(trivet, call, random, { run, tests, people });
  for (const test of tests)
    if (random.below(8) === 0) {
      await call('delete-test', { testId: test.id });
      test.isDeleted = true;
    }
  const groups = [...new Set(messages.map(failureGroup).filter((group) => group !== ''))];
  const names = {
    me: trivet.owner.userId,
    people,
    milestones: milestoneNames,
    configurations: groupsOfValues.flatMap(([, values]) => values),
    planIds,
    keys,
    groups,
    days,
  };
  return { projectId, names, tests, runs };
}

type Call = (tool: string, args: object) => Promise<Record<string, unknown>>;

async function makeTests(call: Call, random: Random): Promise<readonly GrowingTest[]> {
  const estimates = Array.from({ length: 2 + random.below(14) }, () => random.pick([null, 1, 2, 60]));
  const { tests } = await call('bulk-add-tests', {
    tests: estimates.map((estimateSeconds, n) => ({
      testName: `t${n}`,
      ...(estimateSeconds === null ? {} : { estimateSeconds }),
    })),
  });
  return (tests as Array<{ testId: number }>).map(({ testId }, n) => ({
    id: testId,
    isDeleted: false,
    estimateSeconds: estimates[n] ?? null,
    links: [],
    results: [],
  }));
}

function randomLinks(random: Random, runId: number | null): readonly ModelLink[] {
  if (random.below(2) === 0) return [];
  const kind = random.pick(['requirement', 'defect'] as const);
  return [{ kind, key: random.pick(keys), runId }];
}

async function addLink(call: Call, test: GrowingTest, { kind, key, runId }: ModelLink): Promise<void> {
  await call('add-links', {
    testIds: [test.id],
    ...(runId === null ? {} : { runId }),
    links: [{ kind, key }],
  });
  test.links.push({ kind, key, runId });
}

interface Filled {
  readonly run: GrowingRun;
  readonly tests: readonly GrowingTest[];
  readonly people: PlanningNames['people'];
}

/** Assigns some tests of a run, gives some of them a result, and links some of these. */
async function fillRun(
  { clock }: TestmgmtKernel,
  call: Call,
  random: Random,
  { run, tests, people }: Filled,
): Promise<void> {
  for (const test of tests) {
    if (!run.assignees.has(test.id)) continue;
    const one = { runId: run.id, testIds: [test.id] };
    if (random.below(2) === 0) {
      const { id } = random.pick(people);
      await call('assign-tests', { ...one, assignTo: [id] });
      run.assignees.set(test.id, id);
    }
    if (random.below(3) > 0) {
      clock.advance(1_000);
      const [status, comment] = [random.pick(statuses), random.pick(messages)];
      const testResults = [{ testId: test.id, status, ...(comment === '' ? {} : { comment }) }];
      await call('run-update-test-status', { runId: run.id, testResults });
      if (status !== 'retest') run.open.delete(test.id);
      test.results.push({ runId: run.id, status, group: failureGroup(comment), at: clock.now() });
    }
    for (const link of randomLinks(random, run.id)) await addLink(call, test, link);
  }
}
