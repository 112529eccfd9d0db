import { useTool } from '../../api/queries.ts';
import type { Option } from '../../design/fields.tsx';

/** The sections that the console reads; further ones are not offered. */
const mostSections = 500;

export const useSections = (projectId: number) => useTool('get-sections', { projectId, limit: mostSections });

/** The sections of a project, by their paths, to choose one of. */
export function useSectionOptions(projectId: number): readonly Option[] {
  const { data } = useSections(projectId);
  return (data?.sections ?? []).map(({ sectionId, sectionPath }) => ({
    id: String(sectionId),
    name: sectionPath.join(' > '),
  }));
}
