import { useTool } from '../../api/queries.ts';
import { Choice } from '../../design/fields.tsx';
import { t } from '../../texts/text.ts';

interface MilestoneChoiceProps {
  readonly projectId: number;
  readonly label?: string;
  /** The id of a milestone; empty: none. */
  readonly value: string;
  readonly onChange: (milestone: string) => void;
  /** A milestone that is not offered. */
  readonly except?: number;
}

/** One of the open milestones of a project, or none. A closed one is offered only where it is chosen already. */
export function MilestoneChoice({
  projectId,
  label = t('Milestone'),
  value,
  onChange,
  except,
}: MilestoneChoiceProps) {
  const milestones = useTool('get-milestones', { projectId, limit: 500 });
  const offered = (milestones.data?.milestones ?? [])
    .map(({ milestoneId, name, status }) => ({ id: String(milestoneId), name, status }))
    .filter(({ id, status }) => id === value || (status === 'open' && id !== String(except)));
  return (
    <Choice
      label={label}
      value={value === '' ? 'none' : value}
      onChange={(id) => onChange(id === 'none' ? '' : id)}
      options={[{ id: 'none', name: t('None') }, ...offered]}
    />
  );
}
