import { lazy, Suspense, useMemo } from 'react';
import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { countText, numberText, shareText } from '../../design/amount.ts';
import { Facts } from '../../design/facts.tsx';
import { Answer, ChartLoading, Empty } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { dayText } from '../../design/time.tsx';
import { shortDayText } from '../insights/insight-range.ts';
import type { Json } from '../rule-editor/json-path.ts';
import { clickedText } from './clicked-text.ts';
import { stateName } from '../rule-editor/state-name.ts';
import { chartOf, type FigurePoint } from './figure-points.ts';
import { inSentence, t } from '../../texts/text.ts';

/** The library of the chart throws as it is loaded where `Intl` does not know the language of the browser. */
const LineChart = lazy(() =>
  import('../../design/line-chart.tsx').catch(() => ({
    default: () => <p className="note">{t('The chart cannot be drawn in this browser.')}</p>,
  })),
);

type Metrics = Output<'get-cta-metrics'>;

/** How many users saw a CTA, acted and converted, in one line. */
export function CtaFigureLine({ ctaId }: { readonly ctaId: string }) {
  const metrics = useTool('get-cta-metrics', { ctaId });
  return <Answer of={metrics}>{(data) => <FigureLine of={data} />}</Answer>;
}

function FigureLine({ of: { users, goals } }: { readonly of: Metrics }) {
  if (users === undefined) return null;
  const { saw, acted } = users;
  // An app that reports no impressions acts without them.
  const base = Math.max(saw, acted);
  const text = (count: number) =>
    base === 0 ? numberText(count) : `${numberText(count)} (${shareText(count, base)})`;
  return (
    <section aria-label={t('Figures')}>
      <Facts
        of={[
          { name: t('Users who saw it'), value: numberText(saw) },
          { name: t('Users who clicked'), value: clickedText(users) },
          { name: t('Users who acted'), value: text(acted) },
          ...goals.map(({ name, conversions }) => ({
            name: t('Converted: {name}', { name }),
            value: text(conversions),
          })),
        ]}
      />
    </section>
  );
}

/** The figures of a CTA by day, and its funnel. */
export function CtaFigures({ ctaId, rule }: { readonly ctaId: string; readonly rule: Json }) {
  const byDay = useTool('get-cta-metrics', { ctaId, by: 'day' });
  const funnel = useTool('get-cta-funnel', { ctaId });
  return (
    <div className="stack">
      <p className="note">
        {t(
          'Acted: their app has begun an action of the CTA, such as showing it. Saw and clicked: what the app reports.',
        )}
      </p>
      <section className="card stack" aria-label={t('By day')}>
        <h2>{t('By day')}</h2>
        <Answer of={byDay}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title={t('Nothing was counted yet')}>
                <p>
                  {t(
                    'Actions are counted from the state of users. An app that reports events adds what was seen.',
                  )}
                </p>
              </Empty>
            ) : (
              <Days items={items} />
            )
          }
        </Answer>
      </section>
      <section className="card stack" aria-label={t('Funnel')}>
        <h2>{t('Funnel')}</h2>
        <Answer of={funnel}>{({ states }) => <Funnel of={states} rule={rule} />}</Answer>
      </section>
    </div>
  );
}

const figuresShown = () =>
  [
    { name: 'impressions', title: t('Impressions') },
    { name: 'clicks', title: t('Clicks') },
    { name: 'dismissals', title: t('Dismissals') },
    { name: 'actions', title: t('Actions') },
    { name: 'completions', title: t('Completions') },
  ] as const;

function Days({ items }: Pick<Metrics, 'items'>) {
  const { points, data, figure } = useMemo(() => chartOf(items), [items]);
  const [first = 0, last = 0] = [data[0].at(0), data[0].at(-1)];
  return (
    <>
      <p className="note">{figure}</p>
      <Suspense fallback={<ChartLoading />}>
        <LineChart
          data={data}
          between={[first, Math.max(last, first + 86_400)]}
          label={t('{figure} by day, {days}', { figure, days: countText(points.length, 'day') })}
          lowest={() => 0}
          dayName={shortDayText}
          pointText={(index) => {
            const point = points[index];
            return point && `${dayText(point.at)}: ${numberText(point.value)} ${inSentence(figure)}`;
          }}
        />
      </Suspense>
      <details>
        <summary>{t('The same figures as a table')}</summary>
        <Table
          label={t('Figures by day')}
          rows={points}
          keyOf={({ at }) => at}
          columns={[
            { title: t('Day (UTC)'), cell: ({ at }) => dayText(at) },
            ...figuresShown().map(({ name, title }) => ({
              title,
              isNumber: true,
              cell: (point: FigurePoint) => numberText(point[name]),
            })),
          ]}
        />
      </details>
    </>
  );
}

type States = Output<'get-cta-funnel'>['states'];

function Funnel({ of: states, rule }: { readonly of: States; readonly rule: Json }) {
  if (states.length === 0) return <p className="note">{t('No user has reached a state yet.')}</p>;
  return (
    <Table
      label={t('Users per state')}
      rows={states}
      keyOf={({ state }) => state}
      columns={[
        {
          title: t('State'),
          cell: ({ state }) => (
            <>
              {stateName(rule, state)} <span className="note">{state}</span>
            </>
          ),
        },
        { title: t('Users ever'), isNumber: true, cell: ({ ever }) => numberText(ever) },
        {
          title: t('Of the state before'),
          isNumber: true,
          cell: (row) => {
            const before = states[states.indexOf(row) - 1];
            return before === undefined ? '' : shareText(row.ever, before.ever);
          },
        },
        { title: t('Users now'), isNumber: true, cell: ({ now }) => numberText(now) },
      ]}
    />
  );
}
