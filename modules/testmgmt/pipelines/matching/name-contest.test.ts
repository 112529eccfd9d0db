import { afterAll, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test';
import { startTestmgmtKernel } from '../../testing/testmgmt-kernel.ts';
import { junitText } from '../../testing/junit-text.ts';
import type { UploadReport } from '../rows/upload-report.ts';

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let projectId: number;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
});
afterAll(() => trivet.stop());
beforeEach(async () => {
  projectId = await trivet.makeProject();
});

/** The name of each test in each run, oldest first, taken from the messages of its failures. */
async function histories(): Promise<readonly string[]> {
  const { tests } = (await trivet.call('get-tests', { projectId })) as { tests: Array<{ testId: number }> };
  return Promise.all(
    tests.map(async ({ testId }) => {
      const { history } = (await trivet.call('get-test-status-history', { projectId, testId })) as {
        history: Array<{ runName: string; comment: string }>;
      };
      return history
        .toReversed()
        .map(({ runName, comment }) => `${runName} ${comment}`)
        .join(', ');
    }),
  );
}

type Upload = readonly [run: string, names: string, job?: string];
const one = 'adds an item to the cart';
const other = 'adds one item to the cart';
const steady = 'signs in+signs out+shows an avatar';

/**
 * Uploads of cases of one suite, and the resulting history of each test. `one` is renamed to `other` in the run b: what happens when one of
 * the names returns?
 */
test.each<[string, readonly Upload[], readonly string[]]>([
  [
    'a rename',
    [
      ['a', one],
      ['b', other],
    ],
    [`a ${one}, b ${other}`],
  ],
  [
    'the old name on another branch',
    [
      ['a', one],
      ['b', other],
      ['c', one],
    ],
    [`a ${one}, b ${other}, c ${one}`],
  ],
  [
    'both in one file: the present name keeps',
    [
      ['a', one],
      ['b', other],
      ['c', `${one}+${other}`],
    ],
    [`a ${one}, b ${other}, c ${other}`, `c ${one}`],
  ],
  [
    'both, after the rename was taken back: the old name keeps',
    [
      ['a', one],
      ['b', other],
      ['c', one],
      ['d', `${one}+${other}`],
      ['e', other],
    ],
    [`a ${one}, b ${other}, c ${one}, d ${one}`, `d ${other}, e ${other}`],
  ],
  [
    'in two uploads of one build: the first keeps',
    [
      ['a', one],
      ['b', other],
      ['c', one],
      ['c', other],
      ['d', `${other}+${one}`],
    ],
    [`a ${one}, b ${other}, c ${one}, d ${one}`, `c ${other}, d ${other}`],
  ],
  [
    'in two uploads, the new name first',
    [
      ['a', one],
      ['b', other],
      ['c', other],
      ['c', one],
      ['c', other],
      ['c', one],
    ],
    [`a ${one}, b ${other}, c ${other}`, `c ${one}`],
  ],
  // The other job has not reported yet.
  [
    'a new test in one job is like one of another job',
    [
      ['a', `${steady}+shows the total`, 'x'],
      ['a', `${one}+pays by card`, 'y'],
      ['b', `${steady}+shows the total+${other}`, 'x'],
      ['b', `${one}+pays by card`, 'y'],
    ],
    [
      'a signs in, b signs in',
      'a signs out, b signs out',
      'a shows an avatar, b shows an avatar',
      'a shows the total, b shows the total',
      `a ${one}, b ${one}`,
      'a pays by card, b pays by card',
      `b ${other}`,
    ],
  ],
  [
    'a rename in a small job',
    [
      ['a', `${steady}+shows the total`, 'x'],
      ['a', one, 'y'],
      ['b', other, 'y'],
    ],
    ['a signs in', 'a signs out', 'a shows an avatar', 'a shows the total', `a ${one}, b ${other}`],
  ],
])('%s', async (_title, uploads, expected) => {
  for (const [run, names, job] of uploads) {
    trivet.clock.advance(1_000);
    const content = junitText({ cart: names.split('+').map((name) => ({ name, failed: name })) });
    const given = { runKey: run, runName: run, create: true, acceptRenames: true, ...(job && { job }) };
    await trivet.call('ingest-results', { projectId, files: [{ name: 'junit.xml', content }], ...given });
  }
  expect((await histories()).toSorted()).toEqual(expected.toSorted());
  expect(await trivet.wrongCounts()).toEqual([]);
});

