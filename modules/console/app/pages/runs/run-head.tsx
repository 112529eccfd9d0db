import type { ReactNode } from 'react';
import type { Output } from '../../api/calls.ts';
import { numberText, shareText } from '../../design/amount.ts';
import { dueWords } from '../planning/due-words.ts';
import { FailingLine } from '../triage/failing-line.tsx';
import { ProgressBar, statuses, wordOf, type Counts } from '../../design/status.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface RunHeadProps {
  readonly run: Output<'run-detail'>;
  /** With the results that are on their way. */
  readonly counts: Counts;
  /** The query of the list: a status that it asks for is pressed. */
  readonly query: string;
  readonly onQuery: (query: string | null) => void;
  /** Badges and menus. */
  readonly children: ReactNode;
}

/** What a run is and how far it is, in one line of 56 pixels where there is room: the tests need the rest. */
export const RunHead = ({ run, counts, query, onQuery, children }: RunHeadProps) => {
  const { projectId, runId, runName: name, runDescription: description } = run;
  const due = run.status === 'locked' ? '' : dueWords(run.dueOn, Date.now());
  const open = counts.untested + counts.retest;
  const share = <strong className="number">{shareText(counts.total - open, counts.total)}</strong>;
  return (
    <header className="run-head">
      <div className="run-title">
        <h1 className="cut" title={name}>
          {name}
        </h1>
        <p className="note run-progress">
          {counts.failed > 0 && (
            <span>
              <FailingLine projectId={projectId} runId={runId} failed={counts.failed} /> ·
            </span>
          )}
          <span>
            {open === 0
              ? nodes('{share} done', { share })
              : nodes('{share} done: {open} of {total} are open', {
                  share,
                  open: numberText(open),
                  total: numberText(counts.total),
                })}
          </span>
          {due !== '' && <span>· {due}</span>}
          {description !== '' && (
            <span className="cut" title={description}>
              · {description}
            </span>
          )}
        </p>
      </div>
      <ProgressBar counts={counts} />
      <ul className="run-counts" aria-label={t('Tests by status')}>
        {statuses.map((status) => {
          const own = `status:${status}`;
          return (
            <li key={status}>
              <button
                type="button"
                className={`of-${status}`}
                title={wordOf(status)}
                aria-pressed={query === own}
                onClick={() => onQuery(query === own ? null : own)}
              >
                <span className="run-count-word">{wordOf(status)}</span>
                <span className="number">{numberText(counts[status])}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <div className="row nowrap run-head-actions">{children}</div>
    </header>
  );
};
