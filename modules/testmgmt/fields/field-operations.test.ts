import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

const declared = [
  { key: 'browser', name: 'Browser', kind: 'choice', options: ['Chrome', 'Firefox', 'Safari', 'None'] },
  { key: 'notes', name: 'Notes', kind: 'text' },
  { key: 'weight', name: 'Weight', kind: 'number' },
  { key: 'legal', name: 'Legal', kind: 'boolean' },
  { key: 'since', name: 'Since', kind: 'date' },
  { key: 'areas', name: 'Areas', kind: 'choices', options: ['web', 'app', 'api', 'C:\\New "Ä"'] },
  { key: 'spec', name: 'Specification', kind: 'url' },
  { key: 'expert', name: 'Expert', kind: 'user' },
];

async function makeProject() {
  const projectId = await trivet.makeProject();
  for (const field of declared) await trivet.call('create-field', { projectId, ...field });
  return projectId;
}

const idsOf = (page: Readonly<Record<string, unknown>>): readonly number[] =>
  (page['tests'] as ReadonlyArray<{ testId: number }>).map(({ testId }) => testId);

describe('fields', () => {
  test('are listed, edited, deleted, and come back with their values', async () => {
    const projectId = await makeProject();
    const listed = await trivet.call('list-fields', { projectId });
    expect((listed['fields'] as Array<{ key: string }>).map(({ key }) => key)).toEqual(
      declared.map(({ key }) => key),
    );
    const [testId = 0] = await trivet.makeTests(projectId, 1, {
      fields: { browser: 'Safari', notes: ' n ' },
    });
    await trivet.call('edit-field', { projectId, key: 'browser', options: ['Chrome', 'Edge'] });
    const details = () => trivet.call('get-test-details', { projectId, testId });
    expect((await details())['fields']).toEqual({ browser: 'Safari', notes: 'n' });
    await trivet.call('delete-field', { projectId, key: 'browser' });
    expect((await details())['fields']).toEqual({ notes: 'n' });
    expect(await trivet.refusal('get-tests', { projectId, query: 'cf.browser:Safari' })).toMatchObject({
      code: 'INVALID_QUERY',
    });
    await trivet.call('create-field', { projectId, ...declared[0] });
    expect((await details())['fields']).toEqual({ browser: 'Safari', notes: 'n' });
  });

  test.each([
    ['an unknown kind of options', { key: 'a', name: 'a', kind: 'text', options: ['x'] }, 'INVALID_REQUEST'],
    ['a choice without options', { key: 'a', name: 'a', kind: 'choice' }, 'INVALID_REQUEST'],
    ['an option twice', { key: 'a', name: 'a', kind: 'choice', options: ['x', ' x'] }, 'INVALID_REQUEST'],
    ['a key with a dot', { key: 'a.b', name: 'a', kind: 'text' }, 'INVALID_REQUEST'],
    ['a key that is taken', { key: 'notes', name: 'a', kind: 'text' }, 'FIELD_EXISTS'],
    [
      'a required field of results',
      { key: 'a', name: 'a', kind: 'text', of: 'result', required: true },
      'INVALID_REQUEST',
    ],
  ])('%s is refused', async (_, field, code) => {
    const projectId = await makeProject();
    const before = await trivet.everything();
    expect(await trivet.refusal('create-field', { projectId, ...field })).toMatchObject({ code });
    expect(await trivet.everything()).toBe(before);
  });

  test('a project has at most 50', async () => {
    const projectId = await trivet.makeProject();
    for (let n = 0; n < 50; n++)
      await trivet.call('create-field', { projectId, key: `f${n}`, name: `f ${n}`, kind: 'text' });
    const more = { projectId, key: 'more', name: 'more', kind: 'text' };
    expect(await trivet.refusal('create-field', more)).toMatchObject({ code: 'PROJECT_FULL' });
  });
});

