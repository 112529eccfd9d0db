import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { testEverIn, testFor, type Test } from '../cases/case-store.ts';
import { changeTests, deleteTests } from '../cases/case-write-store.ts';
import { fail } from '../base/errors.ts';
import { resultsOperation } from '../base/operation.ts';
import { dryRun, listPageOf, listPaging, projectId, testId } from '../base/parameters.ts';
import { projectFor, projectToChange, requireDirectWrite } from '../projects/project-store.ts';
import { declineRename } from '../runs/unmatched-result-store.ts';
import { changesOf, testRecords } from '../base/written-changes.ts';
import { keyHash, keyText, parsedKey, testNameOf } from './matching/automation-key.ts';
import {
  addKeys,
  keysOfTests,
  knownKeys,
  moveKeys,
  namesOfTests,
  pageOfKeys,
  retireKeys,
} from './matching/automation-key-store.ts';
import { joinUnmatched } from './upload/unmatched-results.ts';
import {
  joinedPlaces,
  moveResults,
  runWithResultsOfBoth,
  type Places,
  type TestPair,
} from './matching/test-merge-store.ts';

const keyRecord = closedObject({
  key: Type.String({ description: 'What test tools call the test: suites, name and parameters.' }),
  testId: Type.Integer(),
  testName: Type.String(),
  isAlias: Type.Boolean({ description: 'Replaced by another key; it still finds the test.' }),
  file: Type.Union([Type.String(), Type.Null()], { description: 'The source file that reported it first.' }),
  createdAt: Type.String(),
});

export const listAliases = resultsOperation({
  name: 'list-aliases',
  title: 'List automation keys and aliases',
  description:
    'Lists by which names of test tools the tests of a project, or one test, are found: their automation keys, and the aliases that ' +
    'renames and merges left.',
  input: closedObject({ projectId, testId: Type.Optional(testId), ...listPaging }),
  output: page('aliases', keyRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    await projectFor(q, actor, input.projectId, 'read');
    if (input.testId !== undefined) await testEverIn(q, actor, input.projectId, input.testId);
    const { limit, offset } = listPageOf(input);
    const { total, rows } = await pageOfKeys(q, input, { limit, offset });
    const names = await namesOfTests(q, [...new Set(rows.map((row) => row.testId))]);
    const aliases = rows.map(({ key, testId: test, isAlias, file, createdAt }) => ({
      key,
      testId: test,
      testName: names.get(test) ?? '',
      isAlias,
      file,
      createdAt: isoTime(createdAt),
    }));
    return { total, limit, offset, aliases };
  },
});

const mergeRecord = closedObject({
  dryRun: Type.Boolean(),
  testId: Type.Integer({ description: 'The test that goes on.' }),
  testName: Type.String(),
  mergedTestId: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The test that ended; null for none.',
  }),
  sharedRuns: Type.Integer({ description: 'Runs that had both, one of them untested.' }),
  joinedResults: Type.Optional(
    Type.Integer({ description: 'Results that were reported of the key while it had no test.' }),
  ),
  declined: Type.Optional(Type.Boolean()),
});

export const mergeTests = resultsOperation({
  name: 'merge-tests',
  title: 'Make two tests one',
  description:
    'Gives all results, places in runs and automation keys of one test to another and deletes it, e.g. when a rename was not noticed. ' +
    'Its other fields are dropped. Tests that both have a result in one run are two tests: they are refused. Cannot be undone; `dryRun` only checks.',
  input: closedObject({
    projectId,
    testId: recordId('The test that goes on.'),
    mergedTestId: recordId('The test that ends.'),
    dryRun,
  }),
  output: mergeRecord,
  access: member('write'),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  handler: (input, context) => {
    const { projectId: id, testId: to, mergedTestId: from, dryRun: dry = false } = input;
    if (from === to)
      throw fail.INVALID_REQUEST('testId and mergedTestId are the same test.', { cause: 'mergedTestId' });
    return context.db.tx(async (q) => {
      await projectToChange(q, context.actor, id, { lock: 'stop', testsFrom: context.surface });
      const kept = await testFor(q, context.actor, id, to);
      await testFor(q, context.actor, id, from);
      const places = await placesToJoin(q, id, { from, to }, context.signal);
      const answer = {
        dryRun: dry,
        testId: to,
        testName: kept.name,
        mergedTestId: from,
        sharedRuns: places.shared.length,
      };
      if (!dry) await merge(q, { projectId: id, from, to, places }, context);
      return answer;
    });
  },
});

