import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { wrongOutcomes } from '../testing/outcome-model.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { junitText } from '../testing/junit-text.ts';
import { spans, toldHistory } from '../testing/suite-history.ts';
import type { UploadReport } from './rows/upload-report.ts';

/**
 * Forty builds of one suite, as testing/suite-history.ts reads them. A test that a person regards as the same has one history, with its
 * name in each build; different tests never share a history.
 */
const table: ReadonlyArray<readonly [title: string, ...edits: string[]]> = [
  [
    'the suite begins',
    ...['adds an item', 'removes an item', 'shows the total', 'works'].map((name) => `+ cart > ${name}`),
    ...['pays by card', 'accepts 3 items', 'works', 'refunds a payment'].map((name) => `+ pay > ${name}`),
    ...['signs in', 'signs out', 'is allowed to read', 'shows an avatar'].map((name) => `+ user > ${name}`),
    ...['adds numbers', 'divides numbers', 'rounds numbers', 'compares numbers'].map(
      (name) => `+ math > ${name}`,
    ),
  ],
  ['nothing changes'],
  ['a name with another word', 'cart > adds an item -> cart > adds one item'],
  ['a name in another style', 'cart > removes an item -> cart > test_removes_an_item'],
  ['another file', 'pay > pays by card -> checkout > pays by card'],
  ['first parameters', 'math > adds numbers -> math > adds numbers[1-2]'],
  ['a second set of parameters is another test', '+ math > adds numbers[3-4]'],
  [
    'a file has another name, and one of its tests, too',
    'cart > adds one item -> basket > adds one item',
    'cart > test_removes_an_item -> basket > test_removes_an_item',
    'cart > shows the total -> basket > shows the total price',
    'cart > works -> basket > works',
  ],
  ['a number is what is tested', '! pay > accepts 3 items -> pay > accepts 4 items'],
  [
    'a test is split in two',
    '- checkout > pays by card',
    '+ checkout > pays by debit card',
    '+ checkout > pays by credit card',
  ],
  ['a test is deleted', '- user > shows an avatar'],
  ['its opposite is another test', '! user > is allowed to read -> user > is not allowed to read'],
  ['another one in its place', '! math > rounds numbers -> math > formats money'],
  ['a deleted test is there again', '~ user > shows an avatar'],
  ['the last parameters go', '- math > adds numbers[3-4]', 'math > adds numbers[1-2] -> math > adds numbers'],
  [
    'two tests swap their files',
    'user > signs out -> basket > signs out',
    'basket > adds one item -> user > adds one item',
  ],
  ['and back', 'basket > signs out -> user > signs out', 'user > adds one item -> basket > adds one item'],
  ['an old name for another test, beside the new one', '+ basket > adds an item'],
  ['a short name in another place says nothing', '! pay > works -> orders > works'],
  [
    'the split is undone',
    '- checkout > pays by debit card',
    '- checkout > pays by credit card',
    '~ checkout > pays by card',
  ],
  ['nothing changes'],
  [
    'two alike go, another number comes',
    '- basket > adds one item',
    '- basket > adds an item',
    '+ basket > adds five items',
  ],
  ['a name is made longer', 'pay > refunds a payment -> pay > refunds a whole payment'],
  ['a rename is taken back', 'pay > refunds a whole payment -> pay > refunds a payment'],
  ['the longer name is another test now', '+ pay > refunds a whole payment'],
  ['both stay'],
  ['one of both goes', '- pay > refunds a whole payment'],
  [
    'a name with an ordinal',
    '+ steps > 1. opens the shop',
    '+ steps > 2. fills the basket',
    '+ steps > 3. leaves a review',
  ],
  [
    'a step before them: each has the next ordinal',
    '+ steps > 1. waits for the page',
    'steps > 1. opens the shop -> steps > 2. opens the shop',
    'steps > 2. fills the basket -> steps > 3. fills the basket',
    'steps > 3. leaves a review -> steps > 4. leaves a review',
  ],
  ['the opposite word', '! math > divides numbers -> math > multiplies numbers'],
  ['files meet in one', '! orders > works -> shop > orders works', '- basket > works'],
  ['parameters change', 'math > compares numbers -> math > compares numbers[a]'],
  ['other parameters', '! math > compares numbers[a] -> math > compares numbers[b]'],
  [
    'a folder has another name',
    'user > signs in -> people > signs in',
    'user > signs out -> people > signs out',
    'user > is not allowed to read -> people > is not allowed to read',
    'user > shows an avatar -> people > shows an avatar',
  ],
  ['an old place for another test', '+ user > signs in'],
  ['nothing changes'],
  [
    'half of the suite goes',
    '- steps > 1. waits for the page',
    '- steps > 2. opens the shop',
    '- steps > 3. fills the basket',
    '- steps > 4. leaves a review',
  ],
  [
    'and is there again',
    '~ steps > 1. waits for the page',
    '~ steps > 2. opens the shop',
    '~ steps > 3. fills the basket',
    '~ steps > 4. leaves a review',
  ],
  ['a plural', 'basket > shows the total price -> basket > shows the totals price'],
  ['and the singular again', 'basket > shows the totals price -> basket > shows the total price'],
];

