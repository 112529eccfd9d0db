import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestmgmtKernel } from '../../testing/testmgmt-kernel.ts';
import { junitText } from '../../testing/junit-text.ts';

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
});
afterAll(() => trivet.stop());

type Upload = readonly [run: string, names: string, create?: boolean];

/**
 * Which tests uploads create by default: all uploads of the first run of a project create its tests. Previously only the first upload did,
 * so the other shards of the build, and the rest of a killed upload, were left out.
 * @see upload.ts, isFirstRun
 */
test.each<[string, readonly Upload[], readonly number[]]>([
  [
    'shards of the first build',
    [
      ['a', 'one'],
      ['a', 'two'],
      ['a', 'one three'],
    ],
    [1, 1, 1],
  ],
  [
    'the next build creates none',
    [
      ['a', 'one'],
      ['b', 'one two'],
    ],
    [1, 0],
  ],
  [
    'unless it is asked to',
    [
      ['a', 'one'],
      ['b', 'one two', true],
    ],
    [1, 1],
  ],
  [
    'the first build again, after the next one',
    [
      ['a', 'one'],
      ['b', 'one'],
      ['a', 'two'],
    ],
    [1, 0, 1],
  ],
  [
    'the first build, which is not to create any',
    [
      ['a', 'one', false],
      ['a', 'two', false],
    ],
    [0, 0],
  ],
])('%s', async (_title, uploads, created) => {
  const projectId = await trivet.makeProject();
  const answers: unknown[] = [];
  for (const [runKey, names, create] of uploads) {
    trivet.clock.advance(1_000);
    const files = [{ name: 'junit.xml', content: junitText({ suite: names.split(' ') }) }];
    const given = { projectId, files, runKey, ...(create === undefined ? {} : { create }) };
    answers.push((await trivet.call('ingest-results', given))['created']);
  }
  expect(answers).toEqual([...created]);
});

test('a project whose tests have keys creates none in its first run', async () => {
  const projectId = await trivet.makeProject();
  const [testId] = await trivet.makeTests(projectId, 1);
  await trivet.call('accept-rename', { projectId, testId, key: 'suite > one' });
  const files = [{ name: 'junit.xml', content: junitText({ suite: ['one', 'two'] }) }];
  expect(await trivet.call('ingest-results', { projectId, files })).toMatchObject({ matched: 1, created: 0 });
});
