import type { Work } from '../wire/api-route.ts';
import { rowsOf } from '../wire/row-page.ts';

/** All names of a project: at most some thousands. */
const everything = { limit: 50_000, offset: 0 };

export const allLabels = async (work: Work, projectId: number) =>
  (
    await rowsOf(async (page) => {
      const { total, labels } = await work.call('get-labels', { projectId, ...page });
      return { total, rows: labels };
    }, everything)
  ).rows;

export const allSquads = async (work: Work, projectId: number) =>
  (
    await rowsOf(async (page) => {
      const { total, squads } = await work.call('get-squads', { projectId, ...page });
      return { total, rows: squads };
    }, everything)
  ).rows;

export const allSections = async (work: Work, projectId: number) =>
  (
    await rowsOf(async (page) => {
      const { total, sections } = await work.call('get-sections', { projectId, ...page });
      return { total, rows: sections };
    }, everything)
  ).rows;

/**
 * The project whose values are shown for an organization: those of Checkmate belong to an organization, those of Trivet to a project.
 * @returns the first active one, and whether there are others.
 */
export async function projectOfValues(work: Work, orgId: number) {
  const { projects } = await work.call('get-projects', { orgId, limit: 500, offset: 0 });
  const active = projects.filter(({ isActive }) => isActive);
  return { projectId: active[0]?.projectId, hasOthers: active.length > 1 };
}
