import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { extraOperation } from '../base/operation.ts';
import { listPageOf, listPaging, projectId, runId } from '../base/parameters.ts';
import { loadRunTestVersions, runTestsByIds } from './run-case-store.ts';
import { changedTests } from './run-change-store.ts';
import { cursorOf, cursorText } from './run-cursor.ts';
import { runRecord, runRecordOf, runTestVersionRecord } from './run-record.ts';
import { runFor } from './run-store.ts';

/*
 * No change is lost to concurrent writes. A writer locks the row of its run until the commit, and gives the change a later time than the
 * run has. So when the run is read with a time, all changes up to that time are committed, and the tests, which are read afterwards,
 * contain them. A test that changes in between is returned now and again with the next call, which does no harm. Servers of an earlier
 * version, in a rolling upgrade, use the times of their clocks, which may be equal.
 */
export const getRunChanges = extraOperation({
  name: 'get-run-changes',
  title: 'Follow a test run',
  description:
    'Returns the run and, after a cursor, the tests whose result changed since; without `after` only the run and the present ' +
    'cursor. While `more` is true, call again at once with the new cursor. To read a whole run use get-run-tests-list.',
  input: closedObject({
    projectId,
    runId,
    after: Type.Optional(
      Type.String({ maxLength: 60, description: 'The cursor of the last get-run-changes of this run.' }),
    ),
    limit: listPaging.limit,
  }),
  output: closedObject({
    limit: Type.Integer(),
    cursor: Type.String(),
    more: Type.Boolean(),
    membershipChanged: Type.Boolean({ description: 'Tests were added or removed: read the list again.' }),
    run: runRecord,
    results: Type.Array(runTestVersionRecord),
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const known = input.after === undefined ? undefined : cursorOf(input.after);
    const { limit } = listPageOf(input);
    const run = await runFor(q, actor, input, 'read');
    const now = run.updatedAt ?? 0;
    const answer = { limit, more: false, membershipChanged: false, run: runRecordOf(run), results: [] };
    if (known === undefined || known.since === now) return { ...answer, cursor: cursorText({ since: now }) };
    // A cursor from the future: the database was restored from a backup since.
    if (known.since > now) return { ...answer, cursor: cursorText({ since: now }), membershipChanged: true };
    const { since, page: { upTo, after } = { upTo: now, after: 0 } } = known;
    const found = await changedTests(q, { runId: run.id, since, after, limit: limit + 1 }, signal);
    const ids = found.slice(0, limit);
    const more = found.length > limit;
    const rows = await runTestsByIds(q, run.id, ids);
    return {
      ...answer,
      cursor: cursorText(more ? { since, page: { upTo, after: ids.at(-1) ?? after } } : { since: upTo }),
      more,
      membershipChanged: (run.testsChangedAt ?? 0) > since,
      results: await loadRunTestVersions(q, run.projectId, rows),
    };
  },
});
