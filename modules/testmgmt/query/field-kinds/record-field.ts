import type { SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { classifications, type Classification } from '../../rules/classification.ts';
import type { FieldSql, RowSql } from './field-sql.ts';
import { namedBy, wholeNumberOf, type Named, type NamedList } from './field-value.ts';
import {
  orNoneIn,
  requireEquality,
  type AskedTerm,
  type Constraint,
  type FieldQuery,
  type FieldWords,
  type QueryField,
} from './query-field.ts';
import { QueryProblem } from './query-term.ts';

/** The records that a term names, of which at least one must match. */
interface AskedRecords {
  readonly any: readonly Named[];
  readonly none: boolean;
  /** For a section: excludes its subsections. */
  readonly alone: boolean;
}

type Fits = (sql: FieldSql, asked: AskedRecords) => SQL;

type RecordField = FieldWords &
  FieldQuery<Fits, never> & {
    readonly list: NamedList;
    /** The index that finds rows with one of these records, if there is one. */
    readonly index?: (asked: AskedRecords) => Constraint['index'];
  };

/** The tool that lists the values of a field. */
export const toolOf = (list: NamedList): string =>
  list in otherLists ? otherLists[list as OtherList] : classifications[list as Classification].tool;

type OtherList = Exclude<NamedList, Classification>;
const otherLists: Readonly<Record<OtherList, string>> = {
  section: 'get-sections',
  squad: 'get-squads',
  label: 'get-labels',
  run: 'get-runs',
  milestone: 'get-milestones',
  plan: 'get-plans',
  configuration: 'get-configuration-groups',
};

/** Records of the project, by name or id. */
export const recordField = ({ fits, list, index, ...field }: RecordField): QueryField => ({
  ...field,
  values: orNoneIn(field, `${list === 'run' ? 'id' : 'name or id'} (${toolOf(list)})`),
  offered: [],
  read: (asked) => {
    requireEquality(asked);
    const records = {
      any: recordsOf(asked, list),
      none: asked.none,
      alone: asked.term.operator === 'equals',
    };
    return {
      fits: (sql) => fits(sql, records),
      names: records.any.map((one) => ({ ...one, list, field: field.name })),
      index: index?.(records),
    };
  },
});

const recordsOf = ({ field, values }: AskedTerm, list: NamedList): readonly Named[] =>
  values.map((value) => {
    if (list !== 'run' || wholeNumberOf(value.text) !== null) return namedBy(value);
    throw new QueryProblem(
      `"${field.name}" takes the id of a run, not "${value.text}".`,
      value.at,
      `${toolOf(list)} lists the runs.`,
    );
  });

/** The condition that a column contains the id of a record. */
export const hasRecord =
  (list: Exclude<NamedList, 'run'>, column: (sql: RowSql) => AnySQLiteColumn): Fits =>
  (sql, { any, none }) =>
    sql.orNone(
      column(sql),
      any.map((one) => sql.among(column(sql), sql.idsOf(list, one))),
      none,
    );

/** A person in a field of people, by e-mail address, id or, where names are allowed, name. */
interface PersonField extends FieldWords {
  readonly fits: (sql: FieldSql, asked: { readonly any: readonly Named[]; readonly none: boolean }) => SQL;
  readonly named?: true;
}

/** People whom a condition of its own compares. */
export const peopleField = ({ fits, named, ...field }: PersonField): QueryField => ({
  ...field,
  values: orNoneIn(field, named ? 'name, e-mail address, id, `me`' : 'e-mail address, id, `me`'),
  offered: ['me'],
  read: (asked) => {
    requireEquality(asked);
    const any = named ? asked.values.map(namedBy) : peopleOf(asked);
    return {
      fits: (sql) => fits(sql, { any, none: asked.none }),
      names: any
        .filter(({ text, id }) => text.includes('@') || (id === null && text.toLowerCase() !== 'me'))
        .map((person) => ({ ...person, list: 'person', field: field.name })),
    };
  },
});

/** A person, by e-mail address or id. */
export const personField = ({
  column,
  ...field
}: FieldWords & { readonly column: (sql: RowSql) => AnySQLiteColumn }): QueryField =>
  peopleField({
    ...field,
    fits: (sql, { any, none }) =>
      sql.orNone(
        column(sql),
        any.map((person) => sql.isPerson(column(sql), person)),
        none,
      ),
  });

const peopleOf = ({ field, values }: AskedTerm): readonly Named[] =>
  values.map((value) => {
    const { text, at } = value;
    if (text.toLowerCase() === 'me' || text.includes('@') || wholeNumberOf(text) !== null)
      return namedBy(value);
    throw new QueryProblem(
      `"${field.name}" takes a person's e-mail address, id or "me", not "${text}".`,
      at,
      'get-all-users lists the people.',
    );
  });
