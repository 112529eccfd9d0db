import { Refusal } from '../../api/call.ts';
import { messageOf, useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { useQueryHints } from '../fields/query-hints.ts';
import { useAddress } from '../../frame/router.tsx';
import { CoveragePanel } from './coverage-panel.tsx';
import { FailingPanel, FixesPanel, FlakyPanel, NeverRunPanel } from './insight-panels.tsx';
import { insightRange } from './insight-range.ts';
import { PassRateCard } from './pass-rate-card.tsx';
import './insights.css';
import { t } from '../../texts/text.ts';

/** What the results of a project say. */
export default function InsightsPage({ projectId }: { readonly projectId: number }) {
  return (
    <Page title={t('Insights')}>
      <PassRateCard projectId={projectId} />
      <TestInsights projectId={projectId} />
    </Page>
  );
}

/** Tests that need attention, narrowed by a query. */
function TestInsights({ projectId }: { readonly projectId: number }) {
  const [state, change] = useAddress();
  const { names } = useQueryHints(projectId);
  const text = state.get('query') ?? '';
  const query = text === '' ? undefined : text;
  const { days } = insightRange(state);
  const count = useTool('get-tests-count', { projectId, ...(query !== undefined && { query }) });
  const isWrong = count.error instanceof Refusal && count.error.status === 400;
  const panel = { projectId, query, days };
  const tabs = [
    { id: 'flaky', name: t('Flaky'), content: <FlakyPanel {...panel} /> },
    { id: 'failing', name: t('Longest failing'), content: <FailingPanel {...panel} /> },
    { id: 'fixes', name: t('Slowest fixes'), content: <FixesPanel {...panel} /> },
    { id: 'never-run', name: t('Never run'), content: <NeverRunPanel {...panel} /> },
    {
      id: 'coverage',
      name: t('Automation coverage'),
      content: <CoveragePanel projectId={projectId} query={query} />,
    },
  ];
  const tab = state.get('tab') ?? '';
  return (
    <section className="stack" aria-label={t('Tests that need attention')}>
      <div className="between">
        <h2>{t('Tests that need attention')}</h2>
        <span className="note" role="status">
          {count.data
            ? `${query === undefined ? t('Of all') : t('Of')} ${countText(count.data.total, 'test')}`
            : ''}
        </span>
      </div>
      <QueryBox
        tool="get-tests"
        label={t('Narrow the tests')}
        value={text}
        onApply={(next) => change({ query: next, offset: null }, { push: true })}
        values={names}
        error={isWrong ? messageOf(count.error) : undefined}
      />
      {!isWrong && (
        <Tabs
          label={t('Insights about tests')}
          tabs={tabs}
          selected={tabs.some(({ id }) => id === tab) ? tab : 'flaky'}
          onChange={(id) => change({ tab: id === 'flaky' ? null : id, offset: null })}
        />
      )}
    </section>
  );
}
