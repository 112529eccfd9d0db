import { testStatuses } from '../../rules/test-status.ts';
import { ofTests } from '../field-kinds/field-value.ts';
import { personField, recordField } from '../field-kinds/record-field.ts';
import { wordsField } from '../field-kinds/words-field.ts';

export const inRun = recordField({
  name: 'in-run',
  alsoCalled: ['run'],
  scopes: ofTests,
  list: 'run',
  about: 'In this run, by id.',
  example: 'in-run:12',
  fits: ({ isInRun }, { any }) => isInRun(any),
  index: ({ any }) => ({
    rank: 'run',
    testIds: ({ sql, runTests, ofRuns }) =>
      sql`select ${runTests.testId} from ${runTests} where ${ofRuns(any)}`,
  }),
});

export const notInRun = recordField({
  name: 'not-in-run',
  scopes: ofTests,
  list: 'run',
  about: 'Not in this run.',
  example: 'not-in-run:12',
  fits: ({ sql, isInRun }, { any }) => sql`not ${isInRun(any)}`,
});

export const failedIn = recordField({
  name: 'failed-in',
  scopes: ofTests,
  list: 'run',
  about: 'Failed in this run, by id; twice for both of two runs.',
  example: 'failed-in:12',
  fits: ({ isInRun }, { any }) => isInRun(any, 'failed'),
});

export const statusInRun = wordsField({
  name: 'status',
  alsoCalled: ['state', 'last', 'result'],
  scopes: ['run-tests'],
  words: testStatuses,
  about: 'The result in this run.',
  example: 'status:failed,blocked',
  fits: ({ sql, runTests, anyOf }, any) => anyOf(any.map((status) => sql`${runTests.status} = ${status}`)),
});

export const reporter = personField({
  name: 'by',
  alsoCalled: ['reporter', 'tester'],
  scopes: ['run-tests'],
  optional: true,
  about: 'Who reported the result in this run.',
  example: 'by:me',
  column: ({ runTests }) => runTests.updatedBy,
});