describe('values', () => {
  test.each([
    ['an unknown field', { colour: 'red' }, 'fields.colour is no field of this project'],
    [
      'a value that is no option',
      { browser: 'Lynx' },
      'fields.browser must be one of Chrome, Firefox, Safari',
    ],
    ['a text for a number', { weight: '5' }, 'fields.weight must be a number'],
    ['a day that no calendar has', { since: '2026-02-30' }, 'fields.since must be a day'],
    ['an option twice', { areas: ['web', 'web'] }, 'fields.areas must be a list of some of web, app, api'],
    ['an address that runs something', { spec: 'javascript:alert(1)' }, 'fields.spec must be an address'],
    ['nobody', { expert: 999_999 }, 'fields.expert is no active member'],
    ['a list for a text', { notes: ['x'] }, 'fields.notes must be a text'],
    ['a text that is too long', { notes: 'x'.repeat(2_001) }, 'fields.notes must be a text'],
  ])('%s is refused, and nothing is written', async (_, fields, message) => {
    const projectId = await makeProject();
    const [testId = 0] = await trivet.makeTests(projectId, 1);
    const before = await trivet.everything();
    for (const [tool, args, path] of [
      ['create-test', { projectId, testName: 'n', fields }, ''],
      ['update-test', { testId, fields }, ''],
      ['bulk-add-tests', { projectId, tests: [{ testName: 'n' }, { testName: 'n', fields }] }, 'tests[1].'],
      ['bulk-update-tests', { tests: [{ testId, fields }] }, 'tests[0].'],
      ['change-tests', { projectId, query: 't0', set: { fields } }, 'set.'],
    ] as const)
      expect(await trivet.refusal(tool, args)).toMatchObject({
        code: 'INVALID_FIELD_VALUE',
        message: expect.stringContaining(path + message),
      });
    expect(await trivet.everything()).toBe(before);
  });

  test('a change merges, null clears, and versions, undo and as-of know them', async () => {
    const projectId = await makeProject();
    const [testId = 0, other = 0] = await trivet.makeTests(projectId, 2, {
      fields: { browser: 'Chrome', weight: 1 },
    });
    const fieldsOf = async (args: object = {}) =>
      (await trivet.call('get-test-details', { projectId, testId, ...args }))['fields'];
    trivet.clock.advance(1_000);
    const before = new Date(trivet.clock.now()).toISOString();
    trivet.clock.advance(1_000);
    await trivet.call('update-test', {
      testId,
      fields: { weight: 2.5, areas: ['app', 'web'], browser: null },
    });
    expect(await fieldsOf()).toEqual({ areas: ['app', 'web'], weight: 2.5 });
    expect(await fieldsOf({ version: 1 })).toEqual({ browser: 'Chrome', weight: 1 });
    expect(await fieldsOf({ asOf: before })).toEqual({ browser: 'Chrome', weight: 1 });
    const query = 'cf.browser:chrome';
    expect(idsOf(await trivet.call('get-tests', { projectId, query }))).toEqual([other]);
    expect(idsOf(await trivet.call('get-tests', { projectId, query, asOf: before }))).toEqual([
      testId,
      other,
    ]);
    const compared = await trivet.call('compare-test-versions', { testId, from: 1 });
    expect(JSON.stringify(compared)).toContain('"field":"fields"');
    const listed = await trivet.call('list-activity', { projectId, testId });
    const [newest] = listed['activities'] as Array<{ activityId: number }>;
    await trivet.call('undo-activity', { activityId: newest?.activityId });
    expect(await fieldsOf()).toEqual({ browser: 'Chrome', weight: 1 });
    await trivet.call('revert-test', { testId, version: 2 });
    expect(await fieldsOf()).toEqual({ areas: ['app', 'web'], weight: 2.5 });
    await trivet.call('update-test', { testId, fields: { weight: null, areas: null } });
    expect(await fieldsOf()).toBeNull();
    expect(idsOf(await trivet.call('get-tests', { projectId, query: 'cf.weight:none' }))).toEqual([testId]);
  });

  test('a required field is needed by a new test and is not cleared', async () => {
    const projectId = await trivet.makeProject();
    const [old = 0] = await trivet.makeTests(projectId, 1);
    await trivet.call('create-field', {
      projectId,
      key: 'risk',
      name: 'Risk',
      kind: 'number',
      required: true,
    });
    const without = await trivet.refusal('create-test', { projectId, testName: 'n' });
    expect(without).toMatchObject({
      code: 'INVALID_FIELD_VALUE',
      message: expect.stringContaining('fields.risk is required'),
    });
    await trivet.call('create-test', { projectId, testName: 'n', fields: { risk: 0 } });
    await trivet.call('update-test', { testId: old, testName: 'still without' });
    await trivet.call('update-test', { testId: old, fields: { risk: 3 } });
    expect(await trivet.refusal('update-test', { testId: old, fields: { risk: null } })).toMatchObject({
      code: 'INVALID_FIELD_VALUE',
    });
  });

  /** @see Every object has a member "constructor": a required field of that key was never missing, and no old version lacked it. */
  test('a field may be called constructor', async () => {
    const projectId = await trivet.makeProject();
    const field = { projectId, kind: 'text' };
    await trivet.call('create-field', { ...field, key: 'notes', name: 'Notes' });
    const [testId = 0] = await trivet.makeTests(projectId, 1, { fields: { notes: 'n' } });
    await trivet.call('create-field', { ...field, key: 'constructor', name: 'C', required: true });
    const without = { projectId, testName: 't', fields: { notes: 'n' } };
    expect(await trivet.refusal('create-test', without)).toMatchObject({
      message: expect.stringContaining('fields.constructor is required'),
    });
    const set = { fields: { constructor: 'c' } };
    const { reviewId } = await trivet.call('propose-test-change', { projectId, testId, set });
    const { changes } = await trivet.call('get-review', { reviewId });
    expect(changes).toMatchObject([{ from: { constructor: null }, to: { constructor: 'c' } }]);
    await trivet.call('update-test', { testId, ...set });
    await trivet.call('revert-test', { testId, version: 1 });
    const { fields } = await trivet.call('get-test-details', { projectId, testId });
    expect(fields).toEqual({ notes: 'n', constructor: 'c' });
  });
});

