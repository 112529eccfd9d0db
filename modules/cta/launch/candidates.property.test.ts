import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { catalogueAt } from '../catalogue/catalogue-moment.ts';
import { emptyCatalogue, type Catalogue, type CatalogueCta } from '../catalogue/catalogue.ts';
import { serialiseCta } from '../catalogue/serialised-cta.ts';
import { byPriority } from '../rules/app-cta.ts';
import { closedGate, gatesOf } from '../rules/eligibility.ts';
import type { RuleInput } from '../rules/rule.ts';
import { wireRule } from '../rules/wire-rule.ts';
import { candidatesFor, forUser } from './candidates.ts';

type VersionRange = NonNullable<RuleInput['appVersions']>;

/*
 * The candidates are computed once for all users of an app and kept while the clock changes nothing. The result must equal checking every
 * CTA every time with the gates of explain-cta.
 */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const time = fc.integer({ min: 0, max: 8 });
const drawnCta = fc.record({
  status: fc.constantFrom('LIVE' as const, 'SCHEDULED' as const, 'PAUSED' as const),
  startTime: fc.option(time),
  endTime: fc.option(time),
  killed: fc.boolean(),
  priority: fc.integer({ min: 0, max: 2 }),
  cohortEligibility: fc.option(
    fc.record({
      includes: fc.uniqueArray(fc.constantFrom('all', 'a', 'b'), { maxLength: 2 }),
      excludes: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 1 }),
    }),
    { nil: undefined },
  ),
  appVersions: fc.option(fc.constantFrom<VersionRange[]>({ min: '2.0' }, { max: '1.9' }, {}), {
    nil: undefined,
  }),
  packageNames: fc.option(fc.constantFrom<string[][]>([], ['x'], ['x', 'y']), { nil: undefined }),
});
const asked = fc.record({
  now: fc.integer({ min: -1, max: 9 }),
  appVersion: fc.constantFrom(null, '1.0', '2.0'),
  packageName: fc.constantFrom(null, 'x', 'z'),
  cohorts: fc.subarray(['a', 'b']),
});

function catalogueOf(
  drawn: readonly (typeof drawnCta extends fc.Arbitrary<infer C> ? C : never)[],
): Catalogue {
  const ctas = drawn.map(
    ({ status, startTime, endTime, killed, priority, ...audience }, index): CatalogueCta => {
      const { cohortEligibility, appVersions, packageNames } = audience;
      const rule: RuleInput = {
        stateToAction: {},
        stateTransition: {},
        actions: [],
        priority,
        ...(cohortEligibility && { cohortEligibility }),
        ...(appVersions && { appVersions }),
        ...(packageNames && { packageNames }),
      };
      return {
        ...serialiseCta({
          ctaId: String(index),
          rule: wireRule(rule, null),
          behaviourTagName: null,
          version: 1,
        }),
        status,
        startTime,
        endTime,
        gates: gatesOf({ status, startTime, endTime, rule }, killed),
        edit: 1,
        lifespanLimit: undefined,
        trial: undefined,
        isTried: false,
        startedAt: null,
      };
    },
  );
  return {
    ...emptyCatalogue,
    ctas: new Map(ctas.map((cta) => [cta.ctaId, cta])),
    inOrder: ctas.toSorted(byPriority),
  };
}

test(`what is kept for an app is what every CTA says when asked (SEED=${seed})`, () => {
  fc.assert(
    fc.property(
      fc.array(drawnCta, { maxLength: 6 }),
      fc.array(asked, { maxLength: 6 }),
      (drawn, questions) => {
        const catalogue = catalogueOf(drawn);
        for (const { now, cohorts, ...app } of questions) {
          const inCohort = (name: string) => cohorts.includes(name);
          const offered = forUser(candidatesFor(catalogue, catalogueAt(catalogue, now), app), inCohort);
          const expected = [...catalogue.ctas.values()]
            .filter(({ gates }) => closedGate(gates, { now, app: app, inCohort }) === null)
            .sort(byPriority);
          expect(offered).toEqual(expected);
        }
      },
    ),
    { seed, numRuns: 10_000 },
  );
}, 60_000);

test('apps that clients invent do not pile up', () => {
  const catalogue = catalogueOf([]);
  const moment = catalogueAt(catalogue, 0);
  for (let i = 0; i < 2000; i++)
    candidatesFor(catalogue, moment, { appVersion: String(i), packageName: null });
  const app = { appVersion: '1999', packageName: null };
  expect(candidatesFor(catalogue, moment, app)).toBe(
    candidatesFor(catalogue, catalogueAt(catalogue, 0), app),
  );
});
