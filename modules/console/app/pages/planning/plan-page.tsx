import { useState } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { countText, numberText, shareText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Failure, Page, PageLoading } from '../../design/states.tsx';
import { ProgressBar } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { dayText } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { dueWords } from './due-words.ts';
import { configurationText } from './plan-draft.ts';
import { WorkloadTable } from './workload-table.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface PlanPageProps {
  readonly projectId: number;
  readonly planId: number;
}

type Plan = Output<'get-plan'>;

/** How often the page asks for what others have done. */
const everyMs = 800;

/** A plan: its runs by configuration, how far they are, and who has how much left. */
export default function PlanPage({ projectId, planId }: PlanPageProps) {
  const plan = useTool('get-plan', { projectId, planId }, { everyMs });
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const [isClosing, setClosing] = useState(false);
  if (plan.error && !plan.data) {
    return (
      <Page title={t('Plan {planId}', { planId })}>
        <Failure error={plan.error} onRetry={() => void plan.refetch()} />
      </Page>
    );
  }
  if (!plan.data) return <PageLoading />;
  const { name, description, status, counts } = plan.data;
  const open = counts.untested + counts.retest;
  return (
    <Page
      title={name}
      actions={
        mayWrite && status === 'open' ? (
          <Button onPress={() => setClosing(true)}>{t('Close…')}</Button>
        ) : undefined
      }
    >
      <p>
        <Link href={`/projects/${projectId}/plans`}>{t('Plans and workload')}</Link>{' '}
        {status === 'closed' && <span className="badge">{t('closed')}</span>}
      </p>
      {description !== '' && <p className="note wrap">{description}</p>}
      <div className="stack tight">
        <p>
          {nodes('{share} done: {open} of {total} are open', {
            share: <strong className="number">{shareText(counts.total - open, counts.total)}</strong>,
            open: numberText(open),
            total: numberText(counts.total),
          })}
        </p>
        <ProgressBar counts={counts} />
      </div>
      <PlanRuns projectId={projectId} plan={plan.data} />
      <section className="stack tight" aria-label={t('Workload of the plan')}>
        <h2>{t('Workload')}</h2>
        <WorkloadTable of={{ projectId, planId }} />
      </section>
      {isClosing && <ClosePlan projectId={projectId} plan={plan.data} onClose={() => setClosing(false)} />}
    </Page>
  );
}

interface PlanProps {
  readonly projectId: number;
  readonly plan: Plan;
}

const PlanRuns = ({ projectId, plan: { runs } }: PlanProps) => (
  <section className="stack tight" aria-label={t('Runs of the plan')}>
    <h2>{countText(runs.length, 'run')}</h2>
    <Table
      label={t('Runs')}
      rows={runs}
      keyOf={({ runId }) => runId}
      columns={[
        {
          title: t('Run'),
          cell: ({ runId, runName, status }) => (
            <>
              <Link href={`/projects/${projectId}/runs/${runId}`}>{runName}</Link>{' '}
              {status === 'locked' && <span className="badge">{t('locked')}</span>}
            </>
          ),
        },
        {
          title: t('Configuration'),
          cell: ({ configurations = [] }) => configurationText(configurations) || '–',
        },
        { title: t('Progress'), cell: ({ counts }) => <ProgressBar counts={counts} /> },
        { title: t('Failed'), isNumber: true, cell: ({ counts }) => numberText(counts.failed) },
        {
          title: t('Open'),
          isNumber: true,
          cell: ({ counts }) => numberText(counts.untested + counts.retest),
        },
        {
          title: t('Due'),
          // The results of a locked run are final: it waits for nobody.
          cell: ({ dueOn, status }) =>
            (status === 'locked' && dueOn ? dayText(dueOn) : dueWords(dueOn, Date.now())) || '–',
        },
      ]}
    />
  </section>
);

function ClosePlan({ projectId, plan, onClose }: PlanProps & { readonly onClose: () => void }) {
  const close = useChange('close-plan');
  const { planId, name, counts } = plan;
  const open = counts.untested + counts.retest;
  return (
    <ActionDialog
      title={t('Close {name}?', { name })}
      action={t('Close plan')}
      onClose={onClose}
      onConfirm={async () => {
        await close.mutateAsync({ projectId, planId });
        say(t('{name} is closed.', { name }));
      }}
    >
      <p>
        {nodes('Its runs are locked: their results are final. {open}', {
          open:
            open > 0 &&
            t('{testsHave} no result yet.', { testsHave: countText(open, 'test has', 'tests have') }),
        })}
      </p>
    </ActionDialog>
  );
}
