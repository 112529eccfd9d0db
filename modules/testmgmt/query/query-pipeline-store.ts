import { and, eq, exists, sql, type SQL } from 'drizzle-orm';
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core';
import { lowerAscii } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { automationKeys, reportedResults, runSources } from '../base/pipeline-schema.ts';
import { outcomes, runs, runTests, tests } from '../base/schema.ts';
import type { QueryPlace } from './query-driver-store.ts';
import { lowered } from './query-marks.ts';
import { contains, nameFits } from './query-text-store.ts';

/** A text that a field of a test or a run has, whatever its case. @param whole it is all of it. */
export function textFits(
  q: Query,
  { field, text, whole }: { readonly field: string; readonly text: string; readonly whole: boolean },
  place: QueryPlace,
): SQL {
  const fits = (column: AnySQLiteColumn) =>
    whole ? sql`${lowerAscii(column)} = ${lowered(text)}` : contains(column, text);
  switch (field) {
    case 'name':
      return nameFits(text, whole, place);
    case 'key':
      return exists(
        q
          .select({ one: sql`1` })
          .from(automationKeys)
          .where(and(eq(automationKeys.testId, tests.id), fits(automationKeys.key))),
      );
    case 'branch':
      return ofSource(q, fits(runSources.branch));
    case 'commit':
      // A commit is named by its beginning.
      return ofSource(q, sql`substr(lower(${runSources.commit}), 1, ${text.length}) = ${lowered(text)}`);
    default:
      throw new Error(`no condition for the field ${field}`);
  }
}

const ofSource = (q: Query, fits: SQL): SQL =>
  exists(
    q
      .select({ one: sql`1` })
      .from(runSources)
      .where(and(eq(runSources.runId, runs.id), fits)),
  );

/** Microseconds that a test took: in the run, or in the run of its last result. Null when no pipeline reported that. */
export const lastDuration = ({ scope }: QueryPlace): SQL =>
  scope === 'run-tests'
    ? sql`(select r.duration_us from ${reportedResults} r where r.run_id = ${runTests.runId} and r.test_id = ${tests.id})`
    : sql`(select r.duration_us from ${reportedResults} r where r.test_id = ${tests.id}
        and r.run_id = (select o.last_run_id from ${outcomes} o where o.test_id = ${tests.id}))`;
