import { useState } from 'react';
import { useLocation } from 'wouter';
import { ActionMenu } from '../design/menu.tsx';
import { useProjects } from '../frame/organizations.ts';
import { t } from '../texts/text.ts';

interface ProjectSwitcherProps {
  readonly projectId: number | null;
  readonly projectName: string | undefined;
}

/** Pages that every project has, so that another project is opened at the same one. */
const samePage =
  /^\/projects\/\d+\/(tests|runs|my-work|plans|milestones|reviews|insights|coverage|settings)\b/;

/** Above the navigation in every area: which project is open, and the way to another. */
export function ProjectSwitcher({ projectId, projectName }: ProjectSwitcherProps) {
  const [path, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const { projects } = useProjects(isOpen);
  const page = samePage.exec(path)?.[1] ?? 'tests';
  return (
    <div className="side-project">
      <ActionMenu
        label={t('choose another project')}
        text={projectName ?? t('Choose a project')}
        icon="switch"
        onOpenChange={setOpen}
        actions={[
          ...projects.map(({ projectId: id, projectName: name }) => ({
            id: String(id),
            name,
            isChosen: id === projectId,
            onAction: () => navigate(`/projects/${id}/${page}`),
          })),
          { id: 'all', name: t('All projects'), onAction: () => navigate('/') },
        ]}
      />
    </div>
  );
}
