import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { compareVersions } from './app-version.ts';
import { closedGate, type EligibilityInput, type Gate, type Gates } from './eligibility.ts';

const live: Gates = { status: 'LIVE' };
const moment: EligibilityInput = {
  now: 1000,
  app: { appVersion: '4.10.0', packageName: 'com.shop' },
  inCohort: (cohort) => cohort === 'gold',
};

const anonymous = { app: { appVersion: null, packageName: null } };

test.each<[string, Gates, Partial<EligibilityInput>, Gate | null]>([
  ['live and nothing else asked', live, anonymous, null],
  ['draft', { status: 'DRAFT' }, {}, 'status'],
  ['paused', { status: 'PAUSED' }, {}, 'status'],
  ['at its start', { ...live, startTime: 1000 }, {}, null],
  ['before its start', { ...live, startTime: 1001 }, {}, 'start'],
  ['just before its end', { ...live, endTime: 1001 }, {}, null],
  ['at its end', { ...live, endTime: 1000 }, {}, 'end'],
  ['without times', { ...live, startTime: null, endTime: null }, {}, null],
  ['for a cohort the user is in', { ...live, cohortEligibility: { includes: ['silver', 'gold'] } }, {}, null],
  ['for another cohort', { ...live, cohortEligibility: { includes: ['silver'] } }, {}, 'cohort'],
  ['for all', { ...live, cohortEligibility: { includes: ['all'], excludes: [] } }, {}, null],
  [
    'for all but a cohort',
    { ...live, cohortEligibility: { includes: ['all'], excludes: ['gold'] } },
    {},
    'cohort',
  ],
  ['for no cohort named', { ...live, cohortEligibility: { includes: [] } }, {}, null],
  ['for versions from one on', { ...live, appVersions: { min: '4.9' } }, {}, null],
  ['for exactly this version', { ...live, appVersions: { min: '4.10', max: '4.10' } }, {}, null],
  ['for later versions', { ...live, appVersions: { min: '4.11' } }, {}, 'app_version'],
  ['for earlier versions', { ...live, appVersions: { max: '4.9.9' } }, {}, 'app_version'],
  [
    'for versions, of a client that names none',
    { ...live, appVersions: { max: '9' } },
    anonymous,
    'app_version',
  ],
  ['for an open range', { ...live, appVersions: {} }, anonymous, null],
  ['for its package', { ...live, packageNames: ['com.shop'] }, {}, null],
  ['for another package', { ...live, packageNames: ['com.other'] }, {}, 'package_name'],
  [
    'for packages, of a client that names none',
    { ...live, packageNames: ['com.shop'] },
    anonymous,
    'package_name',
  ],
  ['for no package named', { ...live, packageNames: [] }, anonymous, null],
  ['killed', { ...live, killed: true }, {}, 'kill_switch'],
  ['killed and not begun', { ...live, startTime: 2000, killed: true }, {}, 'start'],
  [
    'killed and for another cohort',
    { ...live, killed: true, cohortEligibility: { includes: ['x'] } },
    {},
    'kill_switch',
  ],
  ['closed twice, the first is told', { status: 'LIVE', startTime: 2000, packageNames: ['x'] }, {}, 'start'],
])('%s', (_, cta, over, gate) => {
  expect(closedGate(cta, { ...moment, ...over })).toBe(gate);
});

test('versions in order', () => {
  const ordered = [
    // Semantic Versioning 2.0.0 §11.4
    '1.0-1',
    '1.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0',
    '1.0.1',
    '1.2',
    '1.10',
    '2.0-alpha',
    '2.0-rc.2',
    '2.0-rc.10',
    'v2.0',
    '10',
    `1${'0'.repeat(400)}`,
    `2${'0'.repeat(400)}`,
  ];
  for (const [index, version] of ordered.entries()) {
    for (const [other, against] of ordered.entries()) {
      expect(Math.sign(compareVersions(version, against))).toBe(Math.sign(index - other));
    }
  }
});

test('any versions have an order', () => {
  const part = fc.oneof(fc.nat(12).map(String), fc.constantFrom('', '00', 'a', 'rc1', 'B'));
  const parts = fc.array(part, { minLength: 1, maxLength: 3 }).map((each) => each.join('.'));
  const version = fc
    .tuple(parts, fc.option(parts))
    .map(([core, suffix]) => (suffix === null ? core : `${core}-${suffix}`));
  const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      const [ab, bc, ac] = [compareVersions(a, b), compareVersions(b, c), compareVersions(a, c)];
      expect(Math.sign(compareVersions(b, a)) + Math.sign(ab)).toBe(0);
      if (ab <= 0 && bc <= 0) expect(ac).toBeLessThanOrEqual(0);
      if (ab === 0) expect(Math.sign(ac)).toBe(Math.sign(bc));
    }),
    { seed, numRuns: 10_000 },
  );
});

test.each([
  ['1.2', '1.2.0'],
  ['1.2+7', '1.2+8'],
  ['v3', '3'],
])('%s is the same version as %s', (left, right) => {
  expect(compareVersions(left, right)).toBe(0);
});
