import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { together, type Query } from '../../../core/db/query/db.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { sectionsOfQuery } from '../cases/case-query-store.ts';
import { fail } from '../base/errors.ts';
import { valuesOf } from '../metadata/classification-store.ts';
import { insightOperation } from '../base/operation.ts';
import { listPageOf, listPaging, projectId, runId } from '../base/parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { askQuery } from '../query/query-store.ts';
import { automated } from '../rules/classification.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { runFor } from '../runs/run-store.ts';
import { sectionsOf } from '../sections/section-store.ts';
import { automationCoverage } from './automation-coverage.ts';
import { days, narrowed } from './insight-parameters.ts';
import { coverageRecord, passRateRecord, runChangeRecord } from './insight-record.ts';
import { dayMs, passRates, periods } from './pass-rate.ts';
import { insightTests } from './ranked-test-store.ts';
import { baselineOfRun } from '../pipelines/rows/run-baseline-store.ts';
import { messageOf, pageOfUnmatched, unmatchedStatuses } from '../runs/unmatched-result-store.ts';
import { comparedRuns, runCounts } from './run-comparison-store.ts';
import { changeWords } from './run-difference.ts';

export const getPassRate = insightOperation({
  name: 'get-pass-rate',
  title: 'Read the pass rate over time',
  description: 'Returns what the runs of each day or week (UTC) found, by the time they were created.',
  input: closedObject({
    projectId,
    days: days(30),
    by: Type.Optional(words(periods, { default: 'day', description: 'A point for each.' })),
    ...listPaging,
  }),
  output: page('points', passRateRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId: id, days: back = 30, by = 'day' } = input;
      await projectFor(q, actor, id, 'read');
      const now = clock.now();
      const range = { from: now - (back - 1) * dayMs, to: now };
      const all = passRates(await runCounts(q, id, signal), by, range);
      const { limit, offset } = listPageOf(input);
      const points = all
        .slice(offset, offset + limit)
        .map(({ at, ...point }) => ({ from: isoTime(at), ...point }));
      return { total: all.length, limit, offset, points };
    }),
});

export const getAutomationCoverage = insightOperation({
  name: 'get-automation-coverage',
  title: 'Read the automation coverage by section',
  description:
    'Returns how many tests of each section, with those below it, have each automation status, and the share that is automated: has the given status, or the one called Automated.',
  input: closedObject({
    ...narrowed,
    automationStatusId: Type.Optional(recordId('From get-automation-status.')),
    ...listPaging,
  }),
  output: page('sections', coverageRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, clock, signal }) =>
    db.reads(async (q) => {
      const { projectId: id, query = '', automationStatusId: wanted } = input;
      const asked = askQuery(query, actor, { scope: 'tests', projectId: id, now: clock.now() });
      const [, , statuses, counts, sections] = await together([
        projectFor(q, actor, id, 'read'),
        asked.requireNames(q),
        valuesOf(q, id, automated.kind),
        sectionsOfQuery(q, { projectId: id, filter: {}, asked }, signal),
        sectionsOf(q, id),
      ]);
      if (wanted !== undefined && statuses.every((status) => status.id !== wanted))
        throw fail.NOT_IN_PROJECT(`automationStatusId is not of project ${id}.`, {
          cause: 'automationStatusId',
          tip: 'Use get-automation-status to see the ids of this project.',
        });
      const counted = new Set(
        statuses
          .filter((status) =>
            wanted === undefined ? nameKey(status.name) === nameKey(automated.name) : status.id === wanted,
          )
          .map((status) => status.id),
      );
      const tree = new Map(sections.map((section) => [section.id, section]));
      const coverage = automationCoverage(counts, tree, counted);
      // In tree order; tests without a section come last.
      const ordered = [...sections.map((section) => section.id), null].flatMap(
        (sectionId) => coverage.get(sectionId) ?? [],
      );
      const { limit, offset } = listPageOf(input);
      return {
        total: ordered.length,
        limit,
        offset,
        sections: ordered.slice(offset, offset + limit).map(({ byStatus, ...section }) => ({
          ...section,
          sectionPath: sectionPath(tree, section.sectionId),
          byAutomationStatus: countsByName(byStatus, statuses),
        })),
      };
    }),
});

