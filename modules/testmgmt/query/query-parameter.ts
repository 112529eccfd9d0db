import { queryText } from '../base/parameters.ts';
import type { QueryScope } from './field-kinds/field-value.ts';
import { fieldsIn } from './query-fields.ts';

/** The parameter of a list, with an example and the names of the fields: an agent has read no other documentation. */
export const queryFor = (scope: QueryScope, example: string) =>
  queryText(`E.g. ${example}. Fields: ${namesIn(scope)}.`);

/** Tests of a run have the fields of tests, which the description of get-tests lists. */
function namesIn(scope: QueryScope): string {
  const own = (of: QueryScope) => fieldsIn(of).map(({ name }) => name);
  if (scope !== 'run-tests') return own(scope).join(' ');
  const ofTests = new Set(own('tests'));
  return `${own(scope)
    .filter((name) => !ofTests.has(name))
    .join(' ')} and those of get-tests`;
}