export const acceptRename = resultsOperation({
  name: 'accept-rename',
  title: 'Say that a test has a new name',
  description:
    'From now on a test is found by the given automation key, `to` of a rename that ingest-results found; the old one becomes an alias. ' +
    'If a test was created for the key, its results are moved and it is deleted; results that were reported of it without a test become ' +
    'its results. A test that has the name of its old key takes the new one. `decline` says that they are two tests: it is not offered again.',
  input: closedObject({
    projectId,
    testId: recordId('The test that has the history.'),
    key: Type.String({
      minLength: 1,
      maxLength: 5_000,
      pattern: '\\S',
      description: 'e.g. cart.test.ts > adds an item',
    }),
    decline: Type.Optional(Type.Boolean({ default: false, description: 'Answer no.' })),
    dryRun,
  }),
  output: mergeRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, context) => {
    const { projectId: id, testId: to, dryRun: dry = false } = input;
    const { actor, db, clock, signal, surface, wrote } = context;
    return db.tx(async (q) => {
      const project = await projectToChange(q, actor, id, { lock: 'stop' });
      const test = await testFor(q, actor, id, to);
      const key = parsedKey(input.key);
      const hash = keyHash(keyText(key));
      if (input.decline === true) return declined(q, { projectId: id, test, hash, dry }, context);
      const known = (await knownKeys(q, id, [hash], signal)).get(hash);
      const old = (await keysOfTests(q, [to], signal)).get(to);
      const created = known && !known.deleted && known.testId !== to ? known.testId : null;
      const places = created === null ? null : await placesToJoin(q, id, { from: created, to }, signal);
      const renamed = old && test.name === testNameOf(old.key) ? testNameOf(key) : test.name;
      const answer = {
        dryRun: dry,
        testId: to,
        testName: renamed,
        mergedTestId: created,
        sharedRuns: places?.shared.length ?? 0,
      };
      const joining = { projectId: id, actor, signal };
      const found = [{ testId: to, to: key }];
      if (dry)
        return { ...answer, joinedResults: await joinUnmatched(q, found, { ...joining, dryRun: true }) };
      // A test is deleted: that needs a review as any other deletion does.
      if (created !== null) requireDirectWrite(project, surface);
      if (created !== null && places) await merge(q, { projectId: id, from: created, to, places }, context);
      const [by, now] = [actor.userId, clock.now()];
      await retireKeys(q, [to]);
      await addKeys(q, [{ key, testId: to, file: old?.file ?? undefined }], {
        projectId: id,
        by,
        now,
        signal,
      });
      if (renamed !== test.name)
        await changeTests(q, [{ test, fields: { testName: renamed } }], { by, now, signal });
      const joinedResults = await joinUnmatched(q, found, joining);
      wrote({
        projectId: id,
        records: testRecords(created === null ? [to] : [to, created]),
        changes: changesOf(1),
      });
      return { ...answer, joinedResults };
    });
  },
});

/** Someone decided that they are two tests. */
async function declined(
  q: Query,
  { projectId: id, test, hash, dry }: { projectId: number; test: Test; hash: string; dry: boolean },
  { wrote }: Context,
) {
  const answer = {
    dryRun: dry,
    testId: test.id,
    testName: test.name,
    mergedTestId: null,
    sharedRuns: 0,
    declined: true,
  };
  if (dry) return answer;
  const results = await declineRename(q, { projectId: id, keyHash: hash, testId: test.id });
  if (results === 0)
    throw fail.NOTHING_TO_UPDATE('No pipeline reported this key without a test, so nothing is offered.', {
      cause: 'key',
      tip: 'Give `to` of a rename that ingest-results found.',
    });
  wrote({ projectId: id, records: testRecords([test.id]), changes: changesOf(1) });
  return answer;
}

/** The places of both tests. @throws Fault TESTS_RAN_TOGETHER when both have a result in one run. */
async function placesToJoin(q: Query, id: number, pair: TestPair, signal: AbortSignal): Promise<Places> {
  const places = await joinedPlaces(q, id, pair, signal);
  const both = places.shared.find(({ from, to }) => from !== 'untested' && to !== 'untested');
  const runId = both?.runId ?? (await runWithResultsOfBoth(q, pair, signal));
  if (runId !== undefined)
    throw fail.TESTS_RAN_TOGETHER(
      `Tests ${pair.from} and ${pair.to} both have a result in run ${runId}. Nothing was written.`,
    );
  return places;
}

interface Merge {
  readonly projectId: Test['projectId'];
  readonly from: number;
  readonly to: number;
  readonly places: Places;
}

async function merge(
  q: Query,
  { projectId: id, from, to, places }: Merge,
  { actor, clock, signal, wrote }: Context,
): Promise<void> {
  const [by, now] = [actor.userId, clock.now()];
  await moveResults(q, { from, to }, places, { by, now, signal });
  const hasKey = (await keysOfTests(q, [to], signal)).has(to);
  await moveKeys(q, { from, to, asAlias: hasKey });
  await deleteTests(q, id, [from], { by, now, signal });
  wrote({ projectId: id, records: testRecords([to, from]), changes: changesOf(1) });
}
