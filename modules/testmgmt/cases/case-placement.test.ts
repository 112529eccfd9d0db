import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

interface Place {
  readonly projectId: number;
  readonly testId: number;
  readonly checkout: number;
  readonly payment: number;
}

/** A project with the sections Checkout > Payment and a test outside of them. */
async function place(): Promise<Place> {
  const projectId = await trivet.makeProject();
  const checkout = await trivet.makeSection(projectId, 'Checkout');
  const payment = await trivet.makeSection(projectId, 'Payment', checkout);
  const [testId = 0] = await trivet.makeTests(projectId, 1);
  return { projectId, testId, checkout, payment };
}

/** Each tool that puts tests into sections: its arguments, and the path of the section in them. */
const ways: ReadonlyArray<
  readonly [string, (at: Place, fields: object, call?: object) => object, string, string]
> = [
  [
    'create-test',
    ({ projectId }, fields, call) => ({ projectId, testName: 'new', ...fields, ...call }),
    'section',
    'section',
  ],
  ['update-test', ({ testId }, fields, call) => ({ testId, ...fields, ...call }), 'section', 'section'],
  [
    'bulk-add-tests',
    ({ projectId }, fields, call) => ({ projectId, tests: [{ testName: 'new', ...fields }], ...call }),
    'tests[0].section',
    'tests',
  ],
  [
    'bulk-update-tests',
    ({ testId }, fields, call) => ({ tests: [{ testId, ...fields }], ...call }),
    'tests[0].section',
    'tests',
  ],
  [
    'change-tests',
    ({ projectId, testId }, set, call) => ({ projectId, query: `id:${testId}`, set, ...call }),
    'set.section',
    'set',
  ],
];

const sectionsOf = async (projectId: number) => {
  const { sections } = await trivet.call('get-sections', { projectId });
  return (sections as Array<{ sectionPath: string[] }>).map(({ sectionPath }) => sectionPath.join(' > '));
};

/** The path of the section of the newest test. */
const newestIn = async (projectId: number) => {
  const { tests } = await trivet.call('get-tests', { projectId });
  return (tests as Array<{ sectionPath: string[] }>).at(-1)?.sectionPath;
};

describe.each(ways)('%s', (tool, input, path, cause) => {
  test('a path is the section, whatever its case and space', async () => {
    const at = await place();
    await trivet.call(tool, input(at, { section: ' checkout>PAYMENT ' }));
    expect(await newestIn(at.projectId)).toEqual(['Checkout', 'Payment']);
    expect(await sectionsOf(at.projectId)).toEqual(['Checkout', 'Checkout > Payment']);
  });

  test('with create the missing sections are made, and a second call finds them', async () => {
    const at = await place();
    const section = 'Checkout > Refund > Part \\> whole';
    for (const _ of ['made', 'found']) {
      await trivet.call(tool, input(at, { section }, { create: true }));
      expect(await newestIn(at.projectId)).toEqual(['Checkout', 'Refund', 'Part > whole']);
    }
    expect(await sectionsOf(at.projectId)).toHaveLength(4);
  });

  const deep = Array.from({ length: 33 }, (_, n) => `s${n}`).join(' > ');
  const refusals: ReadonlyArray<readonly [string, object, object, string, RegExp]> = [
    [
      'an unknown path, with the nearest one',
      { section: 'Chekout > Payment' },
      {},
      'SECTION_NOT_FOUND',
      /"Chekout > Payment" \(did you mean "Checkout > Payment"\?\)\. Nothing was written/,
    ],
    [
      'the end of a path',
      { section: 'Payment' },
      { create: false },
      'SECTION_NOT_FOUND',
      /"Payment" \(did you mean "Checkout > Payment"\?\)/,
    ],
    [
      'a path beside an id',
      { section: 'Checkout', sectionId: 1 },
      {},
      'INVALID_REQUEST',
      /beside sectionId: /,
    ],
    [
      'a path of nothing',
      { section: ' > ' },
      { create: true },
      'INVALID_REQUEST',
      /section names no section/,
    ],
    ['a path that is too deep', { section: deep }, { create: true }, 'SECTION_TOO_DEEP', /has 33 names/],
    [
      'a name that is too long',
      { section: `Checkout > ${'x'.repeat(256)}` },
      { create: true },
      'INVALID_REQUEST',
      /more than 255 characters/,
    ],
  ];
  test.each(refusals)('refuses %s', async (_title, fields, call, code, message) => {
    const at = await place();
    const before = await trivet.everything();
    const fault = await trivet.refusal(tool, input(at, fields, call));
    expect(fault).toMatchObject({ code, causeWord: cause });
    expect(fault?.message).toMatch(message);
    expect(fault?.message).toContain(path);
    if (code === 'SECTION_NOT_FOUND') expect(fault?.tip).toContain('create true');
    expect(await trivet.everything()).toBe(before);
  });

  test('what is refused afterwards makes no section', async () => {
    const at = await place();
    const before = await trivet.everything();
    const refused = input(at, { section: 'New', squadId: 999_999 }, { create: true });
    expect((await trivet.refusal(tool, refused))?.code).toBe('NOT_IN_PROJECT');
    expect(await trivet.everything()).toBe(before);
  });
});

