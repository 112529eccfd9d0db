import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { blocksWhileItRuns, lowerLetters } from '../../../core/db/query/columns.ts';
import { runs, tests } from '../base/schema.ts';
import type { SqlValue } from './field-kinds/field-sql.ts';
import { testsThatMayHave } from './query-mark-store.ts';
import { searchedText } from '../../../core/text/letter-case.ts';
import { contains, equalsText } from '../../../core/db/query/text-match.ts';
import { stepKeys } from './query-marks.ts';
import { anyOf, type QueryPlace } from './query-place-store.ts';

type Column = AnySQLiteColumn;

/** {@link equalsText} for a `whole` text, else {@link contains}. */
export const hasText = (column: SqlValue, text: string, whole: boolean): SQL =>
  whole ? equalsText(column, text) : contains(column, text);

/** Whether a text begins with another one, whatever its case. */
export function beginsWith(column: Column | SQL, text: string): SQL {
  const searched = searchedText(text);
  return sql`substr(${lowerLetters(column, searched.pairs)}, 1, ${[...text].length}) = ${searched.small}`;
}

/**
 * A condition on texts, checked only for the tests that may match by their marks. With CASE, SQLite checks the marks first; PostgreSQL
 * begins with the condition that leaves few rows, and only joins conditions that are not a CASE.
 */
function amongMarked(word: string, fits: SQL, place: QueryPlace, driven = false): SQL {
  const marked =
    place.scope === 'runs' || place.asOf !== undefined ? undefined : testsThatMayHave(word, place);
  if (!marked) return fits;
  if (driven) return sql`${tests.id} in ${marked} and ${fits}`;
  const isMarked = sql`${tests.id} in ${marked}`;
  return blocksWhileItRuns
    ? sql`case when ${isMarked} then ${fits} else false end`
    : (and(isMarked, fits) ?? fits);
}

/** The texts of steps as stored, without {@link stepKeys}. */
const stepTexts = stepKeys.reduce<SQL>(
  (text, { stored }) => sql`replace(${text}, ${sql.raw(`'${stored}'`)}, '')`,
  sql`${tests.steps}`,
);

/** A text as it is written within stored JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Words that stored steps contain exactly if {@link stepTexts} do: neither part of a key nor of the separators between texts. */
const isPlain = (word: string): boolean =>
  !/["\\{}[\],:]/.test(word) && !stepKeys.some((key) => key.word.includes(word.toLowerCase()));

/** Whether id, name, description or steps of a test contain a word; for a run, its id, name or description. */
export function search(word: string, place: QueryPlace, driven: boolean): SQL {
  const id = /^\d{1,15}$/.test(word) ? Number(word) : null;
  if (place.scope === 'runs')
    return anyOf([
      contains(runs.name, word),
      contains(runs.description, word),
      id === null ? undefined : eq(runs.id, id),
    ]);
  const found = anyOf([
    contains(tests.name, word),
    contains(tests.description, word),
    contains(isPlain(word) ? tests.steps : stepTexts, inJson(word)),
  ]);
  return anyOf([amongMarked(word, found, place, driven), id === null ? undefined : eq(tests.id, id)]);
}
