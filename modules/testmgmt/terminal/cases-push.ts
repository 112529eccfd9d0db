import { counted } from '../../../core/base/counted-noun.ts';
import { UsageError } from '../../../core/base/errors.ts';
import type { CommandAnswer, ToolCommandCall } from '../../../core/module/command.ts';
import type { CaseBase } from '../case-files/case-base.ts';
import { contentHash, type TestContent } from '../case-files/case-content.ts';
import { differenceText, fieldDifferences } from '../case-files/case-difference.ts';
import { writtenDocument } from '../case-files/case-document.ts';
import { planPush, type PushPlan } from '../case-files/case-push.ts';
import { changedBlock } from '../case-files/case-rewrite.ts';
import type { CaseTree } from '../case-files/case-tree.ts';
import { readFolder, requireNoFaults, writeFolder } from './cases-folder.ts';
import { caseLine } from './cases-local.ts';
import { contentOfVersion, folderBase, knownContents } from './cases-server.ts';
import { casesPushSettings } from './cases-settings.ts';

/** Tests of one call. */
const testsPerPush = 5_000;

interface Pushed {
  readonly testId: number;
  readonly version: number;
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'found';
}

/** `trivet cases push`. @throws UsageError, Fault TEST_CHANGED and others; then nothing was stored. */
export async function pushCases(given: ToolCommandCall): Promise<CommandAnswer> {
  const { config, call } = given;
  const settings = config.read(casesPushSettings);
  const folder = await readFolder(given.words);
  const base = await folderBase(folder, given, settings.project);
  const changed = folder.tree.cases.flatMap(({ testId, hash }) =>
    testId !== null && base.tests.has(testId) && base.tests.get(testId)?.hash !== hash ? [testId] : [],
  );
  const known = await knownContents(given, { base, folder }, changed);
  const plan = planPush(folder.tree, base, (testId) => known.get(testId));
  requireNoFaults(plan.faults);
  const deleted = settings.delete === true ? plan.deleted : [];
  if (plan.tests.length + deleted.length === 0) return nothingToPush(plan, settings.delete === true);
  if (plan.tests.length > testsPerPush || deleted.length > testsPerPush)
    throw new UsageError(
      `More than ${testsPerPush} tests are new or changed. Push a part of them first: move the other files away for it.`,
    );
  const answer = (await call('push-tests', {
    projectId: base.project,
    tests: plan.tests.map(({ pushed: { fields, ...rest } }) => ({ ...rest, ...fields })),
    ...(deleted.length > 0 && { deleted: deleted.map(({ testId, version }) => ({ testId, version })) }),
    ...(settings.strict === true && { strict: true }),
    ...(settings.check === true && { dryRun: true }),
  })) as { readonly tests: readonly Pushed[] };
  if (settings.check === true) return checkedPush(plan, deleted, known);
  const isSame = await sameAsFound(given, base.project, plan, answer.tests);
  const written = afterPush(folder.tree, base, plan, { pushed: answer.tests, deleted, isSame });
  const contents = [...folder.tree.cases.map(({ content }) => content), ...folder.contents.values()];
  const wanted = new Set([...written.base.tests.values()].map(({ hash }) => hash));
  const kept = new Map(contents.map((content) => [contentHash(content), content]));
  await writeFolder(folder.path, {
    ...written,
    contents: [...kept].flatMap(([hash, content]) => (wanted.has(hash) ? [content] : [])),
  });
  const tests = plan.tests.map(({ here }, at) => ({
    path: here.path,
    line: here.block.line,
    testName: here.block.testName,
    ...answer.tests[at],
    testId: answer.tests[at]?.testId ?? null,
  }));
  const lines = [
    ...tests.map((one) => `${(one.outcome ?? '').padEnd(9)} ${caseLine(one)}`),
    ...deleted.map(({ path, testId }) => `deleted   ${path} @T${testId}`),
  ];
  return {
    data: { project: base.project, tests, deleted: deleted.map(({ testId }) => testId) },
    text: lines.join('\n'),
    ...(tests.some(({ outcome, testId }) => outcome === 'found' && !isSame.has(testId ?? 0)) && {
      note: 'Some new tests were on the server already, with another text: trivet cases pull merges them.',
    }),
  };
}

