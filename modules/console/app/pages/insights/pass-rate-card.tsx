import { lazy, Suspense } from 'react';
import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { countText, numberText, percentText } from '../../design/amount.ts';
import { Choice } from '../../design/fields.tsx';
import { Answer, ChartLoading } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { dayText } from '../../design/time.tsx';
import { useAddress } from '../../frame/router.tsx';
import { insightRange, periods, ranges } from './insight-range.ts';
import { t } from '../../texts/text.ts';

type Point = Output<'get-pass-rate'>['points'][number];

/** The library of the chart throws as it is loaded where `Intl` does not know the language of the browser. */
const PassRateChart = lazy(() =>
  import('./pass-rate-chart.tsx').catch(() => ({
    default: () => <p className="note">{t('The chart cannot be drawn in this browser.')}</p>,
  })),
);

/** What the runs of a project found, over time. */
export function PassRateCard({ projectId }: { readonly projectId: number }) {
  const [state, change] = useAddress();
  const { days, by } = insightRange(state);
  const rate = useTool('get-pass-rate', { projectId, days, by }, { keep: true });
  return (
    <section className="card stack" aria-label={t('Pass rate')}>
      <div className="between">
        <h2>{t('Pass rate')}</h2>
        <div className="row">
          <Choice
            label={t('Range')}
            hideLabel
            options={
              ranges.some(({ id }) => id === String(days))
                ? ranges
                : [...ranges, { id: String(days), name: t('Last {days} days', { days }) }]
            }
            value={String(days)}
            onChange={(id) => change({ days: id })}
          />
          <Choice
            label={t('Period')}
            hideLabel
            options={periods}
            value={by}
            onChange={(id) => change({ by: id === 'day' ? null : id })}
          />
        </div>
      </div>
      <Answer of={rate}>
        {({ points }) => {
          const ran = points.filter(({ passRate }) => passRate !== null);
          return ran.length === 0 ? (
            <p className="note">
              {t('No result in the last {days}. Results come from runs: by hand, or from a pipeline.', {
                days: countText(days, 'day'),
              })}
            </p>
          ) : (
            <>
              <Suspense fallback={<ChartLoading />}>
                <PassRateChart points={points} label={summary(ran, by)} />
              </Suspense>
              <details>
                <summary>{t('The same figures as a table')}</summary>
                <Figures points={ran} by={by} />
              </details>
            </>
          );
        }}
      </Answer>
    </section>
  );
}

const summary = (ran: readonly Point[], by: 'day' | 'week'): string => {
  const rates = ran.flatMap(({ passRate }) => passRate ?? []);
  const last = ran.at(-1);
  const between = { lowest: Math.min(...rates), highest: Math.max(...rates) };
  return (
    (by === 'day'
      ? t('Pass rate by day: between {lowest} and {highest} percent', between)
      : t('Pass rate by week: between {lowest} and {highest} percent', between)) +
    (last
      ? t(', last {passRate} percent on {from}', { passRate: last.passRate, from: dayText(last.from) })
      : '')
  );
};

const Figures = ({ points, by }: { readonly points: readonly Point[]; readonly by: 'day' | 'week' }) => (
  <Table
    label={t('Pass rate in figures')}
    rows={points.toReversed()}
    keyOf={({ from }) => from}
    columns={[
      { title: by === 'day' ? t('Day (UTC)') : t('Week from (UTC)'), cell: ({ from }) => dayText(from) },
      {
        title: t('Pass rate'),
        isNumber: true,
        cell: ({ passRate }) => (passRate === null ? '–' : percentText(passRate)),
      },
      { title: t('Runs'), isNumber: true, cell: ({ runs }) => numberText(runs) },
      { title: t('Passed'), isNumber: true, cell: ({ passed }) => numberText(passed) },
      { title: t('Failed'), isNumber: true, cell: ({ failed }) => numberText(failed) },
      { title: t('Blocked'), isNumber: true, cell: ({ blocked }) => numberText(blocked) },
    ]}
  />
);
