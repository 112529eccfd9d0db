import { fail } from '../base/errors.ts';
import { answered, answeredCreated, route, type CheckmateRoute } from '../wire/api-route.ts';
import { anything, idReader, list, nameReader, optionalReader } from '../wire/request-field.ts';
import { addNamedTests, namedTest } from './test-bulk-add.ts';
import { changedTest, changeOfProperty, changeReceivedTests } from './test-bulk-update.ts';

/** Tests of one request, as in bulk-add-tests and bulk-update-tests. */
const mostTests = 5_000;

export const testBulkRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'test/bulk-add',
    verb: 'write',
    isLarge: true,
    input: {
      projectId: idReader,
      // The project has one.
      orgId: optionalReader(anything),
      labelIds: optionalReader(list(idReader, 1_000)),
      tests: list(namedTest, mostTests),
    },
    answer: async ({ projectId, labelIds, tests }, work) => {
      if (tests.length === 0)
        throw fail.INVALID_REQUEST('Data validation error: tests must have at least one item.');
      return answeredCreated(await addNamedTests(work, projectId, { tests, labels: labelIds }));
    },
  }),
  route({
    path: 'test/bulk-update',
    verb: 'write',
    isLarge: true,
    input: {
      projectId: optionalReader(anything),
      tests: optionalReader(list(changedTest, mostTests)),
      testIds: optionalReader(list(idReader, mostTests)),
      property: optionalReader(nameReader),
      value: optionalReader(anything),
    },
    answer: async ({ tests, testIds, property, value }, work) => {
      if (tests === undefined && (testIds === undefined || property === undefined))
        throw fail.INVALID_REQUEST('Data validation error: tests is required.', {
          tip: 'Send tests ([{testId, …}]), or testIds with property and value.',
        });
      const others = new Set((tests ?? []).flatMap((test) => test.others));
      if (others.size > 0)
        work.warn(
          `Not used: ${[...others]
            .slice(0, 20)
            .map((one) => one.slice(0, 64))
            .join(', ')}.`,
        );
      const change = tests === undefined ? changeOfProperty(property ?? '', value ?? null) : undefined;
      const changes = change
        ? (testIds ?? []).map((testId) => ({ testId, ...change }))
        : (tests ?? []).map(({ others: _others, new_squad: _squad, ...test }) => test);
      if (changes.length === 0) return answered({ message: 'No tests updated' });
      return answered({
        message: `Updated ${await changeReceivedTests(work, changes)} test(s) successfully`,
      });
    },
  }),
];
