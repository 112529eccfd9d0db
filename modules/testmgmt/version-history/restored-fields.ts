import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { foreignReferences, idsIn } from '../cases/case-references.ts';
import type { ChangedFields } from '../cases/case-store.ts';

/** The most references that an answer lists; a whole write may have thousands. */
export const mostLeftOut = 100;

/** Earlier values that a test cannot get again. */
export const leftOutRecord = Type.Array(
  closedObject({ testId: Type.Integer(), field: Type.String(), id: Type.Integer() }),
  { description: 'What is gone since; the first 100.' },
);

interface LeftOut {
  readonly testId: number;
  readonly field: string;
  readonly id: number;
}

interface Restored {
  readonly testId: number;
  readonly fields: ChangedFields;
  /** A deleted test may be in a deleted section. */
  readonly wasDeleted?: boolean;
}

/**
 * Earlier fields of tests of one project, without the sections, labels and values that are gone since: such a field is cleared, such a label
 * left out.
 */
export async function withoutGone<R extends Restored>(
  q: Query,
  projectId: number,
  items: readonly R[],
): Promise<{ readonly items: readonly R[]; readonly leftOut: readonly LeftOut[] }> {
  const known = await loadReferences(q, projectId, idsIn(items.map(({ fields }) => fields)));
  const leftOut: LeftOut[] = [];
  const restored = items.map((item) => {
    const { testId, fields } = item;
    const gone = foreignReferences(fields, known).filter(
      ({ field }) => !(item.wasDeleted && field === 'sectionId'),
    );
    if (gone.length === 0) return item;
    const kept = fields.labels?.filter((id) => known.labels.has(id));
    const cleared: Record<string, null> = {};
    for (const { field } of gone) {
      const id = fields[field];
      if (typeof id !== 'number') continue;
      cleared[field] = null;
      leftOut.push({ testId, field, id });
    }
    for (const id of fields.labels ?? [])
      if (!known.labels.has(id)) leftOut.push({ testId, field: 'labels', id });
    return { ...item, fields: { ...fields, ...cleared, ...(kept ? { labels: kept } : {}) } };
  });
  return { items: restored, leftOut };
}
