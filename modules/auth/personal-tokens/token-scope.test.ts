import { describe, expect, test } from 'bun:test';
import { isUnlimited, parseScopes, scopeWords } from './token-scope.ts';

const toolsets = ['auth', 'cta', 'testmgmt', 'extra'];
const nothing = {
  toolsets: null,
  readToolsets: null,
  grants: null,
  readOnly: false,
  orgId: null,
  projectId: null,
};
const ofProjects = ['testmgmt', 'extra'];

describe('words of a scope', () => {
  const cases: ReadonlyArray<readonly [string, object]> = [
    ['', nothing],
    ['testmgmt', { ...nothing, toolsets: ['testmgmt'] }],
    ['testmgmt,extra', { ...nothing, toolsets: ['testmgmt', 'extra'] }],
    ['testmgmt:read', { ...nothing, toolsets: [], readToolsets: ['testmgmt'] }],
    ['cta,testmgmt:read', { ...nothing, toolsets: ['cta'], readToolsets: ['testmgmt'] }],
    ['testmgmt,testmgmt:read', { ...nothing, toolsets: ['testmgmt'] }],
    ['cta:publish', { ...nothing, toolsets: ['cta'], grants: ['cta:publish'] }],
    ['admin', { ...nothing, grants: ['admin'] }],
    ['auth,admin', { ...nothing, toolsets: ['auth'], grants: ['admin'] }],
    // A token of a monitoring system uses no tools unless one is named.
    ['metrics', { ...nothing, toolsets: [], grants: ['metrics'] }],
    ['metrics,read-only', { ...nothing, toolsets: [], grants: ['metrics'], readOnly: true }],
    ['metrics,org:7', { ...nothing, toolsets: [], grants: ['metrics'], orgId: 7 }],
    ['metrics,cta:read', { ...nothing, toolsets: [], readToolsets: ['cta'], grants: ['metrics'] }],
    ['admin,metrics', { ...nothing, grants: ['admin', 'metrics'] }],
    ['read-only', { ...nothing, readOnly: true }],
    ['org:7', { ...nothing, orgId: 7 }],
    ['org:7,org:7', { ...nothing, orgId: 7 }],
    // Nothing that does not know projects.
    ['project:3', { ...nothing, toolsets: ofProjects, projectId: 3 }],
    ['testmgmt:read,project:3', { ...nothing, toolsets: [], readToolsets: ['testmgmt'], projectId: 3 }],
    ['project:3,read-only,project:3', { ...nothing, toolsets: ofProjects, readOnly: true, projectId: 3 }],
  ];
  test.each(cases)('%p', (text, scope) => {
    const words = text.split(',').filter(Boolean);
    const parsed = parseScopes(words, toolsets);
    expect(parsed).toEqual(scope as never);
    if ('mistake' in parsed) return;
    // The scopes shown for a token can be given again.
    expect(parseScopes(scopeWords(parsed), toolsets)).toEqual(parsed);
    expect(isUnlimited(parsed)).toBe(text === '');
  });
});

describe('mistakes are named with what is known', () => {
  const cases: ReadonlyArray<readonly [string, RegExp]> = [
    [
      'testmgmt,readonly',
      /no scope "readonly"\. Did you mean "read-only"\?.*Known: auth, auth:read, cta, cta:read/,
    ],
    ['testmgnt', /Did you mean "testmgmt"\?/],
    ['testmgmt:write', /no scope "testmgmt:write"/],
    ['testmgmt:publish', /no scope/],
    ['ADMIN', /no scope "ADMIN"/],
    ['metric', /Did you mean "metrics"\?/],
    ['org:ID', /no scope "org:ID"/],
    ['org:0', /no scope/],
    ['org:1,org:2', /for one organization/],
    ['notes', /no scope "notes"/],
    ['project:ID', /no scope "project:ID"/],
    ['project:0', /no scope/],
    ['project:1,project:2', /for one project/],
    ['project:1,org:2', /without org:ID/],
    ['project:1,cta', /may use testmgmt, extra, results, insights only: leave out "cta"/],
    ['project:1,auth:read', /leave out "auth"/],
    ['project:1,admin', /leave out "admin"/],
    ['project:1,metrics', /leave out "metrics"/],
    ['__proto__', /no scope/],
  ];
  test.each(cases)('%p', (text, sentence) => {
    const parsed = parseScopes(text.split(','), toolsets);
    expect('mistake' in parsed ? parsed.mistake : parsed).toMatch(sentence);
  });
});
