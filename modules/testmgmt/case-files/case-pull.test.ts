import { describe, expect, test } from 'bun:test';
import type { CaseBase } from './case-base.ts';
import { contentHash, type TestContent } from './case-content.ts';
import { planPull, type ServerCase } from './case-pull.ts';
import { planPush } from './case-push.ts';
import { readTree } from './case-tree.ts';

const content = (over: Partial<TestContent>): TestContent => ({
  testName: 'Pay',
  section: ['S'],
  testDescription: 'By card.',
  preconditions: '',
  steps: [],
  priority: 'High',
  type: null,
  automationStatus: null,
  platform: null,
  testCoveredBy: null,
  squad: 'Web',
  labels: ['smoke'],
  estimateSeconds: null,
  ...over,
});

const server: readonly ServerCase[] = [
  { testId: 1, version: 3, content: content({}) },
  { testId: 2, version: 1, content: content({ testName: 'Refund', section: ['S', 'Sub'] }) },
  { testId: 3, version: 1, content: content({ testName: 'Log in', section: ['Other'], labels: [] }) },
];

interface Folder {
  readonly files: ReadonlyMap<string, string>;
  readonly base: CaseBase;
}

const nothing: Folder = { files: new Map(), base: { server: null, project: 1, tests: new Map() } };

function pull({ files, base }: Folder, from: readonly ServerCase[], known: readonly ServerCase[]) {
  const contents = new Map(known.map((one) => [one.testId, one.content]));
  const plan = planPull({ tree: readTree(files), base, server: from, baseOf: (id) => contents.get(id) });
  const next = new Map(files);
  for (const [path, text] of plan.files) {
    if (text === null) next.delete(path);
    else next.set(path, text);
  }
  return { files: next, base: plan.base, pulled: plan.pulled };
}

const clone = (from: readonly ServerCase[]) => pull(nothing, from, []);
const sorted = (files: ReadonlyMap<string, string>) => [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));

/** What changes in the contents of tests without a new version of them. */
const renames: ReadonlyArray<readonly [string, (one: TestContent) => Partial<TestContent>]> = [
  [
    'a section is renamed',
    ({ section }) => ({ section: section.map((name) => (name === 'S' ? 'S2' : name)) }),
  ],
  [
    'a section is moved',
    ({ section }) => ({ section: section[0] === 'S' ? ['Other', ...section] : section }),
  ],
  ['a label is renamed', ({ labels }) => ({ labels: labels.map(() => 'quick, odd') })],
  ['a squad is renamed', () => ({ squad: 'Shop' })],
  ['a value is renamed', () => ({ priority: 'Urgent' })],
  ['a label is deleted', () => ({ labels: [] })],
];

const renamedBy = (rename: (one: TestContent) => Partial<TestContent>) =>
  server.map((one) => ({ ...one, content: { ...one.content, ...rename(one.content) } }));

/** @see Finding: a pull looked only at versions, so a renamed or moved section stayed where it was, and a push made it anew. */
describe.each(renames)('%s', (_, rename) => {
  const after = renamedBy(rename);

  test('a pull makes the files of a new clone, and another one changes nothing', () => {
    const first = pull(clone(server), after, server);
    expect(sorted(first.files)).toEqual(sorted(clone(after).files));
    expect(first.base).toEqual(clone(after).base);
    expect(first.pulled.map(({ outcome }) => outcome)).toEqual(
      after
        .filter((one, at) => contentHash(one.content) !== contentHash((server[at] ?? one).content))
        .map(() => 'changed'),
    );
    const second = pull(first, after, after);
    expect([sorted(second.files), second.pulled]).toEqual([sorted(first.files), []]);
  });

  test('what was changed in the files stays, and a push has only that', () => {
    const { files, base } = clone(server);
    const edited = new Map([...files].map(([path, text]) => [path, text.replace('By card.', 'By invoice.')]));
    const merged = pull({ files: edited, base }, after, server);
    const wanted = clone(
      after.map((one) => ({ ...one, content: { ...one.content, testDescription: 'By invoice.' } })),
    );
    expect(sorted(merged.files)).toEqual(sorted(wanted.files));
    const contents = new Map(after.map((one) => [one.testId, one.content]));
    const push = planPush(readTree(merged.files), merged.base, (id) => contents.get(id));
    expect(push.tests.map(({ fields }) => fields)).toEqual(after.map(() => ['testDescription']));
  });
});

test('a section in another case is the same file, and no change', () => {
  const { files, base } = clone(server);
  const renamed = new Map([...files].map(([path, text]) => [path.toLowerCase(), text]));
  const lower = {
    files: renamed,
    base: {
      ...base,
      tests: new Map([...base.tests].map(([id, one]) => [id, { ...one, path: one.path.toLowerCase() }])),
    },
  };
  const pushed = readTree(renamed).cases.map(({ testId, hash }) => [testId ?? 0, hash] as const);
  const tests = new Map(pushed.map(([id, hash]) => [id, { path: 'x', version: id === 1 ? 3 : 1, hash }]));
  expect(pull({ ...lower, base: { ...base, tests } }, server, server).pulled).toEqual([]);
});

/** @see Finding: where "é" is the same file in both encodings, a new test of the section replaced the file with all others. */
test('a new test of a section is in its file, whatever the encoding of the accents in its name', () => {
  const [nfc, nfd] = ['Caf\u00e9', 'Cafe\u0301'];
  const [one, two] = [1, 2].map((testId) => ({ testId, version: 1, content: content({ section: [nfc] }) }));
  if (!one || !two) throw new Error('no tests');
  const { files, base } = clone([one]);
  const moved = new Map([...files].map(([path, text]) => [path.normalize('NFD'), text]));
  const next = pull({ files: moved, base }, [one, two], [one]);
  expect([...next.files.keys()]).toEqual([`${nfd}.test.md`]);
  expect(readTree(next.files).cases.map(({ testId }) => testId)).toEqual([1, 2]);
});

/** @see Finding: a push that deletes such a test was refused, and the pull that it asked for did nothing, so nothing could be pushed any more. */
test('a test that was removed here and changed on the server is here again, and can then be deleted', () => {
  const first = clone(server);
  const files = new Map([...first.files].filter(([path]) => !path.startsWith('Other')));
  expect(pull({ ...first, files }, server, server).pulled).toMatchObject([
    { testId: 3, outcome: 'deleted here' },
  ]);
  const changed = server.map((one) => (one.testId === 3 ? { ...one, version: 2 } : one));
  const next = pull({ ...first, files }, changed, server);
  expect(next.pulled).toMatchObject([{ testId: 3, outcome: 'added' }]);
  expect(sorted(next.files)).toEqual(sorted(first.files));
  const { deleted } = planPush(readTree(files), next.base, () => undefined);
  expect(deleted).toMatchObject([{ testId: 3, version: 2 }]);
});
