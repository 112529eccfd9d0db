import { describe, expect, test } from 'bun:test';
import { noScopes, scopeSentence, scopesOf, type ScopeChoice } from './token-scopes.ts';

describe('the scopes of a choice', () => {
  const cases: ReadonlyArray<[Partial<ScopeChoice>, readonly string[], string]> = [
    [{}, [], 'It may use every tool that you may use: cannot grant roles.'],
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
      'It may use every tool that you may use: only for reading, only in one organization, may grant roles.',
    ],
  ];
  test.each(cases)('%o', (part, scopes, sentence) => {
    const choice = { ...noScopes, ...part };
    expect([scopesOf(choice), scopeSentence(choice)]).toEqual([[...scopes], sentence]);
  });
});
