import {
  anything,
  clearable,
  id,
  idOrNone,
  list,
  name,
  optional,
  present,
  text,
} from '../wire/request-field.ts';
import {
  extraFields,
  extrasOf,
  nameOf,
  withExtras,
  type ExtraField,
  type Extras,
} from '../words/extra-field.ts';
import { stepsOf, textsOf, type Step } from '../words/steps-text.ts';

/** The fields of a test in a request: those of the MCP server, and those of Checkmate's pages and scripts. */
export const testFields = {
  testName: optional(name),
  title: optional(name),
  testDescription: clearable(text),
  description: clearable(text),
  sectionId: clearable(idOrNone),
  new_section: optional(name),
  squadId: clearable(idOrNone),
  new_squad: optional(name),
  priorityId: clearable(id),
  typeId: clearable(id),
  automationStatusId: clearable(id),
  platformId: clearable(id),
  testCoveredById: clearable(id),
  labels: optional(list(id, 1_000)),
  labelIds: optional(list(id, 1_000)),
  preConditions: clearable(text),
  steps: clearable(text),
  expectedResult: clearable(text),
  jiraTicket: clearable(text),
  defects: clearable(text),
  automationId: clearable(text),
  additionalGroups: clearable(text),
  attachments: optional(anything),
  assignedTo: optional(anything),
};

type Given<T> = T | null | undefined;

/** The values of {@link testFields}. */
export interface GivenTest extends Readonly<
  Partial<Record<Exclude<ExtraField, 'fullTitle'>, Given<string>>>
> {
  readonly testName?: string | undefined;
  readonly title?: string | undefined;
  readonly testDescription?: Given<string>;
  readonly description?: Given<string>;
  readonly sectionId?: Given<number>;
  readonly new_section?: string | undefined;
  readonly squadId?: Given<number>;
  readonly priorityId?: Given<number>;
  readonly typeId?: Given<number>;
  readonly automationStatusId?: Given<number>;
  readonly platformId?: Given<number>;
  readonly testCoveredById?: Given<number>;
  readonly labels?: readonly number[] | undefined;
  readonly labelIds?: readonly number[] | undefined;
  readonly preConditions?: Given<string>;
  readonly steps?: Given<string>;
  readonly expectedResult?: Given<string>;
  readonly attachments?: unknown;
  readonly assignedTo?: unknown;
}

/** What a change of a test needs to know of it: a given text replaces only its part of a description or of the steps. */
export interface StoredTexts {
  readonly testDescription: string;
  readonly steps: readonly Step[];
}

const noTexts: StoredTexts = { testDescription: '', steps: [] };

/** Whether the stored texts are needed to change a test. */
export const needsTexts = (given: GivenTest): boolean =>
  [given.testName, given.title, given.testDescription, given.description].some((one) => one !== undefined) ||
  [given.steps, given.expectedResult].some((one) => one !== undefined) ||
  extraFields.some((field) => field !== 'fullTitle' && given[field] !== undefined);

/** The fields of create-test and update-test. @param stored of a test that is changed. */
export function fieldsOf(given: GivenTest, stored: StoredTexts = noTexts) {
  const title = given.testName ?? given.title;
  const { testName, fullTitle = '' } = title === undefined ? {} : nameOf(title);
  const before = extrasOf(stored.testDescription);
  const changed: Extras = Object.fromEntries(
    extraFields.flatMap((field) => {
      const value = field === 'fullTitle' ? (title === undefined ? undefined : fullTitle) : given[field];
      return value === undefined ? [] : [[field, value ?? '']];
    }),
  );
  const description = given.testDescription !== undefined ? given.testDescription : given.description;
  const stays = description === undefined && Object.keys(changed).length === 0;
  const whole = withExtras(description === undefined ? before.description : (description ?? ''), {
    ...before.extras,
    ...changed,
  });
  const labels = given.labels ?? given.labelIds;
  return present({
    testName,
    testDescription: stays || whole === stored.testDescription ? undefined : whole,
    sectionId: given.new_section === undefined ? given.sectionId : undefined,
    section: given.new_section,
    squadId: given.squadId,
    priorityId: given.priorityId,
    typeId: given.typeId,
    automationStatusId: given.automationStatusId,
    platformId: given.platformId,
    testCoveredById: given.testCoveredById,
    preconditions: given.preConditions,
    steps: changedSteps(given, stored),
    labels: labels && [...labels],
  });
}

function changedSteps({ steps, expectedResult }: GivenTest, stored: StoredTexts): Step[] | undefined {
  if (steps === undefined && expectedResult === undefined) return undefined;
  const before = textsOf(stored.steps);
  return stepsOf(
    steps === undefined ? before.steps : steps,
    expectedResult === undefined ? before.expectedResult : expectedResult,
  );
}

/** The fields that have no place in Trivet. */
export const withoutPlace = (given: GivenTest): readonly string[] =>
  (['attachments', 'assignedTo'] as const).filter(
    (field) => given[field] !== undefined && !(Array.isArray(given[field]) && given[field].length === 0),
  );

/** For a new test: null is the same as nothing. */
export const withoutNulls = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [K in keyof T]: Exclude<T[K], null>;
  };
