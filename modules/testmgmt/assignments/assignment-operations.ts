import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { requireDistinct, testIdList } from '../base/id-list.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, idList, projectId, queryText, runId } from '../base/parameters.ts';
import { changesOfAll, testRecords, unchanged } from '../base/written-changes.ts';
import { requireMembers } from '../projects/project-people.ts';
import { askQuery } from '../query/query-store.ts';
import { everyIdOfRunQuery, requireTestsInRun } from '../runs/run-case-store.ts';
import { countInRun, runFor, runToChange } from '../runs/run-store.ts';
import { assign, sharesOf, type Shares } from './assignment-store.ts';
import { shareRules, type ShareRule } from './work-share.ts';

/** The most people among whom one call divides tests. */
const maxPeople = 100;

export const assigneeList = (description: string) =>
  Type.Array(recordId('From get-all-users.'), { minItems: 1, maxItems: maxPeople, description });

export const shareRecord = closedObject({
  userId: nullable(Type.Integer()),
  tests: Type.Integer(),
  minutes: nullable(Type.Number({ description: 'As forecast, with by: estimate; see get-workload.' })),
});

export const minutesOf = (seconds: number): number => Math.round(seconds / 6) / 10;

const shareRecordsOf = (shares: Shares, rule: ShareRule) =>
  [...shares].map(([userId, tests]) => ({
    userId,
    tests: tests.length,
    minutes:
      rule === 'estimate' && userId !== null
        ? minutesOf(tests.reduce((sum, one) => sum + one.seconds, 0))
        : null,
  }));

export const assignTests = extraOperation({
  name: 'assign-tests',
  title: 'Assign tests of a run',
  description:
    'Assigns tests of an unlocked run, chosen by a query or by ids, to members of the organization: as many to each (`even`), or as much ' +
    'time (`estimate`). `assignTo: null` takes them from everybody. With `dryRun` it only counts.',
  input: closedObject({
    projectId,
    runId,
    query: Type.Optional(queryText('As in get-run-tests-list, e.g. assigned:none.')),
    testIds: Type.Optional(idList('From get-run-tests-list, each once.')),
    assignTo: Type.Union([assigneeList('Each once.'), Type.Null()], {
      description: 'Each once; null: nobody.',
    }),
    by: Type.Optional(words(shareRules, { default: 'even', description: 'What is equal for each.' })),
    dryRun,
  }),
  output: closedObject({
    dryRun: Type.Boolean(),
    count: Type.Integer({ description: 'Tests.' }),
    changed: Type.Integer({ description: 'Of them with another assignee than before; 0 with dryRun.' }),
    shares: Type.Array(shareRecord),
  }),
  access: member('write'),
  effect: 'update',
  handler: async (input, { actor, db, clock, signal, wrote }) => {
    const { query, testIds, assignTo: people, by: rule = 'even', dryRun: dry = false } = input;
    if ((query === undefined) === (testIds === undefined))
      throw fail.INVALID_REQUEST('Give either a query or testIds.', { cause: 'query' });
    if (testIds) requireDistinct(testIds, testIdList);
    if (people) requireDistinct(people, { parameter: 'assignTo', inside: '' });
    const { projectId: project } = await runFor(db.q, actor, input, 'write');
    const now = clock.now();
    const chosen = async (text: string) => {
      const asked = askQuery(text, actor, { scope: 'run-tests', projectId: project, now });
      await asked.requireNames(db.q);
      return everyIdOfRunQuery(db.q, input.runId, asked, signal);
    };
    const ids = testIds ?? (await chosen(query ?? ''));
    const shares = await sharesOf(db.q, project, ids, { people, rule, signal });
    return db.tx(async (q) => {
      const run = await runToChange(q, actor, input);
      if (people) await requireMembers(q, project, people, 'assignTo');
      if (testIds) await requireTestsInRun(q, run.id, testIds, signal);
      const changed = dry ? 0 : await assign(q, run.id, shares, signal);
      // Whoever shows the list of the run has to read it again.
      const none = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
      await countInRun(q, run, none, { by: actor.userId, now, changed, ofOtherTests: true });
      const changes = changesOfAll(changed, { assignTo: people });
      const subject = changed === 0 ? { changes: unchanged } : { records: testRecords(ids), changes };
      wrote({ projectId: project, runId: run.id, ...subject });
      return { dryRun: dry, count: ids.length, changed, shares: shareRecordsOf(shares, rule) };
    });
  },
});
