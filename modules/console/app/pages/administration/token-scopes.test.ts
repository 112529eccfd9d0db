import { describe, expect, test } from 'bun:test';
import { allowsSomething, noScopes, scopeSentence, scopesOf, type ScopeChoice } from './token-scopes.ts';

describe('the scopes of a choice', () => {
  const cases: ReadonlyArray<[Partial<ScopeChoice>, readonly string[], string]> = [
    [{}, [], 'It may use nothing yet. Choose at least one toolset.'],
    [
      { toolsets: ['testmgmt:read', 'cta'] },
      ['testmgmt:read', 'cta'],
      'It may use the tools of testmgmt:read, cta, and no others: cannot grant roles.',
    ],
    [
      { toolsets: ['cta', 'cta:read'] },
      ['cta'],
      'It may use the tools of cta, and no others: cannot grant roles.',
    ],
    [
      { grants: ['cta:publish'] },
      ['cta:publish'],
      'It may use the tools of cta, and no others: cannot grant roles.',
    ],
    [
      { grants: ['admin'], isReadOnly: true, orgId: 7 },
      ['admin', 'read-only', 'org:7'],
      'It may use nothing yet. Choose at least one toolset.',
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
