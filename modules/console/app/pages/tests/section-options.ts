import { useTool } from '../../api/queries.ts';
import type { Option } from '../../design/fields.tsx';

/** The first 500 sections of a project, by their paths, to choose one of. */
export function useSectionOptions(projectId: number): readonly Option[] {
  const { data } = useTool('get-sections', { projectId, limit: 500 });
  return (data?.sections ?? []).map(({ sectionId, sectionPath }) => ({
    id: String(sectionId),
    name: sectionPath.join(' > '),
  }));
}
