import { describe, expect, test } from 'bun:test';
import type { Role } from '../../../core/base/actor.ts';
import { groupMappingOf, groupRoleChanges, groupsIn, rolesOfGroups, type HeldRole } from './group-mapping.ts';

const mapping = groupMappingOf({
  groups: { 'qa-leads': 'admin', qa: 'member', 'shop-qa': { role: 'member', orgId: 2 } },
  domains: { 'Example.org': 'reader' },
  groupsClaim: 'roles',
});
if (!mapping) throw new Error('no mapping');

test('without groups and domains a provider decides nothing', () => {
  expect(groupMappingOf({ groupsClaim: 'roles' })).toBeNull();
  expect(groupMappingOf({ groups: {} })).not.toBeNull();
});

describe('what an ID token says', () => {
  const cases: ReadonlyArray<
    readonly [string, unknown, string | null, readonly string[], ReadonlyArray<[number, Role]>]
  > = [
    ['nothing', undefined, null, [], []],
    ['an empty list', [], null, [], []],
    ['a group', ['qa'], null, ['group:qa'], [[1, 'member']]],
    ['a single text', 'qa', null, ['group:qa'], [[1, 'member']]],
    ['several: the highest counts', ['qa', 'qa-leads'], null, ['group:qa', 'group:qa-leads'], [[1, 'admin']]],
    [
      'one of another organization',
      ['shop-qa', 'qa'],
      null,
      ['group:qa', 'group:shop-qa'],
      [
        [1, 'member'],
        [2, 'member'],
      ],
    ],
    ['unknown ones', ['sales', 'QA', 'qa '], null, [], []],
    ['no texts', [1, null, { qa: 1 }, ['qa']], null, [], []],
    ['an object', { qa: true }, null, [], []],
    ['a name of the prototype', ['__proto__', 'constructor'], null, [], []],
    ['a domain', [], 'ann@EXAMPLE.org', ['domain:example.org'], [[1, 'reader']]],
    ['a domain below', [], 'ann@a.example.org', [], []],
    ['two @', [], 'ann@evil.example@example.org', [], []],
    ['a group that is named like a domain', ['domain:example.org', 'example.org'], null, [], []],
    ['both', ['qa'], 'ann@example.org', ['domain:example.org', 'group:qa'], [[1, 'member']]],
  ];
  test.each(cases)('%s', (_title, roles, email, words, given) => {
    expect(groupsIn(mapping, { roles }, email)).toEqual(words);
    expect([...rolesOfGroups(mapping, words, 1)].toSorted(([a], [b]) => a - b)).toEqual([...given]);
  });
  test('a word that the settings no longer have gives nothing', () => {
    expect(rolesOfGroups(mapping, ['group:gone', 'domain:qa'], 1).size).toBe(0);
  });
});

describe('what becomes of a membership', () => {
  const hand = (role: Role): HeldRole => ({ orgId: 1, role, groupRole: null, handRole: null });
  const group = (role: Role, groupRole: Role, handRole: Role | null): HeldRole => ({
    orgId: 1,
    role,
    groupRole,
    handRole,
  });
  const cases: ReadonlyArray<readonly [string, HeldRole | null, Role | null, object | null]> = [
    ['no member, no group', null, null, null],
    [
      'no member, a group',
      null,
      'member',
      { role: 'member', groupRole: 'member', handRole: null, isOther: true },
    ],
    ['by hand, no group', hand('admin'), null, null],
    [
      'by hand, a lower group',
      hand('admin'),
      'reader',
      { role: 'admin', groupRole: 'reader', handRole: 'admin', isOther: false },
    ],
    [
      'by hand, a higher group',
      hand('reader'),
      'admin',
      { role: 'admin', groupRole: 'admin', handRole: 'reader', isOther: true },
    ],
    ['the same group', group('admin', 'admin', null), 'admin', null],
    [
      'a lower group than before',
      group('admin', 'admin', null),
      'reader',
      { role: 'reader', groupRole: 'reader', handRole: null, isOther: true },
    ],
    [
      'the group is gone',
      group('admin', 'admin', null),
      null,
      { role: null, groupRole: null, handRole: null, isOther: true },
    ],
    [
      'the group is gone, by hand stays',
      group('admin', 'admin', 'reader'),
      null,
      { role: 'reader', groupRole: null, handRole: null, isOther: true },
    ],
    [
      'the lower group is gone',
      group('admin', 'reader', 'admin'),
      null,
      { role: 'admin', groupRole: null, handRole: null, isOther: false },
    ],
  ];
  test.each(cases)('%s', (_title, held, given, change) => {
    const changes = groupRoleChanges(held ? [held] : [], new Map(given ? [[1, given]] : []));
    expect(changes).toEqual(change === null ? [] : [{ orgId: 1, ...change } as never]);
  });
});
