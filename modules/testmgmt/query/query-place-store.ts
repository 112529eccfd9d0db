import { and, eq, gte, lte, or, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { orgsWith, type Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { peopleEverCalled } from '../../auth/index.ts';
import type { SqlValue } from './field-kinds/field-sql.ts';
import type { Interval, Named, QueryScope } from './field-kinds/field-value.ts';
import type { Condition } from './query-check.ts';

/** The context of a query: where and by whom it is run. */
export interface QueryPlace {
  readonly scope: QueryScope;
  readonly projectId: number;
  /** Who asks; see {@link peopleCalled}. */
  readonly actor: Actor;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The time of the asked state, in epoch milliseconds; absent: now. */
  readonly asOf?: number;
  /** The sections that the query names, where they were at that time: looked up before its statements. */
  readonly sectionsThen?: SectionsThen;
  /** The condition that finds the rows; all others are checked row by row. */
  readonly driver?: Condition;
  /** The range of test ids to examine, unless all are examined at once. */
  readonly range?: IdRange;
}

/** A select of the ids of people by name or address, in the organizations that the caller may see: with a token for one project, its own. */
export const peopleCalled = (q: Query, { actor, projectId }: QueryPlace, text: string) =>
  peopleEverCalled(
    q,
    actor.projectId === undefined ? orgsWith(actor, 'read') : organizationSql(projectId),
    text,
  );

/** SQL of the organization of a project. */
export const organizationSql = (projectId: number): SQL =>
  sql`(select p.org_id from testmgmt_projects p where p.id = ${projectId})`;

/** Which sections of another time a query names; by {@link nameOfSection}. */
export type SectionsThen = ReadonlyMap<string, SectionThen>;

export interface SectionThen {
  readonly itself: readonly number[];
  /** Itself and all that were below it. */
  readonly below: readonly number[];
}

export const nameOfSection = ({ text, id, quoted }: Named): string => `${quoted === true} ${id} ${text}`;

/** Ids greater than one, up to another. */
export interface IdRange {
  readonly after: SQL;
  readonly to: SQL;
}

export const inRange = (column: AnySQLiteColumn, { after, to }: IdRange): SQL =>
  sql`${column} > ${after} and ${column} <= ${to}`;

export const anyOf = (parts: ReadonlyArray<SQL | undefined>): SQL => or(...parts) ?? sql`false`;

/** Whether a value is in one of these intervals. */
export const within = (value: SqlValue, any: readonly Interval[]): SQL =>
  anyOf(any.map((interval) => inInterval(value as AnySQLiteColumn, interval)));

const inInterval = (value: AnySQLiteColumn, { least, most }: Interval): SQL =>
  (least !== null && least === most ? eq(value, least) : undefined) ??
  and(least === null ? undefined : gte(value, least), most === null ? undefined : lte(value, most)) ??
  sql`true`;