/** The tests that were found on the server with the content of their file. */
async function sameAsFound(
  { call }: ToolCommandCall,
  projectId: number,
  { tests }: PushPlan,
  pushed: readonly Pushed[],
): Promise<ReadonlySet<number>> {
  const same = new Set<number>();
  for (const [at, { here }] of tests.entries()) {
    const done = pushed[at];
    if (done?.outcome !== 'found') continue;
    const content = await contentOfVersion(call, projectId, done.testId);
    if (content && contentHash(content) === here.hash) same.add(done.testId);
  }
  return same;
}

function nothingToPush({ deleted }: PushPlan, mayDelete: boolean): CommandAnswer {
  const gone = mayDelete ? [] : deleted;
  return {
    data: { tests: [], deleted: [], notInFiles: gone.map(({ testId }) => testId) },
    text: 'Nothing to push.',
    ...(gone.length > 0 && {
      note: `Not in the files any more: ${counted(gone.length, 'test')}; --delete deletes them on the server.`,
    }),
  };
}

/** What a push would do, as Markdown for a pull request. */
function checkedPush(
  { tests, deleted: gone }: PushPlan,
  deleted: PushPlan['deleted'],
  known: ReadonlyMap<number, TestContent>,
): CommandAnswer {
  const isNew = ({ here }: PushPlan['tests'][number]) => here.testId === null;
  const counts = {
    new: tests.filter(isNew).length,
    changed: tests.filter((one) => !isNew(one)).length,
    deleted: deleted.length,
  };
  const blocks = tests.map(({ here, fields }) => {
    const before = here.testId === null ? undefined : known.get(here.testId);
    const shown = before ? fields : fields.filter((field) => field !== 'testName' && field !== 'section');
    const text = differenceText(fieldDifferences(before, here.content, shown));
    // A fence longer than any in the text.
    const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    const title = `- ${here.testId === null ? 'new' : `@T${here.testId}`} in \`${here.path}\`: ${here.block.testName.replaceAll(/[\\`*_[\]<>#|]/g, '\\$&')}`;
    return text === ''
      ? title
      : `${title}\n\n${fence}diff\n${text.replaceAll(/^ {2}([-+ ]) /gm, '$1 ')}\n${fence}\n`;
  });
  const head = `### Test cases: ${counts.new} new, ${counts.changed} changed, ${counts.deleted} deleted`;
  const left =
    gone.length > deleted.length
      ? [`\nNot in the files any more, and kept: ${counted(gone.length, 'test')}.`]
      : [];
  const removed = deleted.map(({ testId, path }) => `- deleted @T${testId} of \`${path}\``);
  const text = [head, '', ...blocks, ...removed, ...left, ''].join('\n');
  return { data: { counts, markdown: text }, text };
}

/** The files with the ids of new tests, and what is known after a push. */
function afterPush(
  tree: CaseTree,
  base: CaseBase,
  plan: PushPlan,
  {
    pushed,
    deleted,
    isSame,
  }: {
    readonly pushed: readonly Pushed[];
    readonly deleted: PushPlan['deleted'];
    readonly isSame: ReadonlySet<number>;
  },
) {
  const tests = new Map(base.tests);
  const newIds = new Map<object, number>();
  for (const [at, { here }] of plan.tests.entries()) {
    const done = pushed[at];
    if (!done) continue;
    if (here.testId === null) newIds.set(here.block, done.testId);
    // What was found is another text until a pull has merged it.
    if (done.outcome !== 'found' || isSame.has(done.testId))
      tests.set(done.testId, { path: here.path, version: done.version, hash: here.hash });
  }
  for (const { testId } of deleted) tests.delete(testId);
  const files = new Map<string, string>();
  for (const [path, document] of tree.documents) {
    if (!document.blocks.some((block) => newIds.has(block))) continue;
    const blocks = document.blocks.map((block) => {
      const testId = newIds.get(block);
      if (testId === undefined) return block;
      return { ...block, parts: changedBlock(block, block.content, [], { eol: document.eol, testId }) };
    });
    files.set(path, writtenDocument({ preamble: document.preamble, blocks }));
  }
  return { files, base: { ...base, tests } };
}
