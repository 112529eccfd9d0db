import { numberText, shareText } from './amount.ts';
import { t } from '../texts/text.ts';

export const statuses = ['passed', 'failed', 'blocked', 'retest', 'untested'] as const;
export type TestStatus = (typeof statuses)[number];
export type Counts = Readonly<Record<TestStatus, number>> & { readonly total: number };

const words: Readonly<Record<TestStatus, string>> = {
  passed: t('Passed'),
  failed: t('Failed'),
  blocked: t('Blocked'),
  retest: t('Retest'),
  untested: t('Untested'),
};
export const wordOf = (status: TestStatus): string => words[status];

/** A status with a colour and a word, because many people cannot distinguish the colours. */
export const Status = ({ of }: { readonly of: TestStatus }) => (
  <span className={`status of-${of}`}>{words[of]}</span>
);

/** The share of what passed among the tests that have a result, as the insights count it; "–" before the first. */
export function passRateText({ passed, failed, blocked }: Counts): string {
  const found = passed + failed + blocked;
  return found === 0 ? '–' : shareText(passed, found);
}

const summary = (counts: Counts): string =>
  statuses.map((status) => `${numberText(counts[status])} ${words[status].toLowerCase()}`).join(', ');

/** The progress of a run, as a bar. */
export const ProgressBar = ({ counts }: { readonly counts: Counts }) => (
  <div className="bar" role="img" aria-label={summary(counts)}>
    {statuses.map(
      (status) =>
        counts[status] > 0 && (
          <span key={status} className={`of-${status}`} style={{ flexGrow: counts[status] }} />
        ),
    )}
  </div>
);

interface HistoryProps {
  /** The newest first. */
  readonly results: ReadonlyArray<{ readonly status: TestStatus; readonly title: string }>;
}

/** The last results of a test, the newest on the right. */
export function HistoryStrip({ results }: HistoryProps) {
  const shown = results.slice(0, 20).toReversed();
  const width = shown.length * 10;
  return (
    <svg
      className="history"
      viewBox={`0 0 ${width} 16`}
      width={width}
      height={16}
      role="img"
      aria-label={
        shown.length === 0
          ? t('No results yet')
          : t('Last results, the oldest first: {shown}', {
              shown: shown.map(({ status }) => words[status].toLowerCase()).join(', '),
            })
      }
    >
      {shown.map(({ status, title }, index) => (
        <rect
          key={index}
          className={`of-${status}`}
          x={index * 10}
          y={status === 'passed' ? 6 : 0}
          width={8}
          height={status === 'passed' ? 10 : 16}
          rx={2}
        >
          <title>{title}</title>
        </rect>
      ))}
    </svg>
  );
}
