import { beforeAll, afterAll, describe, expect, test } from 'bun:test';
import { Fault } from '../../../core/base/errors.ts';
import { bytesOf, isFile } from '../../../core/tools/file-answer.ts';
import { tests } from '../base/schema.ts';
import { markTexts } from './query-mark-store.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';

/* The query language in the tools. query.verify.ts checks that it selects the right rows. */
type Kernel = Awaited<ReturnType<typeof startTestmgmtKernel>>;
let trivet: Kernel;
let projectId: number;
let otherProject: number;
let testIds: readonly number[];
let runId: number;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  const { call, makeProject, makeSection, makeRun } = trivet;
  projectId = await makeProject();
  otherProject = await makeProject();
  const checkout = await makeSection(projectId, 'Checkout');
  const payment = await makeSection(projectId, 'Payment', checkout);
  const { labels } = (await call('add-labels', { projectId, labels: ['smoke', 'slow one'] })) as {
    labels: Array<{ labelId: number }>;
  };
  const [smoke] = labels.map(({ labelId }) => labelId);
  const items = [
    { testName: 'Pay by card', sectionId: payment, labels: [smoke] },
    { testName: 'Pay by invoice', sectionId: payment },
    { testName: 'Empty the basket', sectionId: checkout, labels: [smoke] },
    { testName: 'Sign in', testDescription: 'With a password', steps: [{ action: 'Open the page' }] },
  ];
  const made = (await call('bulk-add-tests', { projectId, tests: items })) as {
    tests: Array<{ testId: number }>;
  };
  testIds = made.tests.map(({ testId }) => testId);
  runId = await makeRun(projectId, testIds.slice(0, 3));
  const results = [
    { testId: testIds[0], status: 'failed', comment: 'declined' },
    { testId: testIds[1], status: 'passed' },
  ];
  await call('run-update-test-status', { projectId, runId, testResults: results });
});
afterAll(() => trivet.stop());

const names = (answer: Record<string, unknown>) =>
  (answer['tests'] as Array<{ testName: string }>).map(({ testName }) => testName);

