import { Link } from 'wouter';
import { passRateText, type Counts } from '../../design/status.tsx';
import { t } from '../../texts/text.ts';

interface TrendBarsProps {
  readonly projectId: number;
  /** The oldest first. */
  readonly runs: ReadonlyArray<{ readonly runId: number; readonly runName: string; readonly counts: Counts }>;
}

/** The pass rate of each run as a bar that leads to it. */
export const TrendBars = ({ projectId, runs }: TrendBarsProps) => (
  <ol className="trend-bars">
    {runs.map(({ runId, runName, counts }) => {
      const found = counts.passed + counts.failed + counts.blocked;
      const share = found === 0 ? 0 : (counts.passed / found) * 100;
      const text = `${runName}: ${found === 0 ? t('no result yet') : t('{counts} passed', { counts: passRateText(counts) })}`;
      return (
        <li key={runId}>
          <Link href={`/projects/${projectId}/runs/${runId}`} title={text} aria-label={text}>
            <span className="trend-bar" style={{ height: `${Math.max(2, share)}%` }} />
          </Link>
          <span className="note number" aria-hidden="true">
            {passRateText(counts)}
          </span>
        </li>
      );
    })}
  </ol>
);
