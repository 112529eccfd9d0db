import type { CaseBase, SyncedCase } from './case-base.ts';
import { writtenName } from './case-comment.ts';
import {
  changedFields,
  comparedContent,
  contentFields,
  type TestContent,
  type ContentField,
} from './case-content.ts';
import { sectionKey } from './case-path.ts';
import type { CaseFault, CaseTree, FileCase } from './case-tree.ts';

/** A test as `push-tests` takes it. */
interface PushedTest {
  readonly testId?: number;
  /** The version that it had when it was pulled or pushed. */
  readonly version?: number;
  readonly fields: Partial<TestContent>;
  /** For a new test: tests of the same section and name that have a file of their own. */
  readonly otherThan?: readonly number[];
}

export interface PushPlan {
  readonly tests: ReadonlyArray<{
    readonly here: FileCase;
    readonly pushed: PushedTest;
    readonly fields: readonly ContentField[];
  }>;
  /** In `cases.json`, and in no file. */
  readonly deleted: ReadonlyArray<{ readonly testId: number } & SyncedCase>;
  readonly faults: readonly CaseFault[];
}

/**
 * What a push sends: the fields that changed since the last pull or push, and whole new tests.
 * @param baseOf as in `planPull`; where it is gone, all fields are sent.
 */
export function planPush(
  { cases, faults }: CaseTree,
  base: CaseBase,
  baseOf: (testId: number) => TestContent | undefined,
): PushPlan {
  const found: CaseFault[] = [...faults];
  const fault = ({ path, block }: FileCase, message: string) =>
    void found.push({ path, line: block.line, message });
  const tests: Array<PushPlan['tests'][number]> = [];
  const places = Map.groupBy(cases, placeKey);
  for (const here of cases) {
    const { testId, block, hash } = here;
    const known = testId === null ? undefined : base.tests.get(testId);
    const content = comparedContent(here.content);
    const unsettled = unsettledOf(here);
    if (block.isUnresolved) fault(here, 'It has marks of a conflict. Resolve them first');
    else if (unsettled !== null) fault(here, unsettled);
    else if (testId === null) {
      const otherThan = (places.get(placeKey(here)) ?? []).flatMap((one) => one.testId ?? []);
      tests.push({ here, fields: contentFields, pushed: { fields: content, otherThan } });
    } else if (!known)
      fault(
        here,
        `@T${testId} is not in .trivet/cases.json. Run trivet cases pull, or remove the line "id:" to create it`,
      );
    else if (known.hash !== hash) {
      const before = baseOf(testId);
      const fields = before ? changedFields(comparedContent(before), content) : contentFields;
      const sent = Object.fromEntries(fields.map((field) => [field, content[field]])) as Partial<TestContent>;
      tests.push({ here, fields, pushed: { testId, version: known.version, fields: sent } });
    }
  }
  const present = new Set(cases.map(({ testId }) => testId));
  const deleted = [...base.tests].flatMap(([testId, known]) =>
    present.has(testId) ? [] : [{ testId, ...known }],
  );
  return { tests, deleted, faults: found };
}

/** What a conflict of a name or a section left in the comment, although another one is in force; null: nothing. */
function unsettledOf({ block: { left, testName }, content }: FileCase): string | null {
  if (left.name !== undefined && left.name !== writtenName(testName.trim()))
    return `Its comment has "name: ${left.name}" and its heading "${testName.trim()}". Write the right one as the heading, and remove the line "name:"`;
  const section = content.section.join(' > ');
  if (left.section !== undefined && left.section !== section)
    return `Its comment has "section: ${left.section}", and its file is of the section "${section}". Move it to the file of the right one, and remove the line "section:"`;
  return null;
}

const placeKey = ({ content }: FileCase): string =>
  `${sectionKey(content.section)} ${content.testName.trim()}`;
