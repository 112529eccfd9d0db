import { inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { columnsOf } from '../cases/case-columns.ts';
import type { TestFields } from '../cases/case-store.ts';
import { tests } from '../schema.ts';
import { rowsPerChange } from '../statement-sizes.ts';
import { forgetFlipsOf, testsWithVerdict } from './outcome-store.ts';

interface Change {
  readonly test: { readonly id: number };
  readonly fields: Partial<TestFields>;
}

/** What a test does: if one of these changes, its earlier results are those of another test. */
const contents = ['name', 'description', 'preconditions', 'steps'] as const;

/** Tests whose texts are compared at once: they may be long. */
const comparedAtOnce = 25;

/**
 * Forgets the flips of tests whose contents are about to change. A text that is given and is the stored one is no change: a pipeline
 * may send all fields of all tests every night. Yields to other requests between its chunks.
 */
export async function forgetFlipsOfChanged(
  q: Query,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<void> {
  const given = new Map(
    changes.flatMap(({ test, fields }) => {
      const columns = columnsOf(fields);
      return contents.some((name) => columns[name] !== undefined) ? [[test.id, columns] as const] : [];
    }),
  );
  const ids = [...given.keys()].toSorted((a, b) => a - b);
  for await (const part of partsInTurns(ids, rowsPerChange, signal)) {
    const changed: number[] = [];
    const concerned = await testsWithVerdict(q, part);
    for await (const few of partsInTurns(concerned, comparedAtOnce, signal)) {
      const rows = await q
        .select({
          id: tests.id,
          name: tests.name,
          description: tests.description,
          preconditions: tests.preconditions,
          steps: tests.steps,
        })
        .from(tests)
        .where(inArray(tests.id, [...few]));
      for (const { id, ...stored } of rows) {
        const columns = given.get(id);
        const differs = (name: (typeof contents)[number]) =>
          columns?.[name] !== undefined && JSON.stringify(columns[name]) !== JSON.stringify(stored[name]);
        if (contents.some(differs)) changed.push(id);
      }
    }
    if (changed.length > 0) await forgetFlipsOf(q, changed);
  }
}