test('a dry run makes no section, and says when one is unknown', async () => {
  const { projectId, testId } = await place();
  const before = await trivet.everything();
  const dry = { projectId, query: `id:${testId}`, set: { section: 'A > B' }, dryRun: true };
  expect((await trivet.refusal('change-tests', dry))?.code).toBe('SECTION_NOT_FOUND');
  expect(await trivet.call('change-tests', { ...dry, create: true })).toMatchObject({ count: 1 });
  expect(await trivet.everything()).toBe(before);
});

test('null takes a test out of its section', async () => {
  const { projectId, testId } = await place();
  await trivet.call('update-test', { testId, section: 'Checkout' });
  expect(await trivet.call('update-test', { testId, section: null })).toMatchObject({ sectionId: null });
  expect(await trivet.call('get-project-detail', { projectId })).toMatchObject({ testsCount: 1 });
});

test('many tests name many sections, of several projects; each is made once in its own', async () => {
  const [one, two] = [await place(), await place()];
  const ids = await trivet.makeTests(one.projectId, 600);
  await trivet.call('bulk-update-tests', {
    tests: [
      ...ids.map((testId, n) => ({ testId, section: `Group ${n % 150} > Sub` })),
      { testId: two.testId, section: 'Group 0 > Sub' },
    ],
    create: true,
  });
  expect(await sectionsOf(one.projectId)).toHaveLength(2 + 300);
  expect(await sectionsOf(two.projectId)).toHaveLength(2 + 2);
  expect(
    await trivet.call('get-tests', { projectId: one.projectId, query: 'section:"Group 7"' }),
  ).toMatchObject({ total: 4 });
});

test('two calls at once that make the same section make one', async () => {
  const { projectId } = await place();
  const make = () =>
    trivet.call('create-test', { projectId, testName: 'x', section: 'Both > Same', create: true });
  const made = await Promise.all([make(), make(), make(), make()]);
  expect(new Set(made.map(({ sectionId }) => sectionId)).size).toBe(1);
  expect(await sectionsOf(projectId)).toHaveLength(4);
});

test('a project has at most 10,000 sections, however they are made', async () => {
  const { projectId } = await place();
  const tests = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ testName: 'x', section: `s${from + n}` }));
  for (const from of [0, 5_000])
    await trivet.call('bulk-add-tests', { projectId, tests: tests(from, 4_999), create: true });
  const before = await trivet.everything();
  const fault = await trivet.refusal('bulk-add-tests', {
    projectId,
    tests: tests(20_000, 2),
    create: true,
  });
  expect(fault).toMatchObject({ code: 'PROJECT_FULL' });
  expect(await trivet.everything()).toBe(before);
}, 60_000);
