import { Type } from '@sinclair/typebox';
import { fail } from '../base/errors.ts';
import { queryText } from '../base/parameters.ts';
import { asOfForms, asOfTime } from './field-kinds/query-time.ts';
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

/** The parameter `asOf` of a list. */
export const asOfText = Type.Optional(
  Type.String({ maxLength: 40, description: 'As it was then, e.g. 2026-11-01.' }),
);

/** The moment of a parameter `asOf`, in epoch milliseconds; null without one. @throws Fault INVALID_REQUEST. */
export function asOfMoment(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const at = asOfTime(text, now);
  if (at !== null) return at;
  throw fail.INVALID_REQUEST('asOf is no time.', { cause: 'asOf', tip: `Write ${asOfForms}.` });
}
