import type { SQL } from 'drizzle-orm';
import { didYouMean } from '../../../../core/text/nearest-word.ts';
import type { FieldSql, WithOutcomes } from './field-sql.ts';
import {
  requireEquality,
  type AskedTerm,
  type Constraint,
  type FieldQuery,
  type FieldWords,
  type QueryField,
} from './query-field.ts';
import { listed, QueryProblem } from './query-term.ts';

type Fits<S, W> = (sql: S, any: readonly W[], negated: boolean) => SQL;

type WordsField<W> = FieldWords &
  FieldQuery<Fits<FieldSql, W>, Fits<FieldSql & WithOutcomes, W>> & {
    readonly words: readonly W[];
    /** Deleted tests are excluded unless a term has this word. */
    readonly seesDeleted?: W;
    /** The index that finds rows with one of these words, if there is one. */
    readonly index?: (any: readonly W[]) => Constraint['index'];
  };

/** One of a fixed set of words. */
export const wordsField = <W extends string>({
  fits,
  words,
  index,
  seesDeleted,
  ...field
}: WordsField<W>): QueryField => ({
  ...field,
  values: words.map((word) => `\`${word}\``).join(', '),
  offered: words,
  read: (asked) => {
    requireEquality(asked);
    const any = knownWords(asked, words);
    return {
      fits: (sql, negated) => fits(sql, any, negated),
      index: index?.(any),
      ...(seesDeleted === undefined ? {} : { seesDeleted: any.includes(seesDeleted) }),
    };
  },
});

function knownWords<W extends string>({ field, values }: AskedTerm, known: readonly W[]): readonly W[] {
  return values.map(({ text, at }) => {
    const lower = text.toLowerCase();
    const word = known.find((each) => each === lower);
    if (word !== undefined) return word;
    throw new QueryProblem(
      `"${field.name}" has no value "${text}".${didYouMean(lower, known)}`,
      at,
      `Values: ${listed(known)}.`,
    );
  });
}

/** A condition for each word. */
export const eachWord =
  <S extends FieldSql, W extends string>(conditions: Readonly<Record<W, (sql: S) => SQL>>): Fits<S, W> =>
  (sql, any) =>
    sql.anyOf(any.map((word) => conditions[word](sql)));