test('results have values of their own', async () => {
  const projectId = await trivet.makeProject();
  await trivet.call('create-field', { projectId, key: 'os', name: 'System', kind: 'text', of: 'result' });
  const testIds = await trivet.makeTests(projectId, 3);
  const [first = 0, second = 0, third = 0] = testIds;
  const runId = await trivet.makeRun(projectId, testIds);
  const write = (...testResults: object[]) =>
    trivet.call('run-update-test-status', { projectId, runId, testResults });
  await write({ testId: first, status: 'failed', fields: { os: 'Windows 11' } });
  await write({ testId: first, status: 'failed', fields: { os: 'Windows 11' } });
  await write(
    { testId: first, status: 'failed', fields: { os: 'Linux' } },
    { testId: second, status: 'passed' },
  );
  const { history } = await trivet.call('get-test-status-history-in-run', { runId, testId: first });
  expect((history as Array<{ fields?: object }>).map(({ fields }) => fields)).toEqual([
    { os: 'Linux' },
    { os: 'Windows 11' },
  ]);
  const found = async (query: string) =>
    idsOf(await trivet.call('get-run-tests-list', { projectId, runId, query }));
  expect(await found('cf.os:linux')).toEqual([first]);
  expect(await found('cf.os:windows')).toEqual([]);
  expect(await found('-has:cf.os')).toEqual(testIds.slice(1));
  await write({ testId: third, status: 'failed', fields: { os: 'Android' } });
  expect(await found('sort:cf.os')).toEqual([third, first, second]);
  expect(await found('sort:cf.os-desc')).toEqual([first, third, second]);
  const wrong = { testId: first, status: 'passed', fields: { browser: 'x' } };
  expect(
    await trivet.refusal('run-update-test-status', { projectId, runId, testResults: [wrong] }),
  ).toMatchObject({
    code: 'INVALID_FIELD_VALUE',
    message: expect.stringContaining('testResults[0].fields.browser'),
  });
  expect(await trivet.refusal('get-tests', { projectId, query: 'cf.os:linux' })).toMatchObject({
    code: 'INVALID_QUERY',
  });
});

