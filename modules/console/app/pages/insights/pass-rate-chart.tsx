import { useMemo } from 'react';
import type { Output } from '../../api/calls.ts';
import { countText, percentText } from '../../design/amount.ts';
import LineChart from '../../design/line-chart.tsx';
import { dayText } from '../../design/time.tsx';
import { shortDayText } from './insight-range.ts';
import { t } from '../../texts/text.ts';

type Point = Output<'get-pass-rate'>['points'][number];

interface ChartProps {
  readonly points: readonly Point[];
  readonly label: string;
}

const secondsOf = (point: Point | undefined): number => Date.parse(point?.from ?? '') / 1_000;

const pointText = ({ from, passRate, runs }: Point): string =>
  `${dayText(from)}: ${passRate === null ? t('no results') : t('{passRate} passed', { passRate: percentText(passRate) })}, ${countText(runs, 'run')}`;

/** The share of what passed over time. The same figures stand in a table beside it. */
export default function PassRateChart({ points, label }: ChartProps) {
  // Only days with results: the pointer would name days without any.
  const ran = useMemo(() => points.filter(({ passRate }) => passRate !== null), [points]);
  const data = useMemo(() => [ran.map(secondsOf), ran.map(({ passRate }) => passRate)] as const, [ran]);
  return (
    <div className="pass-rate">
      <LineChart
        data={data}
        between={[secondsOf(points.at(0)), secondsOf(points.at(-1))]}
        label={label}
        lowest={(low) => Math.max(0, Math.floor((low - 5) / 10) * 10)}
        most={100}
        unit=" %"
        dayName={shortDayText}
        pointText={(index) => {
          const point = ran[index];
          return point && pointText(point);
        }}
      />
    </div>
  );
}
