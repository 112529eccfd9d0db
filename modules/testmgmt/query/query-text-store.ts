import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { blocksWhileItRuns, lowerAscii, positionIn } from '../../../core/db/query/columns.ts';
import { runs, tests } from '../base/schema.ts';
import { testsThatMayHave } from './query-mark-store.ts';
import { lowered, stepKeys } from './query-marks.ts';
import { anyOf, type QueryPlace } from './query-place-store.ts';

type Column = AnySQLiteColumn;

export const contains = (column: Column | SQL, part: string): SQL =>
  sql`${positionIn(lowerAscii(column), lowered(part))} > 0`;

/**
 * A condition on texts, looked at only for the tests that may fit by their marks. With CASE SQLite looks at the marks first; PostgreSQL
 * begins with what leaves few rows, and joins only what is no CASE.
 */
function amongMarked(word: string, fits: SQL, place: QueryPlace, driven = false): SQL {
  const marked = place.scope === 'runs' ? undefined : testsThatMayHave(word, place);
  if (!marked) return fits;
  if (driven) return sql`${tests.id} in ${marked} and ${fits}`;
  const isMarked = sql`${tests.id} in ${marked}`;
  return blocksWhileItRuns
    ? sql`case when ${isMarked} then ${fits} else false end`
    : (and(isMarked, fits) ?? fits);
}

/** The texts of steps as they are stored, without {@link stepKeys}. */
const stepTexts = stepKeys.reduce<SQL>(
  (text, { stored }) => sql`replace(${text}, ${sql.raw(`'${stored}'`)}, '')`,
  sql`${tests.steps}`,
);

/** A text as it stands within stored JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Words that are found in stored steps as in {@link stepTexts}: no part of a key, and nothing that stands between texts. */
const isPlain = (word: string): boolean =>
  !/["\\{}[\],:]/.test(word) && !stepKeys.some((key) => key.word.includes(word.toLowerCase()));

/** Id, name, description or steps of a test contain a word; of a run its id, name or description. */
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
