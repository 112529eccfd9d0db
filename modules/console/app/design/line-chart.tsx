import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './line-chart.css';
import { t } from '../texts/text.ts';

interface LineChartProps {
  /** Seconds since the epoch, ascending, and the value at each. Unchanged while the object is: it is drawn anew when it changes. */
  readonly data: readonly [at: readonly number[], values: readonly (number | null)[]];
  /** The first and the last second of the axis. */
  readonly between: readonly [first: number, last: number];
  readonly label: string;
  readonly lowest: (least: number) => number;
  /** The greatest value of the axis; unless given, that of the data. */
  readonly most?: number;
  readonly dayName: (epochMs: number) => string;
  readonly unit?: string;
  /** What stands below for the point that the pointer is at. */
  readonly pointText: (index: number) => string | undefined;
}

const height = 240;

/** Seconds between two words of the axis: whole days, else a short time has the same day many times. */
const dayIncrements = [1, 2, 3, 4, 5, 7, 10, 14, 30, 60, 90, 180, 365, 730, 1825, 3650].map(
  (days) => days * 86_400,
);

/** A canvas takes no tokens: the colours as the browser has computed them. */
function colours(within: Element) {
  const of = (token: string) => {
    // One element for each: the colour of an element that has one already may change over time.
    const probe = document.createElement('span');
    probe.style.color = `var(--${token})`;
    within.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  return { line: of('accent'), grid: of('line'), text: of('text-2'), surface: of('surface') };
}

/** A line over days (UTC). The same figures stand in a table beside it. */
export default function LineChart(props: LineChartProps) {
  const { data, between, label, lowest, most, dayName, unit = '', pointText } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const dark = useScheme();
  const [first, last] = between;
  useEffect(() => {
    const within = frame.current;
    if (!within) return undefined;
    const { line, grid, text, surface } = colours(within);
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const chart = new UPlot(
      {
        width: within.clientWidth,
        height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
        scales: {
          x: { range: () => [first, last] },
          y: { range: (_chart, low, high) => [lowest(low), most ?? Math.max(1, high)] },
        },
        axes: [
          // Only days: a point is a whole one.
          {
            ...axis,
            space: 72,
            incrs: dayIncrements,
            values: (_chart, splits) => splits.map((at) => dayName(at * 1_000)),
          },
          { ...axis, size: 56, values: (_chart, splits) => splits.map((value) => `${value}${unit}`) },
        ],
        series: [
          {},
          {
            stroke: line,
            width: 2,
            points: { show: true, size: 6, fill: surface, stroke: line },
          },
        ],
        hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? null)] },
      },
      [[...data[0]], [...data[1]]],
      within,
    );
    const sized = new ResizeObserver(() => chart.setSize({ width: within.clientWidth, height }));
    sized.observe(within);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
    // The functions are the same in each drawing of the data.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [data, first, last, dark]);
  const said = pointed === null ? undefined : pointText(pointed);
  return (
    <figure className="line-chart">
      <div ref={frame} className="line-chart-frame" role="img" aria-label={label} />
      <figcaption className="note">{said ?? t('Point at the line to read a day.')}</figcaption>
    </figure>
  );
}

/** Whether the dark scheme is in use: a canvas is drawn anew when that changes. */
function useScheme(): boolean {
  const query = '(prefers-color-scheme: dark)';
  const [dark, setDark] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const change = () => setDark(list.matches);
    list.addEventListener('change', change);
    return () => list.removeEventListener('change', change);
  }, []);
  return dark;
}
