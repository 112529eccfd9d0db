import type { Output } from '../../api/calls.ts';
import { countText } from '../../design/amount.ts';
import { FailureMessage } from '../triage/failure-message.tsx';
import { wholeRows } from '../../api/pages.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`;

/** What a pipeline reported for a test of a run; nothing for a run of people. */
export function RunReported({
  of: { results: reported, source },
}: {
  readonly of: Output<'get-run-results'>;
}) {
  const results = wholeRows(reported);
  if (results.length === 0) return null;
  return (
    <section className="stack tight" aria-label={t('Reported by a pipeline')}>
      <h3>{t('Reported by a pipeline')}</h3>
      {source && (
        <p className="note wrap">
          {[source.workflow, source.branch, source.commit?.slice(0, 10), source.buildNumber]
            .filter(Boolean)
            .join(' · ')}{' '}
          {source.jobUrl !== null && /^https?:\/\//i.test(source.jobUrl) && (
            <a href={source.jobUrl} target="_blank" rel="noopener noreferrer">
              {t('Open the job')}
            </a>
          )}
        </p>
      )}
      {results.map(({ key, status, flaky, durationMs, file, line, attempts, output, attachments }, index) => (
        <div key={index} className="run-attempts stack tight">
          <p>
            <strong>{status}</strong> {flaky && <span className="badge">{t('flaky')}</span>}{' '}
            {durationMs !== null && <span className="number">{seconds(durationMs)}</span>}
          </p>
          {key !== null && <p className="note wrap">{key}</p>}
          {file !== null && (
            <p className="note wrap">
              {file}
              {line === null ? '' : `:${line}`}
            </p>
          )}
          {attempts.length > 1 && <p className="note">{countText(attempts.length, 'attempt')}</p>}
          {attempts.map(
            ({ status: outcome, message, durationMs: took, job }, attempt) =>
              (attempts.length > 1 || message !== undefined) && (
                <div key={attempt} className="stack tight">
                  <p className="note">
                    {attempt + 1}. {outcome} {took === undefined ? '' : seconds(took)} {job ?? ''}
                  </p>
                  {message !== undefined &&
                    (attempts.findIndex((one) => one.message === message) < attempt ? (
                      <p className="note">{t('With the same message as before.')}</p>
                    ) : (
                      <FailureMessage text={message} />
                    ))}
                </div>
              ),
          )}
          {output !== null && output !== '' && (
            <details>
              <summary>{t('Output')}</summary>
              <pre>{output}</pre>
            </details>
          )}
          {attachments.length > 0 && (
            <p className="note wrap">
              {nodes('Attached: {attachments}', { attachments: attachments.join(', ') })}
            </p>
          )}
        </div>
      ))}
    </section>
  );
}
