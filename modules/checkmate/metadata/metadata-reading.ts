import type { Work } from '../wire/api-route.ts';
import { rowsOf } from '../wire/row-page.ts';

/** All names of a project: at most some thousands. */
const everything = { limit: 50_000, offset: 0 };

const everyRow = async <T>(read: Parameters<typeof rowsOf<T>>[0]) => (await rowsOf(read, everything)).rows;

export const allLabels = (work: Work, projectId: number) =>
  everyRow(async (page) => {
    const { total, labels } = await work.call('get-labels', { projectId, ...page });
    return { total, rows: labels };
  });

export const allSquads = (work: Work, projectId: number) =>
  everyRow(async (page) => {
    const { total, squads } = await work.call('get-squads', { projectId, ...page });
    return { total, rows: squads };
  });

export const allSections = (work: Work, projectId: number) =>
  everyRow(async (page) => {
    const { total, sections } = await work.call('get-sections', { projectId, ...page });
    return { total, rows: sections };
  });

/**
 * The project whose values are shown for an organization: those of Checkmate belong to an organization, those of Trivet to a project.
 * @returns the first active one, and whether there are others.
 */
export async function projectOfValues(work: Work, orgId: number) {
  const { projects } = await work.call('get-projects', { orgId, limit: 500, offset: 0 });
  const active = projects.filter(({ isActive }) => isActive);
  return { projectId: active[0]?.projectId, hasOthers: active.length > 1 };
}
