import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { foreignReferences, idsIn } from '../cases/case-references.ts';
import type { ChangedFields } from '../cases/case-store.ts';
import {
  restoredFieldValues,
  sortedFieldValues,
  type FieldDefinition,
  type FieldValues,
} from '../rules/field-value.ts';

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
  /** The own fields of the test now. */
  readonly present: FieldValues | null;
  /** A deleted test may be in a deleted section. */
  readonly wasDeleted?: boolean;
}

/**
 * Earlier fields of tests of one project, without the sections, labels and values that are gone since: such a field is cleared, such a label
 * left out. Required own fields keep their values.
 */
export async function withoutGone<R extends Restored>(
  q: Query,
  projectId: number,
  items: readonly R[],
): Promise<{ readonly items: readonly R[]; readonly leftOut: readonly LeftOut[] }> {
  const ids = idsIn(
    items.map(({ fields }) => fields),
    { fields: items.some(({ present }) => present !== null) },
  );
  const known = await loadReferences(q, projectId, ids);
  const leftOut: LeftOut[] = [];
  const restored = items.map((given) => {
    const item = { ...given, fields: withRequired(given, known.fields) };
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

/** Own fields that stay as they are are left out. */
function withRequired(
  { fields: { fieldValues, ...fields }, present }: Restored,
  known: ReadonlyMap<string, FieldDefinition>,
): ChangedFields {
  if (fieldValues === undefined) return fields;
  const restored = restoredFieldValues(fieldValues, present, known);
  return JSON.stringify(restored) === JSON.stringify(sortedFieldValues(present))
    ? fields
    : { ...fields, fieldValues: restored };
}
