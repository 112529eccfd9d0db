import type { SQL } from 'drizzle-orm';
import type { FieldSql } from './field-sql.ts';
import { requireEquality, type FieldQuery, type FieldWords, type QueryField } from './query-field.ts';

/** `whole`: the field must equal the text. */
type Fits = (sql: FieldSql, text: string, whole: boolean) => SQL;

/** A text field; a value matches a part of it. */
export const textField = ({ fits, ...field }: FieldWords & FieldQuery<Fits, never>): QueryField => ({
  ...field,
  values: 'text',
  offered: [],
  read: (asked) => {
    requireEquality(asked);
    const whole = asked.term.operator === 'equals';
    return {
      fits: (sql) => sql.anyOf(asked.values.map(({ text }) => fits(sql, text, whole))),
      cost: 3,
    };
  },
});