describe('a query chooses', () => {
  test.each<[string, string[]]>([
    ['section:Checkout', ['Pay by card', 'Pay by invoice', 'Empty the basket']],
    ['section:=Checkout', ['Empty the basket']],
    ['section:"checkout > payment"', ['Pay by card', 'Pay by invoice']],
    ['label:smoke', ['Pay by card', 'Empty the basket']],
    ['last:failed', ['Pay by card']],
    ['last:none', ['Sign in', 'Empty the basket'].toReversed()],
    ['runs:0 -has:steps', ['Empty the basket']],
    ['runs:7,0..0 -has:steps', ['Empty the basket']],
    ['password', ['Sign in']],
    ['action', []],
    ['pay sort:name-desc', ['Pay by invoice', 'Pay by card']],
    ['updated-by:me', ['Pay by card', 'Pay by invoice', 'Empty the basket', 'Sign in']],
    ['', ['Pay by card', 'Pay by invoice', 'Empty the basket', 'Sign in']],
  ])('tests: %p', async (query, wanted) => {
    const answer = await trivet.call('get-tests', { projectId, query });
    expect({ names: names(answer), total: answer['total'] }).toEqual({ names: wanted, total: wanted.length });
    const counted = await trivet.call('get-tests-count', { projectId, query });
    expect(counted['total']).toBe(wanted.length);
    const file = await trivet.call('download-tests', { projectId, query });
    if (!isFile(file)) throw new Error('download-tests answered no file');
    expect(names(JSON.parse((await bytesOf(file)).toString()) as Record<string, unknown>)).toEqual(wanted);
  });

  describe('a record whose name is the id of another one', () => {
    /** A project with two records of each list: the second is called like the id of the first, the third like no id. */
    async function namesakes() {
      const id = await trivet.makeProject();
      const add = async (tool: string, list: string, key: string, input: (names: string[]) => object) => {
        const added = async (names: string[]) => {
          const answer = await trivet.call(tool, { projectId: id, ...input(names) });
          return (answer[list] as Array<Record<string, number>>).map((one) => one[key] ?? 0);
        };
        const [first = 0] = await added(['first']);
        return [first, ...(await added([String(first), '987654']))];
      };
      const labels = await add('add-labels', 'labels', 'labelId', (names) => ({ labels: names }));
      const squads = await add('add-squads', 'squads', 'squadId', (names) => ({ squads: names }));
      const section = await trivet.makeSection(id, 'first');
      const sections = [
        section,
        await trivet.makeSection(id, String(section)),
        await trivet.makeSection(id, '987654'),
      ];
      const items = ['first', 'second', 'third'].map((testName, at) => ({
        testName,
        labels: [labels[at]],
        squadId: squads[at],
        sectionId: sections[at],
      }));
      await trivet.call('bulk-add-tests', { projectId: id, tests: items });
      return { id, first: { label: labels[0], squad: squads[0], section } };
    }

    test.each(['now', 'then'] as const)('a section whose name looks like a path, %s', async (when) => {
      const id = await trivet.makeProject();
      const cart = await trivet.makeSection(id, 'Cart');
      const sections = [
        await trivet.makeSection(id, 'Cart -> Checkout'),
        await trivet.makeSection(id, 'x>y', cart),
        await trivet.makeSection(id, 'Input > 10', cart),
        await trivet.makeSection(id, String.raw`back\\slash`, cart),
      ];
      const items = sections.map((sectionId, at) => ({ testName: `test ${at}`, sectionId }));
      await trivet.call('bulk-add-tests', { projectId: id, tests: items });
      const asOf = when === 'now' ? '' : ' as-of:2101-01-01';
      const found = async (query: string) =>
        names(await trivet.call('get-tests', { projectId: id, query: `${query}${asOf}` }));
      expect(await found('section:"cart -> checkout"')).toEqual(['test 0']);
      expect(await found('section:="x>y"')).toEqual(['test 1']);
      expect(await found('section:"Input > 10"')).toEqual(['test 2']);
      expect(await found('section:"Cart > x>y"')).toEqual(['test 1']);
      expect(await found(String.raw`section:"Cart > Input \> 10"`)).toEqual(['test 2']);
      expect(await found(String.raw`section:="Cart > x\\>y"`)).toEqual(['test 1']);
      expect(await found(String.raw`section:"back\\\\slash"`)).toEqual(['test 3']);
      expect(await found('section:Cart')).toEqual(['test 1', 'test 2', 'test 3']);
    });

    test.each(['label', 'squad', 'section'] as const)('%s', async (field) => {
      const { id, first } = await namesakes();
      const found = async (query: string) => names(await trivet.call('get-tests', { projectId: id, query }));
      expect(await found(`${field}:${first[field]}`)).toEqual(['first']);
      expect(await found(`${field}:"${first[field]}"`)).toEqual(['second']);
      expect(await found(`${field}:987654`)).toEqual(['third']);
      expect(await found(`-${field}:${first[field]}`)).toEqual(['second', 'third']);
    });
  });

  test('tests that failed in one run, in any of two, in both', async () => {
    const [first = 0, second = 0] = testIds;
    const other = await trivet.makeRun(projectId, [first, second]);
    const testResults = [
      { testId: first, status: 'failed' },
      { testId: second, status: 'failed' },
    ];
    await trivet.call('run-update-test-status', { projectId, runId: other, testResults });
    const found = async (query: string) => names(await trivet.call('get-tests', { projectId, query }));
    expect(await found(`failed-in:${runId}`)).toEqual(['Pay by card']);
    expect(await found(`failed-in:${runId},${other}`)).toEqual(['Pay by card', 'Pay by invoice']);
    expect(await found(`failed-in:${runId} failed-in:${other}`)).toEqual(['Pay by card']);
    expect(await found(`-failed-in:${runId} failed-in:${other}`)).toEqual(['Pay by invoice']);
    await trivet.call('delete-run', { projectId, runId: other });
    expect((await trivet.refusal('get-tests', { projectId, query: `failed-in:${other}` }))?.code).toBe(
      'INVALID_QUERY',
    );
  });

  test('the tests of a report, and counts of these alone', async () => {
    const report = async (query: string, format: string) => {
      const file = await trivet.call('download-report', { projectId, runId, query, format });
      if (!isFile(file)) throw new Error('it is no file');
      return (await bytesOf(file)).toString();
    };
    const query = 'label:smoke sort:name-desc';
    const answer = JSON.parse(await report(query, 'json')) as Record<string, unknown>;
    expect(names(answer)).toEqual(['Pay by card', 'Empty the basket']);
    expect(answer).toMatchObject({
      query,
      counts: { total: 2, passed: 0, failed: 1, untested: 1 },
      percentages: { failed: 50, untested: 50 },
    });
    const html = await report('label:smoke status:failed', 'html');
    expect(html).toContain('<code>label:smoke status:failed</code>');
    expect(html).toContain('aria-label="passed 0, failed 1, blocked 0, retest 0, untested 0"');
    expect([html.includes('Pay by card'), html.includes('Empty the basket')]).toEqual([true, false]);
    expect((await report('status:failed', 'pdf')).startsWith('%PDF-')).toBe(true);
    const wrong = await trivet.refusal('download-report', { projectId, runId, query: 'status:faild' });
    expect(wrong?.code).toBe('INVALID_QUERY');
    const whole = JSON.parse(await report('', 'json')) as Record<string, unknown>;
    expect(names(whole)).toHaveLength(3);
  });

  test.each<[string, string[]]>([
    ['status:failed', ['Pay by card']],
    ['status:untested,passed', ['Pay by invoice', 'Empty the basket']],
    ['by:me', ['Pay by card', 'Pay by invoice']],
    ['by:none', ['Empty the basket']],
    ['label:smoke -status:failed', ['Empty the basket']],
  ])('tests of a run: %p', async (query, wanted) => {
    const answer = await trivet.call('get-run-tests-list', { projectId, runId, query });
    expect({ names: names(answer), total: answer['total'] }).toEqual({ names: wanted, total: wanted.length });
  });

  test.each<[string, number]>([
    ['status:active', 1],
    ['status:locked', 0],
    ['has:failed', 1],
    ['progress:<100', 1],
    ['progress:66', 0],
    ['progress:66..67', 1],
    ['created:1d created-by:me', 1],
    ['name:nothing', 0],
  ])('runs: %p', async (query, total) => {
    expect((await trivet.call('get-runs', { projectId, query }))['total']).toBe(total);
  });

  test('deleted tests only when it asks for them', async () => {
    const id = (await trivet.makeTests(projectId, 1, { testDescription: 'gone' }))[0];
    await trivet.call('delete-test', { projectId, testId: id });
    expect((await trivet.call('get-tests', { projectId, query: 'gone' }))['total']).toBe(0);
    expect((await trivet.call('get-tests', { projectId, query: 'gone is:deleted' }))['total']).toBe(1);
  });
});

