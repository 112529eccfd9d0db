import type { SQL } from 'drizzle-orm';
import type { FieldSql } from './field-sql.ts';
import { requireEquality, type FieldQuery, type FieldWords, type QueryField } from './query-field.ts';

/** `whole`: the text is all of it. */
type Fits = (sql: FieldSql, text: string, whole: boolean) => SQL;

/** A text, of which a value is a part. */
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
