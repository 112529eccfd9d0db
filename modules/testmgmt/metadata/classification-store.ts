import { and, asc, eq } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { options, type OptionKind } from '../schema.ts';

/** What a new project can classify its tests by, in the order it is shown. */
export const usualOptions: Readonly<Record<OptionKind, readonly string[]>> = {
  priority: ['Critical', 'High', 'Medium', 'Low'],
  type: ['Functional', 'Regression', 'Smoke', 'Acceptance', 'Performance', 'Security', 'Usability', 'Other'],
  automationStatus: ['Automated', 'Automatable', 'Not automatable', 'Manual'],
  platform: ['Web', 'Android', 'iOS', 'API', 'Desktop'],
  testCoveredBy: ['Unit', 'Integration', 'End to end', 'Manual'],
};

export type Option = typeof options.$inferSelect;

/** The options of a project, of one kind or of all, in the order they are shown. */
export async function optionsOf(q: Query, projectId: number, kind?: OptionKind): Promise<readonly Option[]> {
  return q
    .select()
    .from(options)
    .where(and(eq(options.projectId, projectId), kind === undefined ? undefined : eq(options.kind, kind)))
    .orderBy(asc(options.kind), asc(options.position));
}