describe('tests that a query chooses', () => {
  test('a run is created of them; a dry run creates nothing', async () => {
    const asked = { projectId, query: 'label:smoke sort:name-desc', runName: 'Smoke' };
    const first = [
      { testId: testIds[0], testName: 'Pay by card' },
      { testId: testIds[2], testName: 'Empty the basket' },
    ];
    const before = await trivet.everything();
    const dry = await trivet.call('create-run-from-query', { ...asked, dryRun: true });
    expect(dry).toEqual({ dryRun: true, count: 2, first });
    expect(await trivet.everything()).toBe(before);
    const made = await trivet.call('create-run-from-query', asked);
    expect(made).toMatchObject({
      dryRun: false,
      count: 2,
      first,
      run: { counts: { total: 2, untested: 2 } },
    });
  });

  test.each([true, false])('a run of an unknown milestone is refused (dry run: %p)', async (dryRun) => {
    const asked = { projectId, query: 'label:smoke', runName: 'x', milestoneId: 999_999, dryRun };
    expect(await trivet.refusal('create-run-from-query', asked)).toMatchObject({
      code: 'MILESTONE_NOT_FOUND',
    });
  });

  test('are changed; those beside them are not', async () => {
    const id = await trivet.makeProject();
    const made = await trivet.makeTests(id, 3);
    const set = { testDescription: 'New', steps: [] };
    const asked = { projectId: id, query: `id:${made[0]},${made[2]}`, set };
    expect(await trivet.call('change-tests', { ...asked, dryRun: true })).toMatchObject({ count: 2 });
    expect((await trivet.call('get-tests', { projectId: id, query: 'has:description' }))['total']).toBe(0);
    expect(await trivet.call('change-tests', asked)).toMatchObject({ dryRun: false, count: 2 });
    const changed = await trivet.call('get-tests', { projectId: id, query: 'has:description' });
    expect(names(changed)).toEqual(['t0', 't2']);
  });

  test.each([true, false])('a deletion of none is refused (dry run: %p)', async (dryRun) => {
    const asked = { projectId, query: 'id:999999', dryRun };
    expect(await trivet.refusal('delete-tests-by-query', asked)).toMatchObject({
      code: 'NOTHING_TO_UPDATE',
    });
  });

  test('are deleted; more than a call may change are refused', async () => {
    const id = await trivet.makeProject();
    for (let n = 0; n < 2; n++) await trivet.makeTests(id, 2_501);
    const set = { testDescription: 'New' };
    const refused = await trivet.refusal('change-tests', { projectId: id, query: '', set });
    expect(refused).toMatchObject({ code: 'QUERY_TOO_EXPENSIVE', causeWord: 'query' });
    const deleted = await trivet.call('delete-tests-by-query', { projectId: id, query: '-name:=t7' });
    expect(deleted).toMatchObject({ count: 5_000 });
    expect((await trivet.call('get-project-detail', { projectId: id }))['testsCount']).toBe(2);
    const again = await trivet.refusal('delete-tests-by-query', { projectId: id, query: '-name:=t7' });
    expect(again).toMatchObject({ code: 'NOTHING_TO_UPDATE', causeWord: 'query' });
  });
});