/** The stored values, and what each query must select: plain code instead of SQL. */
describe('queries equal a search by hand', () => {
  type Values = Readonly<Record<string, unknown>>;
  const lower = (value: unknown) => String(value).toLowerCase();
  const cases: ReadonlyArray<readonly [string, (values: Values, me: number) => boolean]> = [
    ['cf.browser:Chrome', (v) => v['browser'] === 'Chrome'],
    ['cf.browser:chrome,FIREFOX', (v) => ['Chrome', 'Firefox'].includes(String(v['browser']))],
    ['cf.browser:chr', () => false],
    ['-cf.browser:Chrome', (v) => v['browser'] !== 'Chrome'],
    ['cf.browser:none', (v) => v['browser'] === undefined],
    ['cf.browser:none,Safari', (v) => v['browser'] === undefined || v['browser'] === 'Safari'],
    ['-cf.browser:none', (v) => v['browser'] !== undefined],
    ['cf.browser:"None"', (v) => v['browser'] === 'None'],
    ['cf.browser:none,"none"', (v) => v['browser'] === undefined || v['browser'] === 'None'],
    ['cf.notes:"none"', (v) => v['notes'] !== undefined && lower(v['notes']).includes('none')],
    ['has:cf.browser', (v) => v['browser'] !== undefined],
    ['has:cf.browser,cf.weight', (v) => v['browser'] !== undefined || v['weight'] !== undefined],
    ['-has:cf.notes', (v) => v['notes'] === undefined],
    ['cf.notes:"two w"', (v) => v['notes'] !== undefined && lower(v['notes']).includes('two w')],
    ['cf.notes:=5', (v) => v['notes'] === '5'],
    ['cf.notes:5', (v) => v['notes'] !== undefined && lower(v['notes']).includes('5')],
    ['cf.notes:7d', (v) => v['notes'] === 'after 7d'],
    ['-cf.notes:7d', (v) => v['notes'] !== 'after 7d'],
    ['cf.spec:24h', () => false],
    ['cf.browser:7d', () => false],
    ['cf.browser:>=2026-01-01', () => false],
    ['cf.since:10000d', (v) => v['since'] !== undefined],
    ['cf.weight:5', (v) => v['weight'] === 5],
    ['cf.weight:>=2.5', (v) => Number(v['weight']) >= 2.5],
    ['cf.weight:<0', (v) => Number(v['weight']) < 0],
    ['cf.weight:-1..3', (v) => Number(v['weight']) >= -1 && Number(v['weight']) <= 3],
    ['-cf.weight:>2', (v) => !(Number(v['weight']) > 2)],
    ['cf.legal:yes', (v) => v['legal'] === true],
    ['cf.legal:false', (v) => v['legal'] === false],
    ['-cf.legal:yes', (v) => v['legal'] !== true],
    ['cf.since:2026-01-15', (v) => v['since'] === '2026-01-15'],
    ['cf.since:>2026-01-15', (v) => v['since'] !== undefined && String(v['since']) > '2026-01-15'],
    ['cf.since:2026-01-01..2026-01-31', (v) => String(v['since']).startsWith('2026-01-')],
    ['cf.areas:web', (v) => (v['areas'] as string[] | undefined)?.includes('web') ?? false],
    [
      'cf.areas:WEB cf.areas:api',
      (v) => ['web', 'api'].every((a) => (v['areas'] as string[] | undefined)?.includes(a)),
    ],
    // As JSON it has escapes, whose letters must not be folded.
    [
      'cf.areas:"c:\\\\new \\"ä\\""',
      (v) => (v['areas'] as string[] | undefined)?.includes('C:\\New "Ä"') ?? false,
    ],
    ['cf.spec:example.org', (v) => lower(v['spec'] ?? '').includes('example.org')],
    ['cf.expert:me', (v, me) => v['expert'] === me],
    [
      '(cf.browser:Safari OR cf.weight:5) -cf.legal:no',
      (v) => (v['browser'] === 'Safari' || v['weight'] === 5) && v['legal'] !== false,
    ],
  ];
  const random = (() => {
    let state = 7;
    return (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  })();
  const pick = <T>(...of: readonly T[]): T => of[random(of.length)] as T;
  const made: Array<{ readonly testId: number; readonly values: Values }> = [];
  let projectId = 0;
  let me = 0;

  beforeAll(async () => {
    projectId = await makeProject();
    me = trivet.owner.userId;
    const values = Array.from({ length: 400 }, (): Values => {
      const all = {
        browser: pick('Chrome', 'Firefox', 'Safari', 'None'),
        notes: pick('Two words', '5', 'a 5 b', 'two  w', 'yes', '2026-01-15', 'after 7d', 'none'),
        weight: pick(5, 2.5, 2.4999, -1, 0, -7.25, 3, 1e6),
        legal: pick(true, false),
        since: pick('2026-01-15', '2026-01-16', '2025-12-31', '2026-01-31', '2026-02-01'),
        areas: pick(['web'], ['app', 'api'], ['web', 'api'], ['web', 'app', 'api'], ['app', 'C:\\New "Ä"']),
        spec: pick('https://example.org/a', 'http://EXAMPLE.org', 'https://other.example/'),
        expert: me,
      };
      return Object.fromEntries(Object.entries(all).filter(() => random(3) > 0));
    });
    const ids = await trivet.call('bulk-add-tests', {
      projectId,
      tests: values.map((fields, n) => ({ testName: `t${n}`, fields })),
    });
    (ids['tests'] as Array<{ testId: number }>).forEach(({ testId }, n) =>
      made.push({ testId, values: values[n] ?? {} }),
    );
  });

  test.each(cases)('%s', async (query, fits) => {
    const wanted = made.filter(({ values }) => fits(values, me)).map(({ testId }) => testId);
    const found = await trivet.call('get-tests', { projectId, query, limit: 500 });
    expect(idsOf(found)).toEqual(wanted);
    expect(await trivet.call('get-tests-count', { projectId, query })).toMatchObject({
      total: wanted.length,
    });
  });

  test.each(['weight', 'since', 'browser', 'notes', 'legal', 'expert'])('sort:cf.%s', async (key) => {
    for (const direction of ['', '-desc'] as const) {
      const found = await trivet.call('get-tests', {
        projectId,
        query: `sort:cf.${key}${direction}`,
        limit: 500,
      });
      const byId = new Map(made.map(({ testId, values }) => [testId, values[key]]));
      const order = idsOf(found).map((testId) => byId.get(testId));
      const set = order.filter((value) => value !== undefined) as Array<string | number | boolean>;
      expect(order.slice(set.length).every((value) => value === undefined)).toBe(true);
      const rank = (value: string | number | boolean) =>
        typeof value === 'string' ? value.toLowerCase() : value;
      const sorted = set.toSorted((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0));
      expect(set.map(rank)).toEqual((direction === '' ? sorted : sorted.toReversed()).map(rank));
    }
  });

  test.each([
    ['cf.nothing:5', 'no field "nothing"'],
    ['has:cf.nothing', 'no field "nothing"'],
    ['cf.weight:>abc', 'compared with a number or a day'],
    ['sort:cf.', 'nothing to sort by'],
    ['sort:cf.nothing', 'no field "nothing"'],
    ['cf.weight:1 sort:cf.weight-asc-desc', 'no field "weight-asc"'],
  ])('%s is refused', async (query, message) => {
    expect(await trivet.refusal('get-tests', { projectId, query })).toMatchObject({
      code: 'INVALID_QUERY',
      message: expect.stringContaining(message),
    });
  });
});
