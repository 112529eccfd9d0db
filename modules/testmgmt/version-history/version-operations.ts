import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { extraOperation } from '../base/operation.ts';
import { testId, versionNumber } from '../base/parameters.ts';
import { requireSeenTest, seenText } from '../base/seen-time.ts';
import { testRecords } from '../base/written-changes.ts';
import { loadRecordThen, loadTestRecord } from '../cases/case-record-store.ts';
import { testRecord } from '../cases/case-record.ts';
import { testById, testFor, testNotFound, testToChange, type Test } from '../cases/case-store.ts';
import { changesOfTest, valuesOfTest } from '../cases/case-values.ts';
import { changeTests } from '../cases/case-write-store.ts';
import { visibleProject } from '../projects/project-store.ts';
import { fieldDifference, stepDifference } from '../cases/case-steps.ts';
import { differenceOfSteps } from '../versions/step-difference.ts';
import { testInVersion } from '../versions/version-read-store.ts';
import { leftOutRecord, withoutGone } from './restored-fields.ts';
import { differenceOfRecords } from './version-difference.ts';
import { pageOfVersions } from './version-page-store.ts';

export const listTestVersions = extraOperation({
  name: 'list-test-versions',
  title: 'List the versions of a test',
  description:
    'Lists the versions of a test, newest first: since when each holds, who made it, by which write or review, and which fields it changed. ' +
    'get-test-details with `version` returns one, compare-test-versions two, revert-test goes back to one. Deleted tests, too.',
  input: closedObject({ testId, ...paging }),
  output: page(
    'versions',
    closedObject({
      version: Type.Integer(),
      at: Type.String(),
      until: nullable(Type.String()),
      userId: nullable(Type.Integer()),
      activityId: nullable(Type.Integer()),
      client: nullable(Type.String({ description: 'The program of an agent, by its own word.' })),
      review: nullable(
        closedObject({
          reviewId: Type.Integer(),
          authorId: Type.Integer(),
          client: nullable(Type.String()),
        }),
      ),
      changed: nullable(Type.Array(Type.String())),
    }),
  ),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) =>
    db.reads(async (q) => {
      const test = await visibleTest(q, actor, input.testId);
      const { limit, offset } = pageOf(input);
      const { labels } = await testInVersion(q, test, test.version);
      const { total, rows } = await pageOfVersions(q, { test, labels }, { limit, offset });
      const versions = rows.map(({ version, at, until, by, activityId, client, review, changed }) => ({
        version,
        at: isoTime(at),
        until: isoTime(until),
        userId: by,
        activityId,
        client,
        review,
        changed: changed && [...changed],
      }));
      return { total, limit, offset, versions };
    }),
});

/** The test, deleted or not. @throws Fault TEST_NOT_FOUND, also if the caller may not see it. */
async function visibleTest(q: Query, actor: Actor, id: number): Promise<Test> {
  const [test] = await testById(q, { id });
  if (!test || !(await visibleProject(q, actor, test.projectId, 'read'))) throw testNotFound(id);
  return test;
}

export const compareTestVersions = extraOperation({
  name: 'compare-test-versions',
  title: 'Compare two versions of a test',
  description:
    'Returns the fields in which two versions of a test differ, and its steps as added, removed or changed. Without `to` the present one.',
  input: closedObject({
    testId,
    from: versionNumber('The older one, from list-test-versions.'),
    to: Type.Optional(versionNumber('The newer one.')),
  }),
  output: closedObject({
    testId: Type.Integer(),
    from: Type.Integer(),
    to: Type.Integer(),
    fields: Type.Array(fieldDifference),
    steps: Type.Array(stepDifference),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) =>
    db.reads(async (q) => {
      const test = await visibleTest(q, actor, input.testId);
      const to = input.to ?? test.version;
      const [older, newer] = [
        await loadRecordThen(q, await testInVersion(q, test, input.from)),
        await loadRecordThen(q, await testInVersion(q, test, to)),
      ];
      return {
        testId: test.id,
        from: input.from,
        to,
        fields: [...differenceOfRecords(older, newer)],
        steps: [...differenceOfSteps(older.steps, newer.steps)],
      };
    }),
});

export const revertTest = extraOperation({
  name: 'revert-test',
  title: 'Go back to a version of a test',
  description:
    'Gives a test the fields of an earlier version, as a new version. Sections, labels and values that are gone since are left out and ' +
    'listed in `leftOut`. To take back a whole write, e.g. an import, use undo-activity.',
  input: closedObject({
    testId,
    version: versionNumber('From list-test-versions.'),
    seenAt: Type.Optional(seenText),
  }),
  output: closedObject({ ...testRecord.properties, leftOut: leftOutRecord }),
  access: member('write'),
  effect: 'update',
  handler: ({ testId: id, version, seenAt }, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { test } = await testToChange(q, actor, id);
      requireSeenTest(test, seenAt);
      const { projectId } = test;
      const now = await testInVersion(q, test, test.version);
      const then = await testInVersion(q, test, version);
      const before = valuesOfTest(test, now.labels);
      const { items, leftOut } = await withoutGone(q, projectId, [
        { testId: id, fields: valuesOfTest(then.test, then.labels), present: test.fields },
      ]);
      const after = { ...before, ...items[0]?.fields };
      const { fields: changed, ...changes } = changesOfTest(before, after);
      const isOther = ([name, value]: [string, unknown]) =>
        JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]);
      const fields = Object.fromEntries(Object.entries(after).filter(isOther));
      if (changed.length > 0)
        await changeTests(q, [{ test, fields }], { by: actor.userId, now: clock.now(), signal });
      const record = await loadTestRecord(q, await testFor(q, actor, projectId, id));
      wrote({
        projectId,
        records: testRecords([id]),
        changes: { ...changes, fields: [{ field: 'version', to: version }, ...changed] },
      });
      return { ...record, leftOut: [...leftOut] };
    }),
});
