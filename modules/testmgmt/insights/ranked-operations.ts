import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import type { Page } from '../../../core/db/query/counted-page.ts';
import { together } from '../../../core/db/query/db.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { everyIdOfQuery, summariesOf } from '../cases/case-query-store.ts';
import { fail } from '../base/errors.ts';
import { insightOperation } from '../base/operation.ts';
import { projectFor } from '../projects/project-store.ts';
import { askQuery } from '../query/query-store.ts';
import { fixTimesOfTests } from './fix-time-store.ts';
import { days, narrowed } from './insight-parameters.ts';
import { failingTestRecord, fixTimeRecord, flakyTestRecord, neverRunTestRecord } from './insight-record.ts';
import { dayMs } from './pass-rate.ts';
import {
  insightTests,
  rankedTests,
  rankings,
  type InsightInput,
  type RankedTest,
  type Ranking,
} from './ranked-test-store.ts';

/** The page of an insight that ranks tests. @param recordOf the record of each test. */
const rankedPage = <R>(
  input: InsightInput & Partial<Page>,
  { actor, db, clock, signal }: Context,
  ranking: Ranking,
  recordOf: (test: RankedTest) => R,
) =>
  db.reads(async (q) => {
    const page = pageOf(input);
    const { total, rows } = await rankedTests(q, actor, input, ranking, {
      ...page,
      signal,
      now: clock.now(),
    });
    return { total, ...page, tests: rows.map(recordOf) };
  });

export const getFlakyTests = insightOperation({
  name: 'get-flaky-tests',
  // Testers ask for this first, although the interface specification does not have it.
  alsoIn: 'testmgmt',
  title: 'List flaky tests',
  description: 'Lists the tests whose results change although they were not changed, most flips first.',
  input: closedObject({ ...narrowed, ...paging }),
  output: page('tests', flakyTestRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, context) =>
    rankedPage(input, context, rankings.flaky, ({ outcome, shown }) => {
      const { flips = 0, failed = 0, recent = '', lastAt = 0 } = outcome ?? {};
      return { ...shown, flips, failed, outcomes: recent, lastRunAt: isoTime(lastAt) };
    }),
});

export const getLongestFailing = insightOperation({
  name: 'get-longest-failing',
  title: 'List the longest failing tests',
  description: 'Lists the tests that fail since the longest time, with how often in a row.',
  input: closedObject({ ...narrowed, ...paging }),
  output: page('tests', failingTestRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, context) =>
    rankedPage(input, context, rankings.longestFailing, ({ outcome, shown }) => {
      const { failingSince, streak = 0, lastRunId = 0, lastAt = 0 } = outcome ?? {};
      return {
        ...shown,
        failingSince: isoTime(failingSince ?? 0),
        failuresInARow: streak,
        lastRunId,
        lastRunAt: isoTime(lastAt),
      };
    }),
});

export const getNeverRun = insightOperation({
  name: 'get-never-run',
  title: 'List tests that never ran',
  description: 'Lists the tests that no run has a result of (passed, failed or blocked), oldest first.',
  input: closedObject({ ...narrowed, ...paging }),
  output: page('tests', neverRunTestRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, context) =>
    rankedPage(input, context, rankings.neverRun, ({ test, shown }) => ({
      ...shown,
      createdAt: isoTime(test.createdAt),
    })),
});

/** The most tests whose history is read: 20 results of each take about a second. */
const mostHistories = 20_000;

export const getSlowestFixes = insightOperation({
  name: 'get-slowest-fixes',
  title: 'List the tests that were slowest to be fixed',
  description:
    'Lists the tests that failed longest before they passed again, among those with a failure in their last 20 results.',
  input: closedObject({ ...narrowed, days: days(90), ...paging }),
  output: page('tests', fixTimeRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId, query = '', days: back = 90 } = input;
      const { limit, offset } = pageOf(input);
      const now = clock.now();
      const asked = askQuery(query, actor, { scope: 'tests', projectId, now, also: 'failed:>=1' });
      const [, , ids] = await together([
        projectFor(q, actor, projectId, 'read'),
        asked.requireNames(q),
        everyIdOfQuery(q, { projectId, filter: {}, asked }, signal),
      ]);
      if (ids.length > mostHistories)
        throw fail.QUERY_TOO_EXPENSIVE(
          `${ids.length} tests have failures; the histories of at most ${mostHistories} are read.`,
          { cause: 'query', tip: 'Narrow the tests with query, e.g. by section: or label:.' },
        );
      const found = await fixTimesOfTests(q, ids, { since: now - back * dayMs, signal });
      // A sort of the query replaces that of the insight, as in the other insights.
      const slowest =
        asked.sort.length > 0
          ? inOrderOf(ids, found)
          : [...found].toSorted(([a, x], [b, y]) => y.longestMs - x.longestMs || a - b);
      const chosen = new Map(slowest.slice(offset, offset + limit));
      const rows = await insightTests(q, projectId, await summariesOf(q, [...chosen.keys()]));
      return {
        total: slowest.length,
        limit,
        offset,
        tests: rows.map(({ test, shown }) => {
          const { fixes = 0, longestMs = 0, totalMs = 0, lastFixedAt = 0 } = chosen.get(test.id) ?? {};
          return {
            ...shown,
            fixes,
            longestFixHours: hours(longestMs),
            averageFixHours: hours(totalMs / Math.max(1, fixes)),
            lastFixedAt: isoTime(lastFixedAt),
          };
        }),
      };
    }),
});

/** The found tests in the order of `ids`. */
const inOrderOf = <T extends object>(ids: readonly number[], found: ReadonlyMap<number, T>) =>
  ids.flatMap((id) => {
    const one = found.get(id);
    return one ? [[id, one] as const] : [];
  });

const hours = (ms: number) => Math.round(ms / 36_000) / 100;
