import { and, asc, eq } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import type { Classification } from '../rules/classification.ts';
import { classificationValues } from '../base/schema.ts';

export type ClassificationValue = typeof classificationValues.$inferSelect;

/** The values of one or all classifications of a project, in display order. */
export async function valuesOf(
  q: Query,
  projectId: number,
  kind?: Classification,
): Promise<readonly ClassificationValue[]> {
  const { projectId: project, kind: column, position } = classificationValues;
  return q
    .select()
    .from(classificationValues)
    .where(and(eq(project, projectId), kind === undefined ? undefined : eq(column, kind)))
    .orderBy(asc(column), asc(position));
}
