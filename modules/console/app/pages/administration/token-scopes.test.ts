import { describe, expect, test } from 'bun:test';
import {
  allowsSomething,
  forProject,
  noScopes,
  scopeSentence,
  scopesOf,
  tasksFor,
  type ScopeChoice,
} from './token-scopes.ts';

describe('the scopes of a choice', () => {
  const cases: ReadonlyArray<[Partial<ScopeChoice>, readonly string[], string]> = [
    [{}, [], 'It may use nothing yet. Choose a task, or at least one area.'],
    [
      { toolsets: ['testmgmt:read', 'cta'] },
      ['testmgmt:read', 'cta'],
      'It may use Tests and runs (only reading), Calls to action, and nothing else: cannot grant roles.',
    ],
    [
      { toolsets: ['cta', 'cta:read'] },
      ['cta'],
      'It may use Calls to action, and nothing else: cannot grant roles.',
    ],
    [
      { grants: ['cta:publish'] },
      ['cta:publish'],
      'It may use Calls to action, and nothing else: cannot grant roles.',
    ],
    [
      { toolsets: ['results'], projectId: 3 },
      ['results', 'project:3'],
      'It may use Results of pipelines, and nothing else: only in one project, cannot grant roles.',
    ],
    [
      forProject({ ...noScopes, toolsets: ['cta', 'testmgmt:read'], grants: ['admin'], orgId: 7 }, 3),
      ['testmgmt:read', 'project:3'],
      'It may use Tests and runs (only reading), and nothing else: only in one project, cannot grant roles.',
    ],
    [
      { grants: ['admin'], isReadOnly: true, orgId: 7 },
      ['admin', 'read-only', 'org:7'],
      'It may use nothing yet. Choose a task, or at least one area.',
    ],
  ];
  test.each([
    [{}, false],
    [{ grants: ['admin'] }, false],
    [{ isReadOnly: true, orgId: 7 }, false],
    [{ toolsets: ['cta:read'] }, true],
    [{ grants: ['cta:publish'] }, true],
  ])('%o allows something: %p', (part, allows) =>
    expect(allowsSomething({ ...noScopes, ...part })).toBe(allows),
  );
  test.each(cases)('%o', (part, scopes, sentence) => {
    const choice = { ...noScopes, ...part };
    expect([scopesOf(choice), scopeSentence(choice)]).toEqual([[...scopes], sentence]);
  });
});

test.each<[toolsets: readonly string[], tasks: readonly string[]]>([
  [
    ['testmgmt', 'extra', 'results', 'cta', 'auth'],
    ['pipeline', 'agent', 'reader', 'cta'],
  ],
  [['cta', 'auth'], ['cta']],
  [[], []],
])('a server with %j offers the tasks %j', (toolsets, ids) =>
  expect(tasksFor(toolsets).map(({ id }) => id)).toEqual([...ids]),
);
