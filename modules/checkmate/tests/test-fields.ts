import {
  anything,
  clearableReader,
  idReader,
  idOrNone,
  list,
  nameReader,
  optionalReader,
  present,
  textReader,
} from '../wire/request-field.ts';
import {
  extraFields,
  extrasOf,
  nameOfTitle,
  withExtras,
  type ExtraField,
  type Extras,
} from '../words/extra-field.ts';
import { stepsFromTexts, textsOfSteps, type Step } from '../words/steps-text.ts';

/** The fields of a test in a request: those of the MCP server, and those of Checkmate's pages and scripts. */
export const testFields = {
  testName: optionalReader(nameReader),
  title: optionalReader(nameReader),
  testDescription: clearableReader(textReader),
  description: clearableReader(textReader),
  sectionId: clearableReader(idOrNone),
  new_section: optionalReader(nameReader),
  squadId: clearableReader(idOrNone),
  new_squad: optionalReader(nameReader),
  priorityId: clearableReader(idReader),
  typeId: clearableReader(idReader),
  automationStatusId: clearableReader(idReader),
  platformId: clearableReader(idReader),
  testCoveredById: clearableReader(idReader),
  labels: optionalReader(list(idReader, 1_000)),
  labelIds: optionalReader(list(idReader, 1_000)),
  preConditions: clearableReader(textReader),
  steps: clearableReader(textReader),
  expectedResult: clearableReader(textReader),
  jiraTicket: clearableReader(textReader),
  defects: clearableReader(textReader),
  automationId: clearableReader(textReader),
  additionalGroups: clearableReader(textReader),
  attachments: optionalReader(anything),
  assignedTo: optionalReader(anything),
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
interface StoredTexts {
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
export function testFieldsOf(given: GivenTest, stored: StoredTexts = noTexts) {
  const title = given.testName ?? given.title;
  const { testName, fullTitle = '' } = title === undefined ? {} : nameOfTitle(title);
  const before = extrasOf(stored.testDescription);
  const changed: Extras = Object.fromEntries(
    extraFields.flatMap((field) => {
      const value = field === 'fullTitle' ? (title === undefined ? undefined : fullTitle) : given[field];
      return value === undefined ? [] : [[field, value ?? '']];
    }),
  );
  const description = given.testDescription !== undefined ? given.testDescription : given.description;
  const isGiven = description !== undefined || Object.keys(changed).some((field) => field !== 'fullTitle');
  const whole = withExtras(description === undefined ? before.description : (description ?? ''), {
    ...before.extras,
    ...changed,
  });
  const labels = given.labels ?? given.labelIds;
  return present({
    testName,
    // A given text is written, also an equal one. A title alone changes the description if it is too long for a name, or was.
    testDescription: isGiven || (title !== undefined && whole !== stored.testDescription) ? whole : undefined,
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
  const before = textsOfSteps(stored.steps);
  return stepsFromTexts(
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
