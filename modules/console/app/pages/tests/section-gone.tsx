import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/states.tsx';
import { t } from '../../texts/text.ts';
import { useSections } from './section-options.ts';

/**
 * Whether the section of an address exists no more, e.g. because somebody deleted it since the link was made. False for a project with more
 * sections than were read: one that was not read cannot be told from a deleted one.
 */
export function useSectionGone(projectId: number, section: number | null): boolean {
  const { data } = useSections(projectId);
  if (section === null || data === undefined || data.total > data.sections.length) return false;
  return !data.sections.some(({ sectionId }) => sectionId === section);
}

/** In place of the tests of a section that is gone. */
export const SectionGone = ({ onAll }: { readonly onAll: () => void }) => (
  <Empty title={t('This section is deleted')}>
    <p>{t('Tests that were deleted with it are found with is:deleted.')}</p>
    <Button onPress={onAll}>{t('All tests')}</Button>
  </Empty>
);
