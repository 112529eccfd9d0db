import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { extraOperation } from '../base/operation.ts';
import { projectId, runId } from '../base/parameters.ts';
import { baselineOfRun } from '../pipelines/rows/run-baseline-store.ts';
import { noticeField, pipelineNotice } from '../pipelines/rows/upload-report.ts';
import { failureGroup, failurePattern } from '../rules/failure-group.ts';
import { changeOf } from '../insights/run-difference.ts';
import { quarantinedTests } from '../quarantine/quarantine-store.ts';
import { runFor } from '../runs/run-store.ts';
import { failuresAfter, failuresByTest, statusesOfTests } from './failure-store.ts';

/** Tests of a group that are named. */
const namedInGroup = 10;
/** Characters of a message that are shown. */
const shownMessage = 1_000;

const newlyFailing = Type.Integer({
  description: 'Of them, those that were in comparedWith and did not fail there.',
});

const groupRecord = closedObject({
  groupId: nullable(
    Type.String({ description: 'For the query group:; null: without a message (group:none).' }),
  ),
  count: Type.Integer({ description: 'Failing tests.' }),
  newlyFailing,
  quarantined: Type.Integer({ description: 'Of them, those in quarantine now.' }),
  pattern: Type.String({ description: 'The message without numbers, ids, times and quoted texts.' }),
  message: nullable(Type.String({ description: 'Of the first test; at most 1,000 characters.' })),
  first: Type.Array(closedObject({ testId: Type.Integer(), testName: Type.String() })),
});

interface FoundGroup {
  readonly id: string;
  count: number;
  newlyFailing: number;
  added: number;
  quarantined: number;
  readonly first: number[];
}

export const getFailureGroups = extraOperation({
  name: 'get-failure-groups',
  title: 'Group the failures of a run',
  description:
    'Groups the failing tests of a run by message, largest first: numbers, ids, times, quoted texts and stacks are left out. ' +
    'Says how many did not fail in the run before, as compare-runs finds it. The query `group:ID` chooses the tests of a group, ' +
    'e.g. for add-links with `runId`, or for set-quarantine.',
  input: closedObject({ projectId, runId, ...paging }),
  output: Type.Object(
    {
      failing: Type.Integer({ description: 'Failing tests, over all groups.' }),
      newlyFailing,
      added: Type.Integer({ description: 'Of them, those that were not in comparedWith.' }),
      comparedWith: Type.Union(
        [closedObject({ runId: Type.Integer(), runName: Type.String() }), Type.Null()],
        {
          description: 'The run before; null when there is none.',
        },
      ),
      ...page('groups', groupRecord).properties,
      notice: noticeField,
    },
    { additionalProperties: false },
  ),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, signal }) => {
    const run = await runFor(q, actor, input, 'read');
    const { limit, offset } = pageOf(input);
    const before = await baselineOfRun(q, { runId: run.id, projectId: run.projectId });
    const inQuarantine = await quarantinedTests(q, run.projectId, clock.now(), signal);
    const all = await groupsOfRun(q, { runId: run.id, beforeId: before?.id, inQuarantine }, signal);
    const shown = all.slice(offset, offset + limit);
    const groups = [];
    for (const { id, count, newlyFailing, quarantined, first } of shown) {
      const known = await failuresByTest(q, run.id, first);
      const message = known.get(first[0] ?? 0)?.message ?? '';
      groups.push({
        groupId: id === '' ? null : id,
        count,
        newlyFailing,
        quarantined,
        pattern: id === '' ? '' : failurePattern(message),
        message: message === '' ? null : message.slice(0, shownMessage).toWellFormed(),
        first: first.map((testId) => ({ testId, testName: known.get(testId)?.testName ?? '' })),
      });
      if (turnIsOver()) await nextTurn(signal);
    }
    const sum = (of: (group: FoundGroup) => number) => all.reduce((found, group) => found + of(group), 0);
    return {
      failing: sum(({ count }) => count),
      newlyFailing: sum(({ newlyFailing }) => newlyFailing),
      added: sum(({ added }) => added),
      comparedWith: before ? { runId: before.id, runName: before.name } : null,
      total: all.length,
      limit,
      offset,
      groups,
      notice: pipelineNotice,
    };
  },
});

interface GroupsOf {
  readonly runId: number;
  readonly beforeId: number | undefined;
  readonly inQuarantine: ReadonlySet<number>;
}

/** The groups of the failing tests of a run, largest first. Yields to other requests between its chunks. */
async function groupsOfRun(
  q: Query,
  { runId: run, beforeId, inQuarantine }: GroupsOf,
  signal: AbortSignal,
): Promise<readonly FoundGroup[]> {
  const found = new Map<string, FoundGroup>();
  for (let after = 0; ;) {
    const rows = await failuresAfter(q, run, after);
    const ids = rows.map(({ testId }) => testId);
    const earlier = beforeId === undefined ? undefined : await statusesOfTests(q, beforeId, ids);
    for (const { testId, group, message } of rows) {
      const id = group ?? failureGroup(message ?? '');
      const known = found.get(id) ?? { id, count: 0, newlyFailing: 0, added: 0, quarantined: 0, first: [] };
      found.set(id, known);
      known.count++;
      if (inQuarantine.has(testId)) known.quarantined++;
      if (earlier !== undefined) {
        const change = changeOf(earlier.get(testId), 'failed');
        if (change === 'newly-failing') known.newlyFailing++;
        if (change === 'added') known.added++;
      }
      if (known.first.length < namedInGroup) known.first.push(testId);
      if (turnIsOver()) await nextTurn(signal);
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.testId;
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count || (a.first[0] ?? 0) - (b.first[0] ?? 0));
}
