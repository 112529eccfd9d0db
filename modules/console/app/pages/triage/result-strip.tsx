import { useRef, useState, type KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { wordOf, type TestStatus } from '../../design/status.tsx';
import { timeText } from '../../design/time.tsx';
import './triage.css';
import { t } from '../../texts/text.ts';

interface StripResult {
  readonly runId: number;
  readonly runName: string;
  readonly status: TestStatus;
  readonly at: string;
}

interface ResultStripProps {
  readonly projectId: number;
  readonly testId: number;
  /** The newest first. */
  readonly results: readonly StripResult[];
  /** The run that the page shows. */
  readonly runId?: number;
}

const most = 20;

/** The last results of a test, the newest on the right: each leads to its run. Arrow keys move between them. */
export function ResultStrip({ projectId, testId, results, runId }: ResultStripProps) {
  const shown = results.slice(0, most).toReversed();
  const list = useRef<HTMLUListElement>(null);
  const [chosen, choose] = useState<number | null>(null);
  if (shown.length === 0) return <p className="note">{t('No results yet.')}</p>;
  const current = Math.min(chosen ?? shown.length - 1, shown.length - 1);
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || to < 0 || to >= shown.length) return;
    event.preventDefault();
    choose(to);
    list.current?.querySelectorAll('a')[to]?.focus();
  };
  return (
    <ul ref={list} className="result-strip" aria-label={t('Last results, the oldest first')} onKeyDown={move}>
      {shown.map((one, index) => {
        const title = t('{status} in {runName}, {at}', {
          status: wordOf(one.status),
          runName: one.runName,
          at: timeText(one.at),
        });
        return (
          <li key={`${one.at} ${index}`}>
            <Link
              href={`/projects/${projectId}/runs/${one.runId}?test=${testId}`}
              className={`of-${one.status}`}
              title={title}
              aria-label={title}
              tabIndex={index === current ? 0 : -1}
              onFocus={() => choose(index)}
              {...(one.runId === runId && { 'aria-current': 'true' as const })}
            />
          </li>
        );
      })}
    </ul>
  );
}