/** @see A search in small letters did not find what begins with a capital beyond ASCII: "überweisung" found no "Überweisung". */
test('letters beyond ASCII are found whatever their case, before and after the texts have marks', async () => {
  const { call } = trivet;
  const id = await trivet.makeProject();
  const sectionId = await trivet.makeSection(id, 'Äpfel');
  await call('create-field', {
    projectId: id,
    key: 'city',
    name: 'City',
    kind: 'choice',
    options: ['Örebro', 'Bonn'],
  });
  const items = [
    { testName: 'Überweisung prüfen', sectionId, fields: { city: 'Örebro' } },
    { testName: 'ÜBERWEISUNG LÖSCHEN', testDescription: 'Оплата картой' },
    { testName: 'Konto', steps: [{ action: 'Die Überweisung öffnen' }] },
    { testName: 'Uberweisung' },
  ];
  await call('bulk-add-tests', { projectId: id, tests: items });
  // Every letter costs a replacement in each text.
  const hostile = Array.from({ length: 250 }, (_, n) => String.fromCodePoint(0x100 + n)).join('');
  const [check, erase, account] = items.map(({ testName }) => testName);
  const cases: ReadonlyArray<readonly [query: string, found: ReadonlyArray<string | undefined>]> = [
    ['überweisung', [check, erase, account]],
    ['ÜBERWEISUNG', [check, erase, account]],

    ['"die überweisung öffnen"', [account]],
    ['löschen', [erase]],
    ['оплата', [erase]],
    ['name:"überweisung prüfen"', [check]],
    ['name:="überweisung prüfen"', [check]],
    ['section:äpfel', [check]],
    ['cf.city:örebro', [check]],
    [hostile, []],
  ];
  const found = async () =>
    Promise.all(
      cases.map(async ([query]) =>
        names(await call('get-tests', { projectId: id, query: `${query} sort:id` })),
      ),
    );
  const wanted = cases.map(([, some]) => some.map(String));
  expect(await found()).toEqual(wanted);
  trivet.clock.advance(60_000);
  const host = { db: trivet.kernel.host.db, clock: trivet.clock };
  expect(await markTexts(host)).toBeGreaterThan(0);
  expect(await found()).toEqual(wanted);
});

test('more than 100,000 tests are counted, and not acted on', async () => {
  const id = await trivet.makeProject();
  const row = {
    projectId: id,
    description: '',
    preconditions: '',
    steps: [],
    createdBy: 1,
    createdAt: 1,
    updatedAt: 1,
  };
  const many = 100_001;
  await trivet.kernel.host.db.tx(async (q) => {
    for (let made = 0; made < many; made += 1_000) {
      const length = Math.min(1_000, many - made);
      await q.insert(tests).values(Array.from({ length }, (_, n) => ({ ...row, name: `t${made + n}` })));
    }
  });
  const query = 'name:t';
  expect((await trivet.call('get-tests-count', { projectId: id, query }))['total']).toBe(many);
  const refused = await trivet.refusal('delete-tests-by-query', { projectId: id, query });
  expect(refused).toMatchObject({ code: 'QUERY_TOO_EXPENSIVE', causeWord: 'query' });
}, 60_000);

