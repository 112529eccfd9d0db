import { counted } from '../../../core/base/counted-noun.ts';
import type { CommandAnswer, ToolCommandCall } from '../../../core/module/command.ts';
import { contentHash } from '../case-files/case-content.ts';
import { isAsKnown, planPull } from '../case-files/case-pull.ts';
import { readFolder, requireNoFaults, writeFolder } from './cases-folder.ts';
import { pullEveryTest, folderBase, knownContents } from './cases-server.ts';
import { casesPullSettings } from './cases-settings.ts';

/** `trivet cases pull`. Ends with 1 if somebody must decide something. @throws UsageError, Fault. */
export async function pullCases(given: ToolCommandCall): Promise<CommandAnswer> {
  const folder = await readFolder(given.words, { isMade: true });
  requireNoFaults(folder.tree.faults);
  const base = await folderBase(folder, given, given.config.read(casesPullSettings).project);
  const server = await pullEveryTest(given, base.project);
  const there = new Map(server.map((one) => [one.testId, one]));
  const stale = folder.tree.cases.flatMap((here) => {
    const { testId, hash } = here;
    const [known, test] = [base.tests.get(testId ?? 0), there.get(testId ?? 0)];
    const isNeeded = known && test && known.hash !== hash && !isAsKnown(here, test, known);
    return isNeeded && testId !== null ? [testId] : [];
  });
  const known = await knownContents(given, { base, folder }, stale);
  const plan = planPull({ tree: folder.tree, base, server, baseOf: (testId) => known.get(testId) });
  const contents = [...plan.base.tests].flatMap(([testId, { hash }]) => {
    const content = there.get(testId)?.content;
    return content && contentHash(content) === hash ? [content] : (folder.contents.get(hash) ?? []);
  });
  await writeFolder(folder.path, { files: plan.files, base: plan.base, contents });
  const lines = plan.pulled.map(({ outcome, path, testId, note }) =>
    [`${outcome.padEnd(12)} ${path} @T${testId}`, note].filter(Boolean).join('\n  '),
  );
  const undecided = plan.pulled.filter(({ outcome }) => outcome === 'conflict' || outcome === 'kept');
  return {
    data: { project: base.project, testsCount: server.length, files: plan.files.size, tests: plan.pulled },
    text: lines.length === 0 ? `Nothing changed in ${counted(server.length, 'test')}.` : lines.join('\n'),
    ...(undecided.length > 0 && {
      note: 'Look for <<<<<<< file in the files, keep what is right, remove the marks, then run trivet cases push.',
    }),
    failed: undecided.length > 0,
  };
}
