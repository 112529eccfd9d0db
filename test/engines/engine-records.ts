import type { Random } from '../verify/scale.ts';

/** Calls a tool on both engines. @throws when it is refused. */
export type Call = (tool: string, input: object) => Promise<Readonly<Record<string, unknown>>>;

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Names whose order, case and special characters the engines could treat differently. */
export const names: readonly string[] = [
  ...words('Login login LOGIN Übung übung ubung Zebra äpfel Apfel ß SS Ω ω é e\u0301 İstanbul 日本 😀'),
  ...words(`100% a_b a\\b "q" it's 10 9 _x ~ [x] -dash`),
  'Log in',
  'line\nbreak',
  'x\ty',
];

/** Parts of queries, of which most select something in {@link makeRecords}. */
export const queryParts: readonly string[] = words(`
  status:passed last:failed last:none label:a label:Ü -label:a squad:none section:one priority:High login ü "100%" name:a_b
  created:<7d assigned:none has:steps has:attachment has:req defect:none flaky:no runs:>=1 failed:>=1 -duration:none
  level:ü build:none or sort:name sort:name-desc sort:id-desc`);

/**
 * A project with records of each kind, and what goes with it in the tenant.
 * @returns the project's id.
 */
export async function makeRecords(call: Call, { below, pick }: Random): Promise<number> {
  const unique = below(2 ** 31);
  await call('get-orgs-list', {});
  await call('get-all-users', { orgId: 1 });
  const { projectId } = await call('create-project', { orgId: 1, projectName: `Project ${unique}` });
  for (const list of [
    'get-priority',
    'get-type',
    'get-platforms',
    'get-automation-status',
    'get-test-covered-by',
  ])
    await call(list, { projectId });
  await call('add-labels', { projectId, labels: ['a', 'b', 'Ü'] });
  await call('add-squads', { projectId, squads: ['s', 'S2'] });
  await call('add-section', { projectId, sectionName: 'one' });
  await call('create-field', { projectId, key: 'build', name: 'Build', kind: 'text' });
  await call('create-field', {
    projectId,
    key: 'level',
    name: 'Level',
    kind: 'choice',
    options: ['x', 'Y', 'ü'],
  });
  const testIds = await makeTests(call, Number(projectId), { below, pick });
  const [testId, otherTestId] = testIds;
  const runIds: unknown[] = [];
  for (const runName of ['r1', 'Ä run', 'r3']) {
    const { runId } = await call('create-run', { projectId, runName, testIds });
    const testResults = testIds.slice(0, 9).map((id) => {
      return { testId: id, status: pick(['passed', 'failed', 'blocked', 'retest']), comment: pick(names) };
    });
    await call('run-update-test-status', { projectId, runId, testResults });
    runIds.push(runId);
  }
  const [runId] = runIds;
  const { milestoneId } = await call('create-milestone', { projectId, name: 'M', dueOn: '2026-03-01' });
  await call('create-plan', { projectId, name: 'Plan', entries: [{ testIds: [testId] }], milestoneId });
  await call('create-configuration-group', { projectId, name: 'Browser', values: ['Chrome', 'edge', 'Äpp'] });
  const links = [
    { kind: 'requirement', key: 'SHOP-1' },
    { kind: 'defect', key: `BUG-${below(9)}` },
  ];
  await call('add-links', { projectId, testIds: [testId, otherTestId], links });
  await call('set-quarantine', {
    projectId,
    testIds: [testId],
    ownerId: 1,
    reason: 'x',
    until: '2026-01-31',
  });
  await call('assign-tests', { projectId, runId, testIds: [testId, otherTestId], assignTo: [1] });
  await call('save-view', { projectId, surface: 'tests', name: pick(names), query: 'last:failed' });
  await call('add-attachment', { projectId, testId, fileName: 'a.txt', base64: 'dGV4dA==' });
  await call('propose-test-change', { projectId, testId, set: { testName: 'new' } });
  const file = { name: 'junit.xml', content: suiteText({ below, pick }) };
  await call('ingest-results', { projectId, runKey: `build ${below(3)}`, create: true, files: [file] });
  await makeCtas(call, unique, pick);
  return Number(projectId);
}

async function makeTests(call: Call, projectId: number, { below, pick }: Random): Promise<readonly number[]> {
  const tests = Array.from({ length: 20 }, () => ({ testName: `${pick(names)}${below(1_000)}` }));
  const made = (await call('bulk-add-tests', { projectId, tests })) as { tests: Array<{ testId: number }> };
  const testIds = made.tests.map(({ testId }) => testId);
  for (let nth = 0; nth < 6; nth++)
    await call('update-test', {
      testId: pick(testIds),
      fields: { build: pick(names).replaceAll(/\s/g, ' '), level: pick(['x', 'Y', 'ü']) },
      steps: [{ action: pick(names), expected: pick(names) }],
    });
  return testIds;
}

async function makeCtas(call: Call, unique: number, pick: Random['pick']): Promise<void> {
  const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
  await call('create-cta', { name: `c ${unique}`, rule });
  const { ctaId } = await call('create-cta', { name: `d ${unique}`, rule });
  await call('set-cta-status', { ctaId, status: 'LIVE' });
  await call('define-cta-goal', { ctaId, name: 'bought', on: { event: 'bought' } });
  await call('create-cohort', { cohortName: `cohort-${unique}`, kind: 'list' });
  await call('create-behaviour-tag', {
    behaviourTagName: `tag-${unique}`,
    exposureRule: { session: { limit: 1 } },
  });
  await call('set-user-attributes', { users: [{ userId: '7', attributes: { city: pick(names) } }] });
}

function suiteText({ below, pick }: Random): string {
  const cases = Array.from({ length: 8 }, () => {
    const failure = below(3) === 0 ? `<failure message="${pick(['x is 3', 'x is 4', 'Übel'])}"/>` : '';
    return `<testcase classname="k" name="${pick(['a', 'B', 'ä', 'é', 'Zz', '10', '9'])} ${below(4)}" time="${below(50)}.5">${failure}</testcase>`;
  });
  return `<testsuite name="s">${cases.join('')}</testsuite>`;
}
