import type { SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { classifications } from '../../rules/classification.ts';
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
  list === 'section'
    ? 'get-sections'
    : list === 'squad'
      ? 'get-squads'
      : list === 'label'
        ? 'get-labels'
        : list === 'run'
          ? 'get-runs'
          : classifications[list].tool;

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

/** A person, by e-mail address or id. */
export const personField = ({
  column,
  ...field
}: FieldWords & { readonly column: (sql: RowSql) => AnySQLiteColumn }): QueryField => ({
  ...field,
  values: orNoneIn(field, 'e-mail address, id, `me`'),
  offered: ['me'],
  read: (asked) => {
    requireEquality(asked);
    const any = peopleOf(asked);
    return {
      fits: (sql) =>
        sql.orNone(
          column(sql),
          any.map((person) => sql.isPerson(column(sql), person)),
          asked.none,
        ),
      names: any
        .filter(({ text }) => text.includes('@'))
        .map((person) => ({ ...person, list: 'person', field: field.name })),
    };
  },
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
