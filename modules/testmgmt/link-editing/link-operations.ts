import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { choiceRecord, choiceRecordOf } from '../cases/case-choice-operations.ts';
import { requireSome } from '../cases/case-choice-store.ts';
import { testEverIn } from '../cases/case-store.ts';
import { fail } from '../base/errors.ts';
import { requireDistinct, unknownIds, type IdList } from '../base/id-list.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, idList, projectId, queryText, recordsPerCall, runId, testId } from '../base/parameters.ts';
import { changesOf, changesOfAll, testRecords, unchanged } from '../base/written-changes.ts';
import { linkKind, linkRecord, linkRecordOf, type Link } from '../links/link-record.ts';
import {
  deleteLinks,
  insertLinks,
  linksById,
  linksByTest,
  linksWithKey,
  maxLinksOfRecord,
  pageOfLinks,
  sameKind,
  templatesOf,
  type NewLink,
} from '../links/link-store.ts';
import { keyOfAddress, maxUrl, storedAddress } from '../links/link-template.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { changeRunsBeside, runFor } from '../runs/run-store.ts';
import { testsGiven } from '../runs/test-choice-store.ts';

const key = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description });

const testList = Type.Optional(
  Type.Array(testId, { ...recordsPerCall, description: 'From get-tests; or query.' }),
);

const givenLink = closedObject({
  kind: linkKind,
  key: Type.Optional(key('e.g. SHOP-12.')),
  url: Type.Optional(
    Type.String({ minLength: 1, maxLength: maxUrl, description: 'Without it, by the link templates.' }),
  ),
});

/** A link as it is stored. @throws Fault INVALID_REQUEST. */
function newLink(
  { kind, key: given, url }: Static<typeof givenLink>,
  templates: Parameters<typeof keyOfAddress>[0],
  at: number,
): NewLink {
  const cause = `links[${at}]`;
  if (given === undefined && url === undefined)
    throw fail.INVALID_REQUEST('A link needs a key or a url.', { cause });
  const address = storedAddress(url);
  if (address === undefined)
    throw fail.INVALID_REQUEST(`The url is not an http or https address of at most ${maxUrl} characters.`, {
      cause: `${cause}.url`,
    });
  if (given !== undefined) return { kind, key: given.trim(), url: address };
  const found = keyOfAddress(templates, address ?? '');
  if (found !== address) return { kind, key: found, url: null };
  return { kind, key: found.slice(0, 255).toWellFormed(), url: address };
}

export const addLinks = extraOperation({
  name: 'add-links',
  title: 'Link tests to requirements or defects',
  description:
    'Links up to 5,000 tests, or with `runId` their results in a run, to records of other systems: requirements, defects, references. ' +
    'A link that is there already stays as it is. At most 50 of a record. edit-project has `linkTemplates`, which make addresses of keys.',
  input: closedObject({
    projectId,
    testIds: testList,
    query: Type.Optional(queryText()),
    runId: Type.Optional(runId),
    links: Type.Array(givenLink, { minItems: 1, maxItems: 20, description: 'Each test gets all of them.' }),
    dryRun,
  }),
  output: closedObject({
    ...choiceRecord,
    added: Type.Integer({ description: 'Links that were not there, or would be new.' }),
  }),
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: project, runId: run, dryRun: dry = false } = input;
      await projectToChange(q, actor, project);
      if (run !== undefined) await runFor(q, actor, { projectId: project, runId: run }, 'write');
      const now = clock.now();
      const templates = await templatesOf(q, project);
      const wanted = input.links.map((link, at) => newLink(link, templates, at));
      const chosen = await testsGiven(q, actor, input, { most: recordsPerCall.maxItems, now, signal });
      requireSome(chosen);
      const rows = await missingLinks(q, chosen.ids, wanted, run, signal);
      if (!dry) await insertLinks(q, rows, { projectId: project, by: actor.userId, now, signal });
      if (!dry) await changeRunsBeside(q, rows, { by: actor.userId, now }, signal);
      const keys = wanted.map((link) => link.key).join(', ');
      wrote({
        projectId: project,
        ...(run === undefined ? {} : { runId: run }),
        records: testRecords(chosen.ids),
        changes: rows.length === 0 ? unchanged : changesOfAll(chosen.ids.length, { links: keys }),
      });
      return { ...choiceRecordOf(chosen, dry), added: rows.length };
    }),
});