const { builds, tests } = toldHistory(table);

test('there are forty builds', () => expect(builds).toHaveLength(40));

/** A pytest file: only pytest separates parameters from the name. Each case fails with its own name as the message. */
const fileOf = (keys: readonly string[]) =>
  junitText({
    pytest: keys.map((key) => {
      const [classname = '', name = ''] = key.split(' > ');
      return { classname, name, failed: key };
    }),
  });

const inShop = (key: string) => /^(?:pay|checkout|orders|shop|math) /.test(key);

interface Part {
  readonly job?: string;
  readonly keys: readonly string[];
}

/** The ways to upload a build: in these parts, one after the other. */
const ways: ReadonlyArray<
  readonly [title: string, (keys: readonly string[], number: number) => readonly Part[]]
> = [
  ['in one upload', (keys) => [{ keys }]],
  ['each upload twice', (keys) => [{ keys }, { keys }]],
  [
    'in two jobs, in any order, each upload twice',
    (keys, number) => {
      const shop = { job: 'test 1/2', keys: keys.filter(inShop) };
      const others = { job: 'test 2/2', keys: keys.filter((key) => !inShop(key)) };
      return number % 2 === 0 ? [shop, others, shop, others] : [others, shop, shop, others];
    },
  ],
];

describe.each(ways)('%s', (_way, partsOf) => {
  let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
  let projectId: number;
  const reports: Array<readonly UploadReport[]> = [];

  beforeAll(async () => {
    trivet = await startTestmgmtKernel();
    projectId = await trivet.makeProject();
    for (const [index, { keys }] of builds.entries()) {
      const answers: unknown[] = [];
      for (const { keys: part, ...job } of partsOf(keys, index + 1)) {
        trivet.clock.advance(60_000);
        const files = [{ name: 'junit.xml', content: fileOf(part) }];
        const given = { runKey: `build ${index + 1}`, branch: 'main', create: true, acceptRenames: true };
        answers.push(await trivet.call('ingest-results', { projectId, files, ...given, ...job }));
      }
      reports.push(answers as UploadReport[]);
    }
  }, 120_000);
  afterAll(() => trivet.stop());

  const rowsOf = async (testId: number) => {
    const numbers = new Map(reports.map(([first], index) => [first?.runId, index + 1]));
    const { history } = (await trivet.call('get-test-status-history', {
      projectId,
      testId,
      limit: 500,
    })) as { history: Array<{ runId: number; comment: string }> };
    return history.map(({ runId, comment }) => [numbers.get(runId) ?? 0, comment] as const);
  };
  const testIds = async () => {
    const { tests: all } = (await trivet.call('get-tests', { projectId, limit: 500 })) as {
      tests: Array<{ testId: number }>;
    };
    return all.map(({ testId }) => testId);
  };

  test.each(builds.map((build, index) => [index + 1, build.title, build] as const))(
    'build %d: %s',
    async (number, _title, { keys, added, renamed }) => {
      const answers = reports[number - 1] ?? [];
      const accepted = answers.flatMap((one) => one.renamed.filter((rename) => rename.accepted));
      const sum = (count: (one: UploadReport) => number) => answers.reduce((all, one) => all + count(one), 0);
      expect({
        runs: new Set(answers.map(({ runId }) => runId)).size,
        renamed: accepted.map(({ from, to }) => `${from} -> ${to}`).toSorted(),
        created: sum(({ created }) => created),
        unmatched: sum(({ unmatched }) => unmatched),
      }).toEqual({ runs: 1, renamed: renamed.toSorted(), created: added, unmatched: 0 });
      const last = answers.at(-1)?.runId;
      expect(await trivet.call('run-detail', { projectId, runId: last })).toMatchObject({
        counts: { total: keys.length, failed: keys.length },
      });
    },
  );

  test('each test has the history that a person tells, and each result once', async () => {
    const told = tests.map(({ names }) => spans(names).join(', '));
    const stored = await Promise.all((await testIds()).map(async (id) => spans(await rowsOf(id)).join(', ')));
    expect(stored.toSorted()).toEqual(told.toSorted());
  });

  test('each name finds the test that had it last', async () => {
    const called = new Map<string, string>();
    for (const { names } of [...tests].toSorted((a, b) => lastOf(a) - lastOf(b)))
      for (const name of names.values()) called.set(name, spans(names).join(', '));
    const { aliases } = (await trivet.call('list-aliases', { projectId, limit: 500 })) as {
      aliases: Array<{ key: string; testId: number }>;
    };
    const found = new Map<string, string>();
    for (const { key, testId } of aliases) found.set(key, spans(await rowsOf(testId)).join(', '));
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(called));
  });

  test('counts and outcomes are those of the rows', async () => {
    expect(await trivet.wrongCounts()).toEqual([]);
    expect(await wrongOutcomes(trivet.kernel.host.db.q)).toEqual([]);
  });
});

/** The first build in which a test ran. */
const lastOf = ({ names }: (typeof tests)[number]) => Math.min(...names.keys());
