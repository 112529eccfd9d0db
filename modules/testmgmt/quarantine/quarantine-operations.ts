import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { memberOf } from '../../auth/index.ts';
import { choiceRecord, choiceRecordOf } from '../cases/case-choice-operations.ts';
import { testEverIn } from '../cases/case-store.ts';
import { firstTests, mostByQuery, requireSome } from '../cases/case-choice-store.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, idList, projectId, queryText, testId } from '../base/parameters.ts';
import { changesOf, changesOfAll, testRecords, unchanged } from '../base/written-changes.ts';
import { projectFor, projectToChange, type Project } from '../projects/project-store.ts';
import { testStatuses } from '../rules/test-status.ts';
import { testsGiven } from '../runs/test-choice-store.ts';
import {
  defaultBranchOf,
  maxQuarantined,
  passesForEnd,
  passesInRow,
  quarantineEnd,
} from './quarantine-rule.ts';
import {
  deleteQuarantines,
  newestSources,
  pageOfQuarantines,
  quarantinedTests,
  resultsSince,
  storeQuarantines,
  withQuarantine,
  type Quarantined,
} from './quarantine-store.ts';

const testList = Type.Optional(idList('From get-tests; or query.'));
const keyText = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'e.g. SHOP-77.' });

export const setQuarantine = extraOperation({
  name: 'set-quarantine',
  title: 'Put tests into quarantine',
  description:
    'Until a day at most 90 days ahead, failures of these tests do not fail a build (`trivet results --fail-on any|new`); they stay ' +
    'failures in runs, history and insights. Again: replaces reason and end. At most 5 % of a project, unless `force`.',
  input: closedObject({
    projectId,
    testIds: testList,
    query: Type.Optional(queryText()),
    reason: Type.String({ minLength: 1, maxLength: 1_000, pattern: '\\S', description: 'Why.' }),
    ownerId: recordId('Who repairs them; from get-all-users.'),
    until: Type.String({ maxLength: 40, description: 'A day as 2026-12-01, which is included, or a time.' }),
    linkKey: Type.Optional(keyText),
    force: Type.Optional(Type.Boolean({ default: false, description: 'More than 5 %.' })),
    dryRun,
  }),
  output: closedObject({
    ...choiceRecord,
    until: Type.String(),
    quarantined: Type.Integer({ description: 'Tests of the project in quarantine afterwards.' }),
    most: Type.Integer({ description: 'Of them without `force`.' }),
  }),
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: id, ownerId, dryRun: dry = false } = input;
      const project = await projectToChange(q, actor, id);
      const now = clock.now();
      const until = quarantineEnd(input.until, now);
      if (typeof until === 'string') throw fail.INVALID_REQUEST(until, { cause: 'until' });
      await requireOwner(q, project, ownerId);
      const chosen = await testsGiven(q, actor, input, { most: mostByQuery, now, signal });
      requireSome(chosen);
      const room = await requireQuarantineRoom(q, project, chosen.ids, {
        now,
        force: input.force ?? false,
        signal,
      });
      const set = { reason: input.reason.trim(), ownerId, until, linkKey: input.linkKey?.trim() ?? null };
      if (!dry)
        await storeQuarantines(q, chosen.ids, { ...set, projectId: id, by: actor.userId, at: now }, signal);
      const changes = changesOfAll(chosen.ids.length, { ...set, until: isoTime(until) });
      wrote({ projectId: id, records: testRecords(chosen.ids), changes });
      return { ...choiceRecordOf(chosen, dry), until: isoTime(until), ...room };
    }),
});

async function requireOwner(q: Query, { orgId }: Project, ownerId: number): Promise<void> {
  if (!(await memberOf(q, [orgId], ownerId)))
    throw fail.USER_NOT_FOUND(`There is no user ${ownerId} in this organization.`, { cause: 'ownerId' });
}