/** The links that these tests do not have yet. @throws Fault TOO_MANY_LINKS. */
async function missingLinks(
  q: Query,
  testIds: readonly number[],
  wanted: readonly NewLink[],
  runId: number | undefined,
  signal: AbortSignal,
) {
  const present = await linksByTest(q, testIds, runId);
  const rows: Array<NewLink & { testId: number; runId: number | null }> = [];
  for (const one of testIds) {
    const own = (present.get(one) ?? []).filter((link) => link.runId === (runId ?? null));
    const known = new Set(own.map((link) => sameKind(link.kind, link.key)));
    const before = known.size;
    for (const link of wanted) {
      if (known.has(sameKind(link.kind, link.key))) continue;
      known.add(sameKind(link.kind, link.key));
      rows.push({ ...link, testId: one, runId: runId ?? null });
    }
    if (known.size > Math.max(before, maxLinksOfRecord))
      throw fail.TOO_MANY_LINKS(
        `Test ${one} would have ${known.size} links; a record has at most ${maxLinksOfRecord}. Nothing was written.`,
        { cause: 'links' },
      );
    if (turnIsOver()) await nextTurn(signal);
  }
  return rows;
}

const linkIdList: IdList = { parameter: 'linkIds', inside: '' };

const removeInput = closedObject({
  projectId,
  linkIds: Type.Optional(idList('From list-links.')),
  testIds: testList,
  query: Type.Optional(queryText()),
  runId: Type.Optional(runId),
  kind: Type.Optional(linkKind),
  key: Type.Optional(key('With testIds or query.')),
  dryRun,
});

export const removeLinks = extraOperation({
  name: 'remove-links',
  title: 'Remove links',
  description:
    'Removes links by `linkIds`, or the links with a `key` of the tests of `query` or `testIds`; with `runId` those of their results ' +
    'in the run. With `dryRun` it only counts them.',
  input: removeInput,
  output: closedObject({ dryRun: Type.Boolean(), removed: Type.Integer() }),
  access: member('write'),
  effect: 'delete',
  confirm: 'add-links adds them again.',
  handler: (input, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId: project, runId: run, linkIds, dryRun: dry = false } = input;
      await projectToChange(q, actor, project);
      if (run !== undefined) await runFor(q, actor, { projectId: project, runId: run }, 'write');
      const gone = await linksToRemove(
        q,
        input,
        async () => {
          const most = recordsPerCall.maxItems;
          return (await testsGiven(q, actor, input, { most, now: clock.now(), signal })).ids;
        },
        signal,
      );
      const ids = gone.map(({ id }) => id);
      if (!dry) await deleteLinks(q, ids, signal);
      if (!dry) await changeRunsBeside(q, gone, { by: actor.userId, now: clock.now() }, signal);
      const testIds = [...new Set(gone.map((link) => link.testId))];
      wrote({
        projectId: project,
        ...(run === undefined ? {} : { runId: run }),
        records: testRecords(testIds),
        changes: ids.length === 0 && linkIds === undefined ? unchanged : changesOf(ids.length),
      });
      return { dryRun: dry, removed: ids.length };
    }),
});

/** @throws Fault INVALID_REQUEST; DUPLICATE_ID, LINK_NOT_FOUND that name links by index. */
async function linksToRemove(
  q: Query,
  input: Static<typeof removeInput>,
  chosen: () => Promise<readonly number[]>,
  signal: AbortSignal,
): Promise<readonly Link[]> {
  const { projectId: project, linkIds, testIds, query, key: named, kind, runId: run } = input;
  if (linkIds === undefined) {
    if (named === undefined)
      throw fail.INVALID_REQUEST('Which links? Give linkIds, or a key with testIds or query.', {
        cause: 'key',
      });
    const of = {
      key: named,
      ...(kind === undefined ? {} : { kind }),
      ...(run === undefined ? {} : { runId: run }),
    };
    return linksWithKey(q, await chosen(), of, signal);
  }
  if ([testIds, query, named, kind, run].some((other) => other !== undefined))
    throw fail.INVALID_REQUEST('linkIds names the links; leave out the rest.', { cause: 'linkIds' });
  requireDistinct(linkIds, linkIdList);
  const found = await linksById(q, project, linkIds);
  if (found.length < linkIds.length) {
    const known = new Set(found.map(({ id }) => id));
    throw fail.LINK_NOT_FOUND(
      `Not links of project ${project}: ${unknownIds(linkIds, known, linkIdList)}. Nothing was written.`,
      { cause: 'linkIds' },
    );
  }
  return found;
}

export const listLinks = extraOperation({
  name: 'list-links',
  title: 'List links',
  description:
    'Lists links to requirements, defects and references, oldest first: of a test, of a run, of a test in a run, or of the project.',
  input: closedObject({
    projectId,
    testId: Type.Optional(testId),
    runId: Type.Optional(runId),
    kind: Type.Optional(linkKind),
    key: Type.Optional(key('Only this one.')),
    ...paging,
  }),
  output: page('links', linkRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { projectId: project, testId: test, runId: run } = input;
    await projectFor(q, actor, project, 'read');
    if (test !== undefined) await testEverIn(q, actor, project, test);
    if (run !== undefined) await runFor(q, actor, { projectId: project, runId: run }, 'read');
    const { limit, offset } = pageOf(input);
    const { total, rows } = await pageOfLinks(q, input, { limit, offset });
    const templates = await templatesOf(q, project);
    return { total, limit, offset, links: rows.map((row) => linkRecordOf(row, templates)) };
  },
});
