import { describe, expect, test } from 'bun:test';
import { grantScope, isWithin, narrowScope, wordLine } from './oauth-scope.ts';

const host = { toolsets: ['testmgmt', 'cta', 'auth'] };

describe('what a client gets of what it asks for', () => {
  const cases: ReadonlyArray<readonly [asked: string | undefined, granted: string | null]> = [
    // Accounts and the server are for those that ask for them.
    [undefined, 'testmgmt'],
    ['', 'testmgmt'],
    ['openid email profile', 'testmgmt'],
    ['cta testmgmt', 'testmgmt cta'],
    ['testmgmt:read openid', 'testmgmt:read'],
    ['read-only', 'testmgmt read-only'],
    ['admin', 'testmgmt admin'],
    ['cta cta:publish', 'cta cta:publish'],
    ['all', null],
    ['testmgmt all', null],
    ['all read-only', 'read-only'],
    ['read-only testmgmt all', 'read-only'],
    ['ALL', 'testmgmt'],
    ['org:1', 'testmgmt'],
  ];
  test.each(cases)('%s', (asked, granted) => expect(grantScope(host, asked)).toBe(granted));
});

describe('whether a refresh asks for no more', () => {
  const cases: ReadonlyArray<readonly [asked: string | undefined, held: string | null, within: boolean]> = [
    [undefined, 'testmgmt', true],
    ['testmgmt', 'testmgmt cta', true],
    ['testmgmt:read', 'testmgmt', true],
    ['openid', 'testmgmt', true],
    ['testmgmt', 'testmgmt:read', false],
    ['cta', 'testmgmt', false],
    ['admin', 'testmgmt', false],
    ['all', 'testmgmt cta auth admin', false],
    ['all', null, true],
    ['all read-only', 'read-only', true],
    ['testmgmt:read', 'read-only', true],
    ['all', 'read-only', false],
    ['testmgmt', 'read-only', false],
  ];
  test.each(cases)('%s of %s', (asked, held, within) => expect(isWithin(host, asked, held)).toBe(within));
});

test('a server without test management gives its toolsets, but not accounts and the server', () => {
  expect(grantScope({ toolsets: ['auth', 'cta', 'server'] }, undefined)).toBe('cta');
});

describe('what a person leaves of a scope', () => {
  const cases: ReadonlyArray<
    readonly [
      scope: string | null,
      kept: readonly string[],
      readOnly: boolean,
      left: string | null | undefined,
    ]
  > = [
    ['testmgmt cta', ['testmgmt', 'cta'], false, 'testmgmt cta'],
    ['testmgmt cta', ['cta'], false, 'cta'],
    ['testmgmt cta', ['cta'], true, 'cta read-only'],
    ['testmgmt read-only', ['testmgmt'], false, 'testmgmt read-only'],
    ['testmgmt cta', [], false, undefined],
    ['testmgmt', [], true, undefined],
    // Not asked for.
    ['testmgmt', ['testmgmt', 'admin'], false, 'testmgmt'],
    ['testmgmt', ['admin'], false, undefined],
    // It names no tools.
    ['testmgmt admin', ['admin'], false, undefined],
    ['testmgmt admin', ['admin'], true, undefined],
    ['auth admin', ['auth', 'admin'], false, 'auth admin'],
    [null, [], false, null],
    [null, [], true, 'read-only'],
    ['read-only', [], false, 'read-only'],
    ['read-only', ['testmgmt'], true, 'read-only'],
  ];
  test.each(cases)('%p with %p ticked', (scope, kept, readOnly, left) =>
    expect(narrowScope(scope, { kept: new Set(kept), readOnly })).toBe(left),
  );
});

test.each([
  ['testmgmt', false, 'Read and change test cases and runs'],
  ['testmgmt', true, 'Read test cases and runs'],
  ['cta:read', false, 'Read calls to action'],
  ['cta:publish', false, 'Set calls to action live'],
  ['admin', false, 'Invite people, change their roles and remove them'],
  ['notes', false, 'Read and change the tools "notes"'],
])('a person reads what %s allows', (word, readOnly, line) => expect(wordLine(word, readOnly)).toBe(line));