/** @throws Fault QUARANTINE_FULL. */
async function requireQuarantineRoom(
  q: Query,
  { id, testsCount }: Project,
  testIds: readonly number[],
  { now, force, signal }: { readonly now: number; readonly force: boolean; readonly signal: AbortSignal },
) {
  const known = await quarantinedTests(q, id, now, signal);
  const quarantined = known.size + testIds.filter((testId) => !known.has(testId)).length;
  const most = maxQuarantined(testsCount);
  if (quarantined > Math.max(most, known.size) && !force)
    throw fail.QUARANTINE_FULL(
      `${quarantined} of ${testsCount} tests would be in quarantine; at most ${most} (5 %) are allowed. Nothing was written.`,
      { cause: 'force' },
    );
  return { quarantined, most };
}

export const endQuarantine = extraOperation({
  name: 'end-quarantine',
  title: 'End a quarantine',
  description:
    'From now on failures of these tests fail a build again. Tests that are not in quarantine stay as they are. With `dryRun` it only counts them.',
  input: closedObject({ projectId, testIds: testList, query: Type.Optional(queryText()), dryRun }),
  output: closedObject(choiceRecord),
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: id, dryRun: dry = false } = input;
      await projectToChange(q, actor, id);
      const given = await testsGiven(q, actor, input, { most: mostByQuery, now: clock.now(), signal });
      const ids = dry
        ? await withQuarantine(q, given.ids, signal)
        : await deleteQuarantines(q, given.ids, signal);
      wrote({
        projectId: id,
        records: testRecords(ids),
        changes: ids.length === 0 ? unchanged : changesOf(ids.length),
      });
      return choiceRecordOf({ ids, first: await firstTests(q, ids) }, dry);
    }),
});

const quarantinedRecord = closedObject({
  testId: Type.Integer(),
  testName: Type.String(),
  reason: Type.String(),
  ownerId: Type.Integer(),
  until: Type.String(),
  isOver: Type.Boolean({ description: 'Its failures fail a build again.' }),
  linkKey: nullable(Type.String()),
  by: Type.Integer(),
  at: Type.String(),
  lastStatus: nullable(words(testStatuses, { description: 'Of its newest result in any run.' })),
  passesInRow: Type.Integer({ description: 'Newest results on the default branch since.' }),
  proposesEnd: Type.Boolean({ description: `It passed ${passesForEnd} times in a row.` }),
});

export const listQuarantined = extraOperation({
  name: 'list-quarantined',
  title: 'List tests in quarantine',
  description:
    'Lists the tests in quarantine, the first to end first, with those whose quarantine ran out until end-quarantine. `proposesEnd` ' +
    'says that one passed ten times in a row on the default branch.',
  input: closedObject({ projectId, testId: Type.Optional(testId), ...paging }),
  output: Type.Object(
    {
      ...page('tests', quarantinedRecord).properties,
      defaultBranch: nullable(Type.String({ description: 'Null: every run counts.' })),
    },
    { additionalProperties: false },
  ),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, signal }) => {
    const { projectId: id, testId: test } = input;
    await projectFor(q, actor, id, 'read');
    if (test !== undefined) await testEverIn(q, actor, id, test);
    const { limit, offset } = pageOf(input);
    const { total, rows } = await pageOfQuarantines(q, { projectId: id, testId: test }, { limit, offset });
    const defaultBranch = rows.length === 0 ? null : defaultBranchOf(await newestSources(q, id));
    const found: Array<ReturnType<typeof quarantinedRecordOf>> = [];
    for (const row of rows) {
      const passes = passesInRow(await resultsSince(q, row.testId, { branch: defaultBranch, since: row.at }));
      found.push(quarantinedRecordOf(row, passes, clock.now()));
      if (turnIsOver()) await nextTurn(signal);
    }
    return { total, limit, offset, defaultBranch, tests: found };
  },
});

const quarantinedRecordOf = (row: Quarantined, passes: number, now: number) => ({
  testId: row.testId,
  testName: row.testName,
  reason: row.reason,
  ownerId: row.ownerId,
  until: isoTime(row.until),
  isOver: row.until <= now,
  linkKey: row.linkKey,
  by: row.by,
  at: isoTime(row.at),
  lastStatus: row.lastStatus,
  passesInRow: passes,
  proposesEnd: passes >= passesForEnd,
});