describe('a query that is wrong is refused with what was meant', () => {
  test.each<[string, RegExp, RegExp]>([
    [
      'lable:smoke',
      /character 1: There is no field "lable" here\. Did you mean "label"\?/,
      /Fields: id, name/,
    ],
    ['label:smok', /character 7: Project \d+ has no label "smok"\. Did you mean label:smoke\?/, /get-labels/],
    ['label:"slow on"', /Did you mean label:"slow one"\?/, /get-labels/],
    ['section:"Checkout > Paymnt"', /Did you mean section:"Checkout > Payment"\?/, /get-sections/],
    ['priority:Hgih', /Did you mean priority:High\?/, /get-priority/],
    ['last:faild', /"last" has no value "faild"\. Did you mean "failed"\?/, /Values: passed, failed/],
    ['failed:many', /"failed" takes a whole number, not "many"/, /failed:>=2/],
    ['failed:5..1', /Nothing is between "5" and "1"/, /failed:1\.\.5/],
    [
      'created:2026-11-02..2026-11-01',
      /a range begins with its lower end/,
      /created:2026-11-01\.\.2026-11-02/,
    ],
    ['updated:yesterday', /"updated" takes a time, not "yesterday"/, /2026-11-01/],
    ['updated:2026-02-30', /"updated" takes a time/, /2026-11-01/],
    ['updated:>=2026-02-30T09:00Z', /"updated" takes a time/, /2026-11-01/],
    ['label:>smoke', /"label" has no order/, /label:smoke/],
    ['created-by:ann', /"created-by" takes a person's e-mail address/, /get-all-users/],
    ['created-by:nobody@example.org', /Nobody here has the address/, /get-all-users/],
    ['in-run:999999', /There is no run 999999/, /get-runs/],
    ['in-run:smoke', /"in-run" takes the id of a run/, /get-runs/],
    ['status:failed', /There is no field "status" here/, /Fields:/],
    ['sort:upated', /"upated" is nothing to sort by\. Did you mean "updated"\?/, /Sort by id/],
    ['http://example.org', /There is no field "http" here/, /quotes: "http:\/\/example\.org"/],
    ['a (b', /This "\(" is never closed/, /Add the "\)"/],
  ])('%p', async (query, message, tip) => {
    const thrown = await trivet.call('get-tests', { projectId, query }).catch((error: unknown) => error);
    if (!(thrown instanceof Fault)) throw new Error('it was accepted');
    expect({ code: thrown.code, message: thrown.message, tip: thrown.tip }).toEqual({
      code: 'INVALID_QUERY',
      message: expect.stringMatching(message) as string,
      tip: expect.stringMatching(tip) as string,
    });
  });

  test.each<[string, string]>([
    ['section:"Cart > Input > 10"', String.raw`section:"Cart > Input \\> 10"`],
    [String.raw`section:"Cart > Input \> 1"`, String.raw`section:"Cart > Input \\> 10"`],
    ['label:"say \\"ho\\""', String.raw`label:"say \"hi\""`],
    [String.raw`label:"C:\\tmp"`, String.raw`label:"C:\\temp"`],
  ])('%p is answered with a query that works: %p', async (query, meant) => {
    const id = await trivet.makeProject();
    const sectionId = await trivet.makeSection(id, 'Input > 10', await trivet.makeSection(id, 'Cart'));
    await trivet.call('add-labels', { projectId: id, labels: ['say "hi"', String.raw`C:\temp`] });
    const labels = await trivet.call('get-labels', { projectId: id });
    const labelIds = (labels['labels'] as ReadonlyArray<{ labelId: number }>).map(({ labelId }) => labelId);
    await trivet.call('create-test', { projectId: id, testName: 'one', sectionId, labels: labelIds });
    const thrown = await trivet.refusal('get-tests', { projectId: id, query });
    expect(thrown?.message).toEndWith(`Did you mean ${meant}?`);
    expect(names(await trivet.call('get-tests', { projectId: id, query: meant }))).toEqual(['one']);
  });

  test('names of another project are unknown', async () => {
    const asked = trivet.call('get-tests', { projectId: otherProject, query: 'label:smoke' });
    expect(await asked.catch((error: unknown) => (error as Fault).message)).toMatch(
      /has no label "smoke"\.$/,
    );
  });
});
