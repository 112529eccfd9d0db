import { counted } from '../../../core/base/counted-noun.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { changedFields, comparedContent, contentFields } from '../case-files/case-content.ts';
import { differenceText, fieldDifferences, type WrittenDifference } from '../case-files/case-difference.ts';
import { caseStates, statusesOf, type CaseStatus } from '../case-files/case-tree.ts';
import { committedContents } from './cases-committed.ts';
import { readFolder, requireNoFaults } from './cases-folder.ts';

/** The place and name of a test, e.g. `Payment.test.md:12 @T12 Pay`. */
export const caseLine = ({ path, line, testId, testName }: Omit<CaseStatus, 'state'>): string =>
  [line === null ? path : `${path}:${line}`, testId === null ? '' : `@T${testId}`, testName ?? '']
    .filter((part) => part !== '')
    .join(' ');

/** `trivet cases status`: without a server. Ends with 1 if somebody must resolve a conflict. @throws UsageError. */
export async function statusOfCases(words: readonly string[]): Promise<CommandAnswer> {
  const { tree, base } = await readFolder(words);
  requireNoFaults(tree.faults);
  const all = statusesOf(tree, base);
  const counts = Object.fromEntries(
    caseStates.map((state) => [state, all.filter((one) => one.state === state).length]),
  );
  const changed = all.filter(({ state }) => state !== 'unchanged');
  const lines = changed.map((one) => `${one.state.padEnd(9)} ${caseLine(one)}`);
  const text = lines.length === 0 ? `Nothing changed in ${counted(all.length, 'test')}.` : lines.join('\n');
  return {
    data: { project: base?.project ?? null, counts, tests: changed },
    text,
    failed: changed.some(({ state }) => state === 'conflict'),
  };
}

interface ChangedCase extends CaseStatus {
  /** null: it is not known what it was. */
  readonly fields: readonly WrittenDifference[] | null;
}

/** `trivet cases diff`: without a server. @throws UsageError. */
export async function differenceOfCases(words: readonly string[]): Promise<CommandAnswer> {
  const { path, tree, base, contents } = await readFolder(words);
  requireNoFaults(tree.faults);
  const byBlock = new Map(tree.cases.map((one) => [`${one.path}:${one.block.line}`, one]));
  const changed = statusesOf(tree, base).filter(({ state }) => state !== 'unchanged');
  const hashOf = (testId: number | null) => (testId === null ? undefined : base?.tests.get(testId)?.hash);
  const unknown = changed.flatMap(({ testId }) => {
    const hash = hashOf(testId);
    return testId === null || hash === undefined || contents.has(hash) ? [] : [testId];
  });
  const committed = base && (await committedContents(path, base, unknown));
  const tests = changed.map((status): ChangedCase => {
    const here = byBlock.get(`${status.path}:${status.line}`);
    const known = hashOf(status.testId);
    const before = known === undefined ? undefined : (contents.get(known) ?? committed?.get(known));
    if (!here || (known !== undefined && !before)) return { ...status, fields: null };
    const fields = before
      ? changedFields(comparedContent(before), comparedContent(here.content))
      : contentFields.filter((field) => field !== 'testName' && field !== 'section');
    return { ...status, fields: fieldDifferences(before, here.content, fields) };
  });
  const text = tests
    .map(({ fields, ...status }) => {
      const note =
        status.state === 'deleted'
          ? ''
          : fields === null
            ? '  It was pulled elsewhere: trivet cases pull brings what it was here.'
            : differenceText(fields);
      return [`${status.state} ${caseLine(status)}`, note].filter((line) => line !== '').join('\n');
    })
    .join('\n\n');
  return { data: { tests }, text: text === '' ? 'Nothing changed.' : text };
}
