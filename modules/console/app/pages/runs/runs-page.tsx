import { Link } from 'wouter';
import { Refusal } from '../../api/call.ts';
import { messageOf, useTool } from '../../api/queries.ts';
import { wholeRows } from '../../api/pages.ts';
import { numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Listing } from '../../design/listing.tsx';
import { Empty, Page } from '../../design/states.tsx';
import { passRateText, ProgressBar } from '../../design/status.tsx';
import { dayText, Time } from '../../design/time.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { SavedViews } from '../../query/saved-views.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress, useNewDialog } from '../../frame/router.tsx';
import { FollowButton } from '../letters/follow-button.tsx';
import { dueWords } from '../planning/due-words.ts';
import { CreateRun } from './run-form.tsx';
import { noun, t } from '../../texts/text.ts';

/** The runs of a project, the newest first. */
export default function RunsPage({ projectId }: { readonly projectId: number }) {
  const [address, change] = useAddress();
  const [isCreating, setCreating] = useNewDialog();
  const query = address.get('query') ?? '';
  const { page, pager } = usePaging();
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const sorted = /(?:^|\s)sort:/.test(query) ? query : `${query} sort:created-desc`.trim();
  const runs = useTool('get-runs', { projectId, query: sorted, ...page }, { keep: true });
  const isWrong = query !== '' && runs.error instanceof Refusal && runs.error.status === 400;
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('Create run')}
    </Button>
  );
  return (
    <Page
      title={t('Runs')}
      actions={
        <>
          <FollowButton projectId={projectId} />
          {mayWrite && create}
        </>
      }
    >
      <QueryBox
        tool="get-runs"
        label={t('Search runs')}
        value={query}
        onApply={(text) => change({ query: text, offset: null }, { push: true })}
        onPause={(text) => change({ query: text, offset: null })}
        error={isWrong ? messageOf(runs.error) : undefined}
      >
        <SavedViews
          projectId={projectId}
          surface="runs"
          query={query}
          mayShare={mayWrite}
          onApply={(text) => change({ query: text, offset: null }, { push: true })}
        />
      </QueryBox>
      {!isWrong && (
        <Listing
          of={runs}
          label={t('Runs')}
          rowsOf={({ runs }) => wholeRows(runs)}
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
            { title: t('Progress'), cell: ({ counts }) => <ProgressBar counts={counts} /> },
            {
              title: t('Pass rate'),
              isNumber: true,
              cell: ({ counts }) => passRateText(counts),
            },
            { title: t('Failed'), isNumber: true, cell: ({ counts }) => numberText(counts.failed) },
            {
              title: t('Open'),
              isNumber: true,
              cell: ({ counts }) => numberText(counts.untested + counts.retest),
            },
            {
              title: t('Due'),
              cell: ({ dueOn, status }) => (
                <>
                  {dueOn ? dayText(dueOn) : '–'}{' '}
                  {status === 'active' && <span className="note">{dueWords(dueOn, Date.now())}</span>}
                </>
              ),
            },
            { title: t('Created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
          names={noun('run')}
          pager={pager}
          empty={
            <Empty title={query === '' ? t('No run yet') : t('No run is found')}>
              <p>{t('A run holds the results of some tests: of one build, one release, one afternoon.')}</p>
              {query === '' && mayWrite && create}
            </Empty>
          }
        />
      )}
      {isCreating && <CreateRun projectId={projectId} onClose={() => setCreating(false)} />}
    </Page>
  );
}
