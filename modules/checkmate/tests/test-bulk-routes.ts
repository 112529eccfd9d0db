import { fail } from '../base/errors.ts';
import { answered, created, route, type ApiRoute } from '../wire/api-route.ts';
import { anything, id, list, name, optional } from '../wire/request-field.ts';
import { addNamedTests, namedTest } from './test-bulk-add.ts';
import { changedTest, changeOfProperty, changeTests } from './test-bulk-update.ts';

/** Tests of one request, as in bulk-add-tests and bulk-update-tests. */
const mostTests = 5_000;

export const testBulkRoutes: readonly ApiRoute[] = [
  route({
    path: 'test/bulk-add',
    verb: 'write',
    isLarge: true,
    input: {
      projectId: id,
      // The project has one.
      orgId: optional(anything),
      labelIds: optional(list(id, 1_000)),
      tests: list(namedTest, mostTests),
    },
    answer: async ({ projectId, labelIds, tests }, work) => {
      if (tests.length === 0)
        throw fail.INVALID_REQUEST('Data validation error: tests must have at least one item.');
      return created(await addNamedTests(work, projectId, { tests, labels: labelIds }));
    },
  }),
  route({
    path: 'test/bulk-update',
    verb: 'write',
    isLarge: true,
    input: {
      projectId: optional(anything),
      tests: optional(list(changedTest, mostTests)),
      testIds: optional(list(id, mostTests)),
      property: optional(name),
      value: optional(anything),
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
      return answered({ message: `Updated ${await changeTests(work, changes)} test(s) successfully` });
    },
  }),
];
