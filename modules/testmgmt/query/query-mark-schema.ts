import { sql } from 'drizzle-orm';
import { index, int, primaryKey, table } from '../../../core/db/query/columns.ts';

const mark = (n: number) => int(`m${n}`).notNull();
const firstMarks = { m0: mark(0), m1: mark(1), m2: mark(2), m3: mark(3), m4: mark(4), m5: mark(5) };
const lastMarks = { m6: mark(6), m7: mark(7), m8: mark(8), m9: mark(9), m10: mark(10), m11: mark(11) };

/** The marks of a test's texts (query-marks.ts). On SQLite the rows are stored in key order (WITHOUT ROWID). */
export const textMarks = table(
  'testmgmt_text_marks',
  { projectId: int('project_id').notNull(), testId: int('test_id').notNull(), ...firstMarks, ...lastMarks },
  (t) => [
    primaryKey({ columns: [t.projectId, t.testId] }),
    // -1 sets every mark: these rows are work for the job.
    index('testmgmt_text_marks_open')
      .on(t.testId)
      .where(sql`m0 = -1`),
  ],
);
