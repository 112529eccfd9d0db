import { useEffect, useMemo, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Output } from '../../api/calls.ts';
import { countText, percentText } from '../../design/amount.ts';
import { dayText, shortDayText } from './insight-range.ts';

type Point = Output<'get-pass-rate'>['points'][number];

interface ChartProps {
  readonly points: readonly Point[];
  readonly label: string;
}

const height = 240;

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

const secondsOf = (point: Point | undefined): number => Date.parse(point?.from ?? '') / 1_000;

const pointText = ({ from, passRate, runs }: Point): string =>
  `${dayText(from)}: ${passRate === null ? 'no results' : `${percentText(passRate)} passed`}, ${countText(runs, 'run')}`;

/** The share of what passed over time. The same figures stand in a table beside it. */
export default function PassRateChart({ points, label }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  // Only days with results: the pointer would name days without any.
  const ran = useMemo(() => points.filter(({ passRate }) => passRate !== null), [points]);
  const [pointed, setPointed] = useState<number | null>(null);
  const dark = useScheme();
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
          x: { range: () => [secondsOf(points.at(0)), secondsOf(points.at(-1))] },
          y: { range: (_chart, low) => [Math.max(0, Math.floor((low - 5) / 10) * 10), 100] },
        },
        axes: [
          // Only days: a point is a whole one.
          {
            ...axis,
            space: 72,
            values: (_chart, splits) => splits.map((at) => shortDayText(at * 1_000)),
          },
          { ...axis, size: 56, values: (_chart, splits) => splits.map((value) => `${value} %`) },
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
      [ran.map(secondsOf), ran.map(({ passRate }) => passRate)],
      within,
    );
    const sized = new ResizeObserver(() => chart.setSize({ width: within.clientWidth, height }));
    sized.observe(within);
    return () => {
      sized.disconnect();
      chart.destroy();
    };
  }, [points, ran, dark]);
  const at = pointed === null ? undefined : ran[pointed];
  return (
    <figure className="pass-rate">
      <div ref={frame} className="pass-rate-frame" role="img" aria-label={label} />
      <figcaption className="note">{at ? pointText(at) : 'Point at the line to read a day.'}</figcaption>
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
