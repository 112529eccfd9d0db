import { and, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { amongSelected, jsonMember, lowerAscii, type JsonMember } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { customFields, resultFieldValues } from '../base/field-schema.ts';
import { results, runTests, tests } from '../base/schema.ts';
import type { OwnInterval, OwnValue } from './field-kinds/field-sql.ts';
import type { FieldKind } from '../rules/field-value.ts';
import type { QueryScope } from './field-kinds/field-value.ts';
import { anyOf, peopleCalled, type QueryPlace } from './query-place-store.ts';
import { contains, equalsText } from '../../../core/db/query/text-match.ts';
import { searchedText } from '../../../core/text/letter-case.ts';

/** The values of the newest result of a test in a run. */
const ofResult = sql`(select ${resultFieldValues.fields} from ${resultFieldValues}
  where ${resultFieldValues.resultId} = (select max(${results.id}) from ${results}
    where ${results.runId} = ${runTests.runId} and ${results.testId} = ${runTests.testId}))`;

type OwnPlace = Pick<QueryPlace, 'scope' | 'projectId'>;

const isOwn = (projectId: number, key: string) =>
  and(eq(customFields.projectId, projectId), eq(customFields.key, key), isNull(customFields.deletedAt));

/** A column of the own field with a key. Not correlated, so both engines ask once. */
const ofOwn = ({ projectId }: OwnPlace, key: string, column: AnySQLiteColumn): SQL =>
  sql`(select ${column} from ${customFields} where ${isOwn(projectId, key)})`;

/** A key is unique in a project: a test or its result has the value, never both. The results are read only where they have it. */
const memberOf = (place: OwnPlace, key: string): JsonMember =>
  jsonMember(
    place.scope === 'run-tests'
      ? sql`(case ${ofOwn(place, key, customFields.owner)} when 'result' then ${ofResult} else ${tests.fields} end)`
      : tests.fields,
    key,
  );

/** A select of the id of an own field, if what the query selects can have it. */
export const ownFieldNamed = (q: Query, projectId: number, key: string, scope: QueryScope) =>
  q
    .select({ id: customFields.id })
    .from(customFields)
    .where(
      and(
        isOwn(projectId, key),
        inArray(customFields.owner, scope === 'tests' ? ['test'] : ['test', 'result']),
      ),
    );

const isKindOf = (place: OwnPlace, key: string, kinds: readonly FieldKind[]): SQL =>
  sql`${ofOwn(place, key, customFields.kind)} in (${sql.join(
    kinds.map((word) => sql`${word}`),
    sql`, `,
  )})`;

/** What tests are ordered by. Only the value of the field's kind is read: reading it is most of the work. */
export function ownOrder(place: OwnPlace, key: string): readonly SQL[] {
  const { number, truth, text } = memberOf(place, key);
  const [isNumber, isTruth] = [isKindOf(place, key, ['number', 'user']), isKindOf(place, key, ['boolean'])];
  return [
    sql`(case when ${isNumber} then ${number} when ${isTruth} then ${truth} end)`,
    sql`(case when not (${isNumber} or ${isTruth}) then ${lowerAscii(text)} end)`,
  ];
}

const isOfDays = (interval: OwnInterval): boolean =>
  Object.values(interval).some((end) => typeof end === 'string');

function isBetween({ number, text }: JsonMember, interval: OwnInterval): SQL {
  const { from, to, above, below } = interval;
  const value = isOfDays(interval) ? text : number;
  return (
    and(
      from === undefined ? undefined : sql`${value} >= ${from}`,
      to === undefined ? undefined : sql`${value} <= ${to}`,
      above === undefined ? undefined : sql`${value} > ${above}`,
      below === undefined ? undefined : sql`${value} < ${below}`,
    ) ?? sql`true`
  );
}

/** The SQL of a condition on an own field. Never null where it is negated: what is not there does not match. */
export function ownFieldSql(q: Query, place: QueryPlace, key: string) {
  const member = memberOf(place, key);
  const isKind = (...kinds: readonly FieldKind[]) => isKindOf(place, key, kinds);
  const isPerson = ({ text, id }: NonNullable<OwnValue['person']>): SQL | undefined => {
    const user = sql`cast(${member.number} as bigint)` as unknown as AnySQLiteColumn;
    if (text.toLowerCase() === 'me') return and(isKind('user'), eq(user, place.actor.userId));
    return id === null && text.includes('@')
      ? and(isKind('user'), amongSelected(user, peopleCalled(q, place, text)))
      : undefined;
  };
  const fitsOne = (value: OwnValue): SQL => {
    if (value.between) {
      const isIn = isBetween(member, value.between);
      // A day is compared as a text, and "abc" is a later text than any day: without the kind, `7d` would find "abc".
      return isOfDays(value.between) ? (and(isKind('date'), isIn) ?? isIn) : isIn;
    }
    if (value.truth !== undefined) return sql`${member.truth} = ${value.truth ? 1 : 0}`;
    const text = value.text ?? '';
    return anyOf([
      value.isWhole ? equalsText(member.text, text) : and(isKind('text', 'url'), contains(member.text, text)),
      and(isKind('choice', 'choices'), member.isOrHas(searchedText(text))),
      value.person && isPerson(value.person),
    ]);
  };
  const isThere = sql`${member.isThere} is not null`;
  const matches = (any: readonly OwnValue[]) => anyOf(any.map((value) => sql`(${fitsOne(value)}) is true`));
  return {
    isThere,
    fits: (any: readonly OwnValue[], none: boolean): SQL => {
      const some = any.length === 0 ? [] : [matches(any)];
      return anyOf(none ? [...some, sql`not (${isThere})`] : some);
    },
  };
}
