import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { Choice } from '../../design/fields.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { idOf, useAddress } from '../../frame/router.tsx';
import { WorkloadTable } from './workload-table.tsx';
import { t } from '../../texts/text.ts';

/** The workload of an open milestone, of the one that the address names, or of a plan. */
export function WorkloadTab({ projectId }: { readonly projectId: number }) {
  // Open ones come first. Not the page of the list that is shown: the choice and its links are the same on every page.
  const milestones = useTool('get-milestones', { projectId, limit: 500 });
  const plans = useTool('get-plans', { projectId, limit: 500 });
  return (
    <Answer of={milestones}>
      {(some) => (
        <Answer of={plans}>
          {(others) => <Workload projectId={projectId} milestones={some.milestones} plans={others.plans} />}
        </Answer>
      )}
    </Answer>
  );
}

interface WorkloadProps {
  readonly projectId: number;
  readonly milestones: Output<'get-milestones'>['milestones'];
  readonly plans: Output<'get-plans'>['plans'];
}

function Workload({ projectId, milestones, plans }: WorkloadProps) {
  const [address, change] = useAddress();
  const named = address.get('of') ?? '';
  const milestoneOption = (milestoneId: number, name: string) => ({
    id: `milestone-${milestoneId}`,
    name: t('Milestone {name}', { name }),
    of: { projectId, milestoneId },
  });
  const planOption = (planId: number, name: string) => ({
    id: `plan-${planId}`,
    name,
    of: { projectId, planId },
  });
  // A link stays true when its milestone is closed: the runs may be open still, so there is work left.
  const options = [
    ...milestones
      .filter(({ milestoneId, status }) => status === 'open' || named === `milestone-${milestoneId}`)
      .map(({ milestoneId, name }) => milestoneOption(milestoneId, name)),
    ...plans.map(({ planId, name }) => planOption(planId, name)),
  ];
  // One that is gone says so: the first of the others in its place would be taken for it.
  const [, kind, number] = /^(milestone|plan)-(\d+)$/.exec(named) ?? [];
  const id = idOf(number);
  if (id !== null && !options.some((option) => option.id === named))
    options.push((kind === 'plan' ? planOption : milestoneOption)(id, `#${id}`));
  const chosen = options.find((option) => option.id === named) ?? options[0];
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
