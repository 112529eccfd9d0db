import { projectOfRecord } from '../../testmgmt/index.ts';
import { fail } from '../base/errors.ts';
import type { Work } from '../wire/api-route.ts';
import { idReader, item, readFields } from '../wire/request-field.ts';
import { testFieldsOf, needsTexts, testFields, type GivenTest } from './test-fields.ts';
import { writtenRecord } from './test-written.ts';

/** A change of one test, as the MCP server sends it. */
export const changedTest = item({ testId: idReader, ...testFields });

/** The properties that Checkmate's pages change, and the field of a test that each is. */
const fieldOfProperty: Readonly<Record<string, keyof typeof testFields>> = {
  sectionId: 'sectionId',
  title: 'title',
  squadId: 'squadId',
  priorityId: 'priorityId',
  type: 'typeId',
  typeId: 'typeId',
  automationStatusId: 'automationStatusId',
  testCoveredById: 'testCoveredById',
  platformId: 'platformId',
  preConditions: 'preConditions',
  steps: 'steps',
  expectedResult: 'expectedResult',
};

/** The change that a property and its value are. `labelId` adds one label. */
export function changeOfProperty(
  property: string,
  value: unknown,
): GivenTest | { readonly addLabels: readonly number[] } {
  if (property === 'labelId') {
    const read = readFields({ labelId: idReader }, { labelId: value });
    if ('mistakes' in read) throw mistaken(read.mistakes);
    return { addLabels: [read.input.labelId] };
  }
  const field = Object.hasOwn(fieldOfProperty, property) ? fieldOfProperty[property] : undefined;
  if (field === undefined)
    throw fail.CHECKMATE_UNSUPPORTED(`The property "${property.slice(0, 40)}" cannot be changed.`, {
      tip: `Use one of ${Object.keys(fieldOfProperty).join(', ')} and labelId.`,
    });
  const read = readFields({ [field]: testFields[field] }, { [field]: value });
  if ('mistakes' in read) throw mistaken(read.mistakes);
  return read.input as GivenTest;
}

const mistaken = (mistakes: readonly string[]) =>
  fail.INVALID_REQUEST(`Data validation error: value: ${mistakes.join(', ')}.`);

/** Changes tests, all or none. @returns how many. */
export async function changeReceivedTests(
  work: Work,
  changes: ReadonlyArray<
    { readonly testId: number } & (GivenTest | { readonly addLabels: readonly number[] })
  >,
): Promise<number> {
  const tests = [];
  for (const { testId, ...change } of changes) {
    if ('addLabels' in change) {
      tests.push({ testId, addLabels: [...change.addLabels] });
      continue;
    }
    const stored = needsTexts(change) ? await textsOfTest(work, testId) : undefined;
    tests.push({ testId, ...testFieldsOf(change, stored) });
  }
  const { total } = writtenRecord(await work.call('bulk-update-tests', { tests }));
  return total;
}

async function textsOfTest(work: Work, testId: number) {
  const projectId = await projectOfRecord(work.host.db.q, work.actor, 'test', testId);
  return work.call('get-test-details', { projectId, testId });
}
