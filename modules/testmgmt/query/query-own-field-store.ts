import { and, eq, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { amongSelected, jsonMember, lowerAscii, type JsonMember } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { customFields, resultFieldValues } from '../base/field-schema.ts';
import { results, runTests, tests } from '../base/schema.ts';
import type { OwnInterval, OwnValue } from './field-kinds/field-sql.ts';
import type { QueryScope } from './field-kinds/field-value.ts';
import { anyOf, peopleCalled, type QueryPlace } from './query-place-store.ts';
import { contains, equalsText } from '../../../core/db/query/text-match.ts';

/** The values of the newest result of a test in a run. */
const ofResult = sql`(select ${resultFieldValues.fields} from ${resultFieldValues}
  where ${resultFieldValues.resultId} = (select max(${results.id}) from ${results}
    where ${results.runId} = ${runTests.runId} and ${results.testId} = ${runTests.testId}))`;

/** A key is unique in a project: a test or its result has the value, never both. */
const membersOf = (scope: QueryScope, key: string): readonly JsonMember[] => [
  jsonMember(tests.fields, key),
  ...(scope === 'run-tests' ? [jsonMember(ofResult, key)] : []),
];

const isOwn = (projectId: number, key: string) =>
  and(eq(customFields.projectId, projectId), eq(customFields.key, key), isNull(customFields.deletedAt));

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

export const ownOrder = (scope: QueryScope, key: string): readonly SQL[] => {
  const members = membersOf(scope, key);
  const either = (of: (member: JsonMember) => SQL) =>
    members.length === 1
      ? sql`${members.map(of)[0] ?? sql`null`}`
      : sql`coalesce(${sql.join(members.map(of), sql`, `)})`;
  return [
    either(({ number }) => number),
    either(({ truth }) => truth),
    either(({ text }) => lowerAscii(text)),
  ];
};

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
  const { scope, projectId, actor } = place;
  const members = membersOf(scope, key);
  // Not correlated, so both engines ask once.
  const kind = sql`(select ${customFields.kind} from ${customFields} where ${isOwn(projectId, key)})`;
  const isKind = (...kinds: readonly string[]) =>
    sql`${kind} in (${sql.join(
      kinds.map((word) => sql`${word}`),
      sql`, `,
    )})`;
  const isPerson = (
    { number }: JsonMember,
    { text, id }: NonNullable<OwnValue['person']>,
  ): SQL | undefined => {
    const user = sql`cast(${number} as bigint)` as unknown as AnySQLiteColumn;
    if (text.toLowerCase() === 'me') return and(isKind('user'), eq(user, actor.userId));
    return id === null && text.includes('@')
      ? and(isKind('user'), amongSelected(user, peopleCalled(q, place, text)))
      : undefined;
  };
  const fitsOne = (member: JsonMember, value: OwnValue): SQL => {
    if (value.between) {
      const isIn = isBetween(member, value.between);
      // A day is compared as a text, and "abc" is a later text than any day: without the kind, `7d` would find "abc".
      return isOfDays(value.between) ? (and(isKind('date'), isIn) ?? isIn) : isIn;
    }
    if (value.truth !== undefined) return sql`${member.truth} = ${value.truth ? 1 : 0}`;
    const text = value.text ?? '';
    return anyOf([
      value.isWhole ? equalsText(member.text, text) : and(isKind('text', 'url'), contains(member.text, text)),
      and(
        isKind('choice', 'choices'),
        member.isOrHas((item) => equalsText(item, text)),
      ),
      value.person && isPerson(member, value.person),
    ]);
  };
  const isThere = or(...members.map((member) => sql`${member.isThere} is not null`)) ?? sql`false`;
  const matches = (any: readonly OwnValue[]) =>
    anyOf(members.flatMap((member) => any.map((value) => sql`coalesce(${fitsOne(member, value)}, false)`)));
  return {
    isThere,
    fits: (any: readonly OwnValue[], none: boolean): SQL => {
      const some = any.length === 0 ? [] : [matches(any)];
      return anyOf(none ? [...some, sql`not (${isThere})`] : some);
    },
  };
}
