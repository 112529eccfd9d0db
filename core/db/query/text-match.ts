import { sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { searchedText } from '../../text/letter-case.ts';
import { lowerLetters, positionIn } from './columns.ts';

type Column = AnySQLiteColumn | SQL;

/** Whether a text contains another one, whatever its case: the same on both engines, which lower other letters than A to Z differently. */
export function contains(column: Column, part: string): SQL {
  const searched = searchedText(part);
  return sql`${positionIn(lowerLetters(column, searched.pairs), searched.small)} > 0`;
}

/** Whether a text is another one, whatever its case. */
export function equalsText(column: Column, text: string): SQL {
  const searched = searchedText(text);
  return sql`${lowerLetters(column, searched.pairs)} = ${searched.small}`;
}
