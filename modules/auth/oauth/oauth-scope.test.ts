import { describe, expect, test } from 'bun:test';
import { grantedScope, isWithin, scopeLines } from './oauth-scope.ts';

const host = { toolsets: ['testmgmt', 'cta', 'auth'] };

describe('what a client gets of what it asks for', () => {
  const cases: ReadonlyArray<readonly [asked: string | undefined, granted: string | null]> = [
    [undefined, 'testmgmt cta auth'],
    ['', 'testmgmt cta auth'],
    ['openid email profile', 'testmgmt cta auth'],
    ['cta testmgmt', 'testmgmt cta'],
    ['testmgmt:read openid', 'testmgmt:read'],
    ['read-only', 'testmgmt cta auth read-only'],
    ['admin', 'testmgmt cta auth admin'],
    ['cta cta:publish', 'cta cta:publish'],
    ['all', null],
    ['testmgmt all', null],
    ['ALL', 'testmgmt cta auth'],
    ['org:1', 'testmgmt cta auth'],
  ];
  test.each(cases)('%s', (asked, granted) => expect(grantedScope(host, asked)).toBe(granted));
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
  ];
  test.each(cases)('%s of %s', (asked, held, within) => expect(isWithin(host, asked, held)).toBe(within));
});

test('a person reads what each scope allows', () => {
  expect(scopeLines(host, 'testmgmt cta:read admin')).toEqual([
    'Read and change what you may: test cases and runs',
    'Read what you may: calls to action',
    'Invite people and change their roles',
  ]);
  expect(scopeLines(host, 'testmgmt read-only')).toEqual(['Read what you may: test cases and runs']);
  expect(scopeLines(host, null)).toEqual([expect.stringContaining('everything')]);
});
