import type { Served } from '../served.ts';
import { scaled } from '../verify/scale.ts';

/* Data large enough for its cost to be noticeable. */

/** Tests of the project, all in one run. */
const testCount = scaled(50_000, 100_000);
const cohortUsers = scaled(200_000, 1_000_000);
const liveCtas = scaled(100, 400);
const knownUsers = scaled(100_000, 1_000_000);
const halfOfAll = {
  operator: 'AND',
  filter: [{ propertyName: 'half', propertyType: 'number', comparisonType: '=', comparisonValue: 1 }],
};

export const long = 'x'.repeat(10_000);
export const range = <T>(count: number, item: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => item(n));

export interface World {
  readonly projectId: number;
  readonly runId: number;
  readonly testIds: readonly number[];
  readonly sectionId: number;
  readonly priorityId: number;
  readonly labelId: number;
  readonly ctaIds: readonly string[];
  /** CTAs that may be edited. */
  readonly draftIds: readonly string[];
  readonly userId: number;
}

/** Transitions by many events, each with filters: about this many bytes. */
export function ruleOf(events: number): object {
  const leaf = (n: number) => ({
    propertyName: `p${n % 7}`,
    propertyType: 'number',
    comparisonType: '>',
    comparisonValue: n,
  });
  const filters = (n: number) => ({ operator: 'OR', filter: range(5, (m) => leaf(n + m)) });
  return {
    priority: 1,
    stateTransition: Object.fromEntries([
      ['go', { '0': [{ transitionTo: '1' }] }],
      ['back', { '1': [{ transitionTo: '2' }] }],
      ...range(events, (n) => [`event${n}`, { '0': [{ transitionTo: '1', filters: filters(n) }] }]),
    ]),
    stateToAction: { '1': 'show' },
    resetStates: ['2'],
    actions: [{ actionId: 'show', type: 'POPUP', template: { title: 'x' } }],
    groupByConfig: { groupByKeys: ['g'], maxActiveStateMachineCount: 50 },
  };
}

export const wholeTest = (n: number) => ({
  testName: `Test ${n}`,
  testDescription: 'What it is for. '.repeat(20),
  steps: range(4, (m) => ({ action: `Do ${m}`, data: 'with this', expected: 'that happens' })),
});

export async function makeWorld(served: Served): Promise<World> {
  const { must } = served;
  const { projectId } = (await must('create-project', { orgId: 1, projectName: 'Large' })) as {
    projectId: number;
  };
  await must('create-field', { projectId, key: 'notes', name: 'Notes', kind: 'text' });
  await must('create-field', { projectId, key: 'weight', name: 'Weight', kind: 'number' });
  const testIds: number[] = [];
  const labels = await must('add-labels', { projectId, labels: range(500, (n) => `label ${n}`) });
  const labelId = (labels['labels'] as Array<{ labelId: number }>)[0]?.labelId ?? 0;
  const { sectionId } = (await must('add-section', { projectId, sectionName: 'All' })) as {
    sectionId: number;
  };
  for (let n = 0; n < 200; n++)
    await must('add-section', { projectId, sectionName: `s${n}`, parentSectionId: sectionId });
  for (let made = 0; made < testCount; made += 5_000) {
    const tests = range(5_000, (n) => ({
      ...wholeTest(made + n),
      sectionId,
      labels: [labelId],
      fields: { notes: `note ${n} `.repeat(20), weight: n },
    }));
    const answer = await must('bulk-add-tests', { projectId, tests });
    testIds.push(...(answer['tests'] as Array<{ testId: number }>).map(({ testId }) => testId));
  }
  const { runId } = (await must('create-run', { projectId, runName: 'All', testIds })) as { runId: number };
  for (let n = 0; n < 100; n++)
    await must('create-run', { projectId, runName: `r${n}`, testIds: [testIds[n]] });
  const priorities = (await must('get-priority', { projectId })) as Record<
    string,
    Array<{ priorityId: number }>
  >;
  const priorityId = Object.values(priorities).find(Array.isArray)?.[0]?.priorityId ?? 0;

  const ctaIds: string[] = [];
  for (let n = 0; n < liveCtas; n++) {
    const { ctaId } = (await must('create-cta', { name: `cta ${n}`, rule: ruleOf(40) })) as { ctaId: string };
    await must('set-cta-status', { ctaId, status: 'LIVE' });
    ctaIds.push(ctaId);
  }
  const draftIds: string[] = [];
  for (let n = 0; n < 20; n++)
    draftIds.push(
      ((await must('create-cta', { name: `draft ${n}`, rule: ruleOf(40) })) as { ctaId: string }).ctaId,
    );
  for (let n = 0; n < 90; n++) await must('create-behaviour-tag', { behaviourTagName: `tag ${n}` });
  await must('create-cohort', { cohortName: 'many', kind: 'list' });
  for (let made = 0; made < cohortUsers; made += 100_000)
    await must('add-cohort-users', { cohortName: 'many', userIds: range(100_000, (n) => String(made + n)) });
  await must('create-cohort', { cohortName: 'half', kind: 'attributes', filters: halfOfAll });
  for (let made = 0; made < knownUsers; made += 10_000)
    await must('set-user-attributes', {
      users: range(10_000, (n) => ({ userId: String(made + n), attributes: { half: n % 2 } })),
    });
  for (let n = 0; n < 200; n++) await must('create-nudge-preview', { id: `p${n}`, template: long });
  const { users } = (await must('get-all-users', {})) as { users: Array<{ userId: number }> };
  return {
    projectId,
    runId,
    testIds,
    sectionId,
    priorityId,
    labelId,
    ctaIds,
    draftIds,
    userId: users[0]?.userId ?? 1,
  };
}

/** A call: its arguments, its preparation, and whether a refusal is the only possible result. */
export interface Worst {
  readonly args: (world: World, attempt: number) => object | Promise<object>;
  readonly before?: (served: Served, world: World, attempt: number) => Promise<unknown>;
  readonly refused?: true;
}
