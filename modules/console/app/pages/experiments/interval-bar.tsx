interface IntervalBarProps {
  readonly low: number;
  readonly high: number;
  /** The farthest end of all intervals that are compared, from zero. */
  readonly widest: number;
}

const half = 50;

/** An interval around zero, drawn: the words beside it say the same. */
export function IntervalBar({ low, high, widest }: IntervalBarProps) {
  const xOf = (value: number) => half + (value / widest) * (half - 2);
  const colour = low > 0 ? 'of-passed' : high < 0 ? 'of-failed' : 'of-untested';
  return (
    <svg className={`interval-bar ${colour}`} viewBox="0 0 100 12" aria-hidden="true">
      <line className="interval-zero" x1={half} x2={half} y1={0} y2={12} />
      <line className="interval-line" x1={xOf(low)} x2={xOf(high)} y1={6} y2={6} />
    </svg>
  );
}
