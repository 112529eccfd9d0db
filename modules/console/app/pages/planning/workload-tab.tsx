import { useTool } from '../../api/queries.ts';
import { Choice } from '../../design/fields.tsx';
import { Empty } from '../../design/states.tsx';
import { idOf, useAddress } from '../../frame/router.tsx';
import type { ListedMilestone } from './milestone-dialogs.tsx';
import { WorkloadTable } from './workload-table.tsx';
import { t } from '../../texts/text.ts';

/** The workload of an open milestone, of the one that the address names, or of a plan. */
export function WorkloadTab({ projectId }: { readonly projectId: number }) {
  const [address, change] = useAddress();
  const milestones = useTool('get-milestones', { projectId, limit: 500 });
  // Not the page of the list that is shown: the choice and its links are the same on every page.
  const plans = useTool('get-plans', { projectId, limit: 500 });
  const [, kind, number] = /^(milestone|plan)-(\d+)$/.exec(address.get('of') ?? '') ?? [];
  const id = idOf(number);
  // A link stays true when its milestone is closed: the runs may be open still, so there is work left.
  const isOffered = ({ milestoneId, status }: ListedMilestone) =>
    status === 'open' || (kind === 'milestone' && milestoneId === id);
  const options = [
    ...(milestones.data?.milestones ?? []).filter(isOffered).map(({ milestoneId, name }) => ({
      id: `milestone-${milestoneId}`,
      name: t('Milestone {name}', { name }),
      of: { projectId, milestoneId },
    })),
    ...(plans.data?.plans ?? []).map(({ planId, name }) => ({
      id: `plan-${planId}`,
      name,
      of: { projectId, planId },
    })),
  ];
  const chosen = options.find((option) => option.id === `${kind}-${id}`) ?? options[0];
  if (!chosen)
    return (
      <Empty title={t('No milestone and no plan yet')}>
        <p>{t('The workload is that of a milestone, or of a plan.')}</p>
      </Empty>
    );
  return (
    <div className="stack">
      <Choice
        label={t('Of')}
        options={options.map(({ id: one, name }) => ({ id: one, name }))}
        value={chosen.id}
        onChange={(of) => change({ of })}
      />
      <WorkloadTable of={chosen.of} />
    </div>
  );
}
