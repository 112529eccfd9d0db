import { extrasOf } from '../words/extra-field.ts';
import { textsOfSteps, type Step } from '../words/steps-text.ts';

/** A test as lists return it. What is not set may be absent. */
export interface ListedTest {
  readonly testId?: number;
  readonly testName?: string;
  readonly sectionId?: number | null;
  readonly sectionPath?: readonly string[];
  readonly squadId?: number | null;
  readonly squad?: string | null;
  readonly priority?: string | null;
  readonly platform?: string | null;
  readonly automationStatus?: string | null;
  readonly testCoveredBy?: string | null;
  readonly labels?: ReadonlyArray<{ readonly labelName: string }>;
  readonly createdBy?: number;
  readonly createdAt?: string;
}

/** What a row needs of other records. */
export interface Joined {
  readonly projectId: number;
  nameOf(userId: number | null | undefined): string | null;
  /** The parent of each section. */
  readonly parents: ReadonlyMap<number, number | null>;
}

/** The names of labels in one text, by name; null without any. */
export const labelText = (labels: ListedTest['labels']): string | null =>
  (labels ?? [])
    .map(({ labelName }) => labelName)
    .toSorted()
    .join(',') || null;

const sectionFields = ({ sectionId, sectionPath }: ListedTest, { parents }: Joined) => ({
  section: sectionPath?.at(-1) ?? null,
  sectionId: sectionId ?? null,
  sectionParentId: parents.get(sectionId ?? 0) ?? null,
});

/** A row of `project/tests`. */
export const testRow = (test: ListedTest, joined: Joined) => ({
  title: test.testName ?? null,
  testId: test.testId ?? null,
  squadId: test.squadId ?? null,
  priority: test.priority ?? null,
  automationStatus: test.automationStatus ?? null,
  createdByName: joined.nameOf(test.createdBy),
  testCoveredBy: test.testCoveredBy ?? null,
  createdOn: test.createdAt ?? null,
  squadName: test.squad ?? null,
  platform: test.platform ?? null,
  labelName: labelText(test.labels),
  refCreatedByName: null,
  projectId: joined.projectId,
  ...sectionFields(test, joined),
});

/** The columns of the CSV of tests, in Checkmate's order. */
export const testColumns = [
  'testId',
  'title',
  'squadId',
  'priority',
  'automationStatus',
  'createdByName',
  'testCoveredBy',
  'createdOn',
  'squadName',
  'platform',
  'labelName',
  'refCreatedByName',
  'projectId',
  'section',
  'sectionId',
  'sectionParentId',
] as const satisfies ReadonlyArray<keyof ReturnType<typeof testRow>>;

interface WholeTest extends ListedTest {
  readonly type: string | null;
  readonly testDescription: string;
  readonly preconditions: string;
  readonly steps: readonly Step[];
  readonly updatedBy: number | null;
  readonly updatedAt: string;
}

/** The answer of `test/details`. */
export function testDetails(test: WholeTest, joined: Joined) {
  const { description, extras } = extrasOf(test.testDescription);
  const { section, sectionId, sectionParentId } = sectionFields(test, joined);
  return {
    testId: test.testId ?? null,
    title: extras.fullTitle ?? test.testName ?? null,
    section,
    squad: test.squad ?? null,
    priority: test.priority ?? null,
    automationStatus: test.automationStatus ?? null,
    type: test.type,
    platform: test.platform ?? null,
    testCoveredBy: test.testCoveredBy ?? null,
    jiraTicket: extras.jiraTicket ?? null,
    defects: extras.defects ?? null,
    preConditions: test.preconditions || null,
    ...textsOfSteps(test.steps),
    sectionId,
    sectionParentId,
    automationId: extras.automationId ?? null,
    additionalGroups: extras.additionalGroups ?? null,
    labelNames: labelText(test.labels),
    description: description || null,
    createdBy: joined.nameOf(test.createdBy),
    createdOn: test.createdAt ?? null,
    updatedBy: joined.nameOf(test.updatedBy),
    updatedOn: test.updatedAt,
  };
}