/** In the order of the project's statuses. Tests without one come last, or are added to a status that is itself called "none". */
function countsByName(
  byStatus: ReadonlyMap<number | null, number>,
  statuses: ReadonlyArray<{ readonly id: number; readonly name: string }>,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { id, name } of [...statuses, { id: null, name: 'none' }]) {
    const count = byStatus.get(id);
    if (count !== undefined) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return Object.fromEntries(counts);
}

export const compareRuns = insightOperation({
  name: 'compare-runs',
  // Testers ask for this first, although the interface specification does not have it.
  alsoIn: 'testmgmt',
  title: 'Compare two runs',
  description: 'Lists what changed from one run to another, with the number of each kind.',
  input: closedObject({
    projectId,
    runId,
    againstRunId: Type.Optional(
      recordId('The earlier run; else the last of its pipeline and branch, or of the default branch.'),
    ),
    change: Type.Optional(words(changeWords, { description: 'Only these.' })),
    ...paging,
  }),
  output: closedObject({
    runId: Type.Integer(),
    againstRunId: Type.Integer(),
    counts: closedObject({
      newlyFailing: Type.Integer(),
      fixed: Type.Integer(),
      stillFailing: Type.Integer(),
      added: Type.Integer(),
      removed: Type.Integer(),
    }),
    ...page('tests', runChangeRecord).properties,
    unmatched: Type.Optional(
      Type.Array(
        closedObject({
          key: Type.String({ description: 'What the tool calls it.' }),
          change: words(['newly-failing', 'still-failing'], { description: 'As of a test.' }),
          message: Type.Optional(Type.String({ description: 'The first 1,000 characters.' })),
        }),
        { description: 'Failing cases of no test, the first 20; absent without any.' },
      ),
    ),
  }),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db, signal }) =>
    db.reads(async (q) => {
      const [run, given] = await together([
        runFor(q, actor, input, 'read'),
        input.againstRunId === undefined
          ? baselineOfRun(q, input)
          : runFor(q, actor, { ...input, runId: input.againstRunId }, 'read'),
      ]);
      if (given === undefined)
        throw fail.RUN_NOT_FOUND(
          `No run before run ${run.id} is of its pipeline and branch, or of the default branch.`,
          {
            cause: 'againstRunId',
            tip: 'Give againstRunId; get-runs lists the runs.',
          },
        );
      const { limit, offset } = pageOf(input);
      const asked = { change: input.change, limit, offset, signal };
      const { counts, total, tests } = await comparedRuns(q, { now: run.id, before: given.id }, asked);
      const rows = await insightTests(
        q,
        input.projectId,
        tests.map(({ test }) => test),
      );
      return {
        runId: run.id,
        againstRunId: given.id,
        counts: {
          newlyFailing: counts['newly-failing'],
          fixed: counts.fixed,
          stillFailing: counts['still-failing'],
          added: counts.added,
          removed: counts.removed,
        },
        total,
        limit,
        offset,
        ...(await failingUnmatched(q, { now: run.id, before: given.id })),
        tests: rows.map(({ shown }, at) => {
          const { change, status, before } = tests[at] ?? { change: 'added', status: null, before: null };
          return { ...shown, change, status, before };
        }),
      };
    }),
});

/** The most failing cases without a test that a comparison names: a new test that fails appears nowhere else in it. */
const shownUnmatched = 20;

async function failingUnmatched(
  q: Query,
  { now, before }: { readonly now: number; readonly before: number },
) {
  const { rows } = await pageOfUnmatched(q, now, { limit: shownUnmatched, offset: 0 });
  const failing = rows.filter(({ status }) => status === 'failed');
  if (failing.length === 0) return {};
  const earlier = await unmatchedStatuses(q, before);
  return {
    unmatched: failing.map((row) => {
      const message = messageOf(row)?.slice(0, 1_000).toWellFormed();
      const isOld = earlier.get(row.keyHash) === 'failed';
      return {
        key: row.key,
        change: isOld ? ('still-failing' as const) : ('newly-failing' as const),
        ...(message === undefined ? {} : { message }),
      };
    }),
  };
}
