import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { everyIdOfQuery } from '../cases/case-query-store.ts';
import { extraOperation } from '../base/operation.ts';
import { milestoneId, projectId, queryText } from '../base/parameters.ts';
import { milestoneIn } from '../milestones/milestone-store.ts';
import { requiredTestsAfter, templatesOf } from '../links/link-store.ts';
import { addressOfKey } from '../links/link-template.ts';
import { projectFor } from '../projects/project-store.ts';
import { askIfGiven } from '../query/query-store.ts';
import { resultsOfMilestone } from './milestone-coverage-store.ts';
import { CoverageTally, type RequirementCoverage } from './requirement-coverage.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const coverageRecord = closedObject({
  key: Type.String(),
  url: nullable(Type.String()),
  tests: count('Tests linked to it.'),
  passed: count('By their last results in any run.'),
  failed: count('Failed.'),
  blocked: count('Blocked.'),
  untested: count('Untested or to be tested again.'),
  neverRun: count('Without any result.'),
  lastAt: nullable(Type.String({ description: 'Their newest result.' })),
});

export const getRequirementCoverage = extraOperation({
  name: 'get-requirement-coverage',
  title: 'Coverage of requirements',
  description:
    'Lists the requirements to which tests are linked (add-links), by key, with the number of their tests by last result. With `query` ' +
    'only the tests that it chooses count; with `milestoneId` only results in its runs.',
  input: closedObject({
    projectId,
    query: Type.Optional(queryText()),
    milestoneId: Type.Optional(milestoneId),
    ...paging,
  }),
  output: page('requirements', coverageRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, signal }) => {
    const { projectId: id, query, milestoneId: milestone } = input;
    await projectFor(q, actor, id, 'read');
    const asked = askIfGiven(query, actor, { scope: 'tests', projectId: id, now: clock.now() });
    await asked?.requireNames(q);
    const chosen = asked && new Set(await everyIdOfQuery(q, { projectId: id, filter: {}, asked }, signal));
    if (milestone !== undefined) await milestoneIn(q, id, milestone);
    const results = milestone === undefined ? undefined : await resultsOfMilestone(q, milestone, signal);
    const all = await coverageOf(q, id, { chosen, results, signal });
    const { limit, offset } = pageOf(input);
    const templates = await templatesOf(q, id);
    const requirements = all.slice(offset, offset + limit).map(({ lastAt, ...one }) => ({
      ...one,
      url: one.url ?? addressOfKey(templates, one.key),
      lastAt: isoTime(lastAt),
    }));
    return { total: all.length, limit, offset, requirements };
  },
});

interface Counted {
  /** Only these tests count. */
  readonly chosen: ReadonlySet<number> | undefined;
  /** Only these results count, instead of the last one of each test. */
  readonly results: Awaited<ReturnType<typeof resultsOfMilestone>> | undefined;
  readonly signal: AbortSignal;
}

/** Yields to other requests between its chunks. */
async function coverageOf(
  q: Query,
  projectId: number,
  { chosen, results, signal }: Counted,
): Promise<readonly RequirementCoverage[]> {
  const tally = new CoverageTally();
  for (let after = 0; ;) {
    const rows = await requiredTestsAfter(q, projectId, after);
    for (const { status, at, ...row } of rows) {
      const ever = status === null || at === null ? null : { status, at };
      const last = results ? (results.get(row.testId) ?? null) : ever;
      if (!chosen || chosen.has(row.testId)) tally.add({ ...row, last });
    }
    const end = rows.at(-1);
    if (!end) return tally.all;
    after = end.id;
    if (turnIsOver()) await nextTurn(signal);
  }
}