test('a dry run foresees which of two names keeps the test, and writes nothing', async () => {
  const upload = async (run: string, names: readonly string[], dryRun: boolean) => {
    trivet.clock.advance(1_000);
    const files = [{ name: 'junit.xml', content: junitText({ cart: names }) }];
    const given = { projectId, files, runKey: run, create: true, acceptRenames: true, dryRun };
    return (await trivet.call('ingest-results', given)) as unknown as UploadReport;
  };
  await upload('a', [one], false);
  await upload('b', [other], false);
  await upload('c', [one], false);
  const before = await trivet.everything();
  const foreseen = await upload('d', [one, other], true);
  expect(await trivet.everything()).toEqual(before);
  expect(foreseen).toMatchObject({ matched: 1, created: 1 });
  expect(await upload('d', [one, other], false)).toMatchObject({ matched: 1, created: 1 });
});

const uploadOfJob = (run: string, job: string, names: readonly string[]) => {
  const files = [
    { name: 'junit.xml', content: junitText({ cart: names.map((name) => ({ name, failed: name })) }) },
  ];
  const given = { projectId, files, runKey: run, runName: run, create: true, acceptRenames: true };
  return trivet.call('ingest-results', { ...given, job }) as unknown as Promise<UploadReport>;
};
const others = steady.split('+');
const third = 'adds items to the cart';

test('two uploads at once take one test for two new ones: one of them is it', async () => {
  await uploadOfJob('a', '', [...others, one]);
  const { db } = trivet.kernel.host;
  const transact = db.tx.bind(db);
  // Both have found the test before one of them writes.
  const { promise: bothFound, resolve: found } = Promise.withResolvers<void>();
  let begun = 0;
  const together = spyOn(db, 'tx').mockImplementation(async (work, options) => {
    if (++begun === 2) found();
    await bothFound;
    return transact(work, options);
  });
  const reports = await Promise.all([
    uploadOfJob('b', 'x', [...others, other]),
    uploadOfJob('b', 'y', [...others, third]),
  ]);
  together.mockRestore();
  const said = (await histories()).filter((line) => line.includes('cart'));
  const accepted = reports.flatMap(({ renamed }) => renamed.filter((rename) => rename.accepted));
  expect(accepted).toHaveLength(1);
  const [taken, left] = accepted[0]?.to === `cart > ${other}` ? [other, third] : [third, other];
  expect(said.toSorted()).toEqual([`a ${one}, b ${taken}`, `b ${left}`].toSorted());
});

test('an upload between a rename and its results does not take the test again', async () => {
  await uploadOfJob('a', '', [...others, one]);
  const { db } = trivet.kernel.host;
  const transact = db.tx.bind(db);
  let begun = 0;
  let second: UploadReport | undefined;
  const between = spyOn(db, 'tx').mockImplementation(async (work) => {
    const done = await transact(work);
    if (++begun === 1) second = await uploadOfJob('b', 'y', [...others, third]);
    return done;
  });
  const first = await uploadOfJob('b', 'x', [...others, other]);
  between.mockRestore();
  expect(first.renamed.map(({ accepted }) => accepted)).toEqual([true]);
  expect(second?.renamed.filter(({ accepted }) => accepted)).toEqual([]);
  const said = (await histories()).filter((line) => line.includes('cart'));
  expect(said.toSorted()).toEqual([`a ${one}, b ${other}`, `b ${third}`].toSorted());
  expect(await trivet.wrongCounts()).toEqual([]);
});
