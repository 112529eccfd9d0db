import { projectOfRecord } from '../../testmgmt/index.ts';
import { fail } from '../base/errors.ts';
import { writeWithValues } from '../metadata/foreign-values.ts';
import { answered, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import { anything, idReader, list, optionalReader } from '../wire/request-field.ts';
import {
  testFieldsOf,
  needsTexts,
  testFields,
  withoutNulls,
  withoutPlace,
  type GivenTest,
} from './test-fields.ts';
import { writtenRecord } from './test-written.ts';

/** Warns of fields that are not stored, and makes the squad of `new_squad`. */
async function placed<G extends GivenTest & { readonly new_squad?: string | undefined }>(
  work: Work,
  projectId: number,
  given: G,
): Promise<G> {
  for (const field of withoutPlace(given))
    work.warn(
      `${field} was not stored: Trivet has no such field of a test (add-attachment and assign-tests do both).`,
    );
  if (given.sectionId && given.new_section !== undefined)
    work.warn('sectionId was not used: the test is in new_section.');
  if (given.new_squad === undefined) return given;
  const { squads } = await work.call('add-squads', { projectId, squads: [given.new_squad] });
  return { ...given, squadId: squads[0]?.squadId };
}

/** Changes one test. What is not given stays. */
async function changeTest(
  work: Work,
  testId: number,
  given: GivenTest & { readonly new_squad?: string | undefined },
) {
  const projectId = await projectOfRecord(work.host.db.q, work.actor, 'test', testId);
  const stored = needsTexts(given) ? await work.call('get-test-details', { projectId, testId }) : undefined;
  const fields = testFieldsOf(await placed(work, projectId, given), stored);
  const answer = await writeWithValues(work, {
    projectId,
    fields,
    write: (values) =>
      work.call('update-test', {
        testId,
        ...values,
        ...(given.new_section !== undefined && { create: true }),
      }),
  });
  writtenRecord(answer);
}

export const testChangeRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'test/create',
    verb: 'write',
    input: { projectId: idReader, ...testFields },
    answer: async ({ projectId, ...given }, work) => {
      const whole = await placed(work, projectId, given);
      const { testName, ...fields } = withoutNulls(testFieldsOf(whole));
      if (testName === undefined)
        throw fail.INVALID_REQUEST('Data validation error: title is required.', {
          tip: 'Send title (or testName): what the test checks.',
        });
      const made = writtenRecord(
        await writeWithValues(work, {
          projectId,
          fields,
          write: (values) =>
            work.call('create-test', {
              projectId,
              testName,
              ...values,
              ...(given.new_section !== undefined && { create: true }),
            }),
        }),
      );
      return answered({
        testTitle: made.testName,
        testId: made.testId,
        testsAdded: 1,
        message: `Test ${made.testName} added successfully with testId : ${made.testId}`,
      });
    },
  }),
  route({
    path: 'test/update',
    verb: 'write',
    // A test stays in its project.
    input: { testId: idReader, projectId: optionalReader(anything), ...testFields },
    answer: async ({ testId, projectId: _project, ...given }, work) => {
      await changeTest(work, testId, given);
      return answered({ message: `Updated test successfully for testId : ${testId}` });
    },
  }),
  route({
    path: 'test/delete',
    verb: 'write',
    input: { testId: idReader, projectId: optionalReader(idReader) },
    statuses: { TEST_NOT_FOUND: 400 },
    answer: async (input, work) => {
      const { testId } = input;
      const projectId =
        input.projectId ?? (await projectOfRecord(work.host.db.q, work.actor, 'test', testId));
      writtenRecord(await work.call('delete-test', { testId, projectId }));
      return answered({ message: `TestId: ${testId} deleted successfully` });
    },
  }),
  route({
    path: 'test/bulk-delete',
    verb: 'write',
    isLarge: true,
    input: { projectId: idReader, testIds: list(idReader) },
    answer: async ({ projectId, testIds }, work) => {
      const deleted = await work.call('bulk-delete-tests', { projectId, testIds: [...testIds] });
      const { deletedCount } = writtenRecord(deleted);
      return answered({ message: `${deletedCount} test(s) deleted successfully` });
    },
  }),
];
