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
