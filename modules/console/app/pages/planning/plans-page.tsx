import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Listing } from '../../design/listing.tsx';
import { Answer, Empty, Page } from '../../design/states.tsx';
import { ProgressBar } from '../../design/status.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Time } from '../../design/time.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress, useNewDialog } from '../../frame/router.tsx';
import { ConfigurationPanel } from './configuration-panel.tsx';
import { CreatePlan } from './plan-create.tsx';
import { WorkloadTab } from './workload-tab.tsx';
import { noun, t } from '../../texts/text.ts';

/** How often the page asks for what others have done. */
const everyMs = 800;

/** The plans of a project, who has how much to do, and in what the tests are run. */
export default function PlansPage({ projectId }: { readonly projectId: number }) {
  const [address, change] = useAddress();
  const { page, pager } = usePaging();
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const plans = useTool('get-plans', { projectId, ...page }, { keep: true, everyMs });
  const groups = useTool('get-configuration-groups', { projectId, limit: 500 });
  const [isCreating, setCreating] = useNewDialog();
  const create = (
    <Button kind="primary" isDisabled={!groups.data} onPress={() => setCreating(true)}>
      {t('Create plan')}
    </Button>
  );
  const tabs = [
    {
      id: 'plans',
      name: t('Plans'),
      content: (
        <Listing
          of={plans}
          label={t('Plans')}
          rowsOf={({ plans: rows }) => rows}
          keyOf={({ planId }) => planId}
          columns={planColumns(projectId)}
          names={noun('plan')}
          pager={pager}
          empty={
            <Empty title={t('No plan yet')}>
              <p>{t('A plan has one run for each set of tests and combination of configurations.')}</p>
              {mayWrite && create}
            </Empty>
          }
        />
      ),
    },
    {
      id: 'workload',
      name: t('Workload'),
      content: <WorkloadTab projectId={projectId} />,
    },
    {
      id: 'configurations',
      name: t('Configurations'),
      content: (
        <Answer of={groups}>
          {({ groups: all }) => <ConfigurationPanel projectId={projectId} groups={all} mayWrite={mayWrite} />}
        </Answer>
      ),
    },
  ];
  return (
    <Page title={t('Plans and workload')} actions={mayWrite ? create : undefined}>
      <Tabs
        label={t('About the plans')}
        tabs={tabs}
        selected={address.get('view') ?? 'plans'}
        onChange={(id) => change({ view: id === 'plans' ? null : id })}
      />
      {isCreating && groups.data && (
        <CreatePlan projectId={projectId} groups={groups.data.groups} onClose={() => setCreating(false)} />
      )}
    </Page>
  );
}

type Plan = Output<'get-plans'>['plans'][number];

const planColumns = (projectId: number) => [
  {
    title: t('Plan'),
    cell: ({ planId, name, status }: Plan) => (
      <>
        <Link href={`/projects/${projectId}/plans/${planId}`}>{name}</Link>{' '}
        {status === 'closed' && <span className="badge">{t('closed')}</span>}
      </>
    ),
  },
  { title: t('Progress'), cell: ({ counts }: Plan) => <ProgressBar counts={counts} /> },
  { title: t('Runs'), isNumber: true, cell: ({ runsCount }: Plan) => numberText(runsCount) },
  {
    title: t('Open'),
    isNumber: true,
    cell: ({ counts }: Plan) => numberText(counts.untested + counts.retest),
  },
  { title: t('Created'), cell: ({ createdAt }: Plan) => <Time at={createdAt} /> },
];
