import { expect, test } from 'bun:test';
import { firstSteps } from './first-steps.ts';

const project = (projectId: number, testsCount: number, runsCount: number) => ({
  projectId,
  testsCount,
  runsCount,
});

test.each([
  ['nothing', [], false, ['project:/?new=1', 'tests:-', 'run:-', 'result:-']],
  [
    'an empty project',
    [project(3, 0, 0)],
    false,
    ['project done', 'tests:/projects/3/tests', 'run:-', 'result:-'],
  ],
  [
    'tests',
    [project(3, 2, 0)],
    false,
    ['project done', 'tests done', 'run:/projects/3/runs?new=1', 'result:-'],
  ],
  ['a run', [project(3, 2, 1)], false, ['project done', 'tests done', 'run done', 'result:/projects/3/runs']],
  ['a result', [project(3, 2, 1)], true, ['project done', 'tests done', 'run done', 'result done']],
  [
    'the project that is farthest counts',
    [project(1, 0, 0), project(2, 9, 0), project(4, 1, 1)],
    false,
    ['project done', 'tests done', 'run done', 'result:/projects/4/runs'],
  ],
])('%s', (_, projects, hasResult, expected) => {
  const shown = firstSteps(projects, hasResult).map(({ id, isDone, to }) =>
    isDone ? `${id} done` : `${id}:${to ?? '-'}`,
  );
  expect(shown).toEqual(expected);
});
