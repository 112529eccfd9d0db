import { useEffect, useState } from 'react';
import type { Input, Output } from '../../api/calls.ts';
import { messageOf, useTool } from '../../api/queries.ts';
import { countText, numberText } from '../../design/amount.ts';
import { configurationText } from './plan-draft.ts';
import { t } from '../../texts/text.ts';

/** How long nothing is typed before the runs are counted. */
const pauseMs = 200;
/** Runs that the preview names. */
const mostNamed = 6;

/** What a plan would create. Undefined while it is counted; never that of an earlier text. */
export function usePlanPreview(input: Input<'create-plan'>) {
  const text = JSON.stringify(input);
  const [asked, setAsked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  // The text is the input, so that a render with the same input asks nothing.
  const question = JSON.parse(asked) as Input<'create-plan'>;
  const counted = useTool('create-plan', { ...question, dryRun: true });
  return asked === text ? { preview: counted.data, error: counted.error } : {};
}

interface PlanPreviewProps {
  readonly preview: Output<'create-plan'> | undefined;
  readonly error: Error | null | undefined;
}

/** How many runs and tests a plan would have, and the first runs. */
export function PlanPreview({ preview, error }: PlanPreviewProps) {
  if (error)
    return (
      <p className="field-error" role="alert">
        {messageOf(error)}
      </p>
    );
  if (!preview) return <p className="note">{t('Counting the runs…')}</p>;
  const { runs, tests } = preview;
  return (
    <div className="stack tight" role="status">
      <strong>
        {t('{runs} with {results} to give', {
          runs: countText(runs.length, 'run'),
          results: countText(tests, 'result'),
        })}
      </strong>
      <ul>
        {runs.slice(0, mostNamed).map(({ runName, tests: count, configurations }, at) => (
          <li key={at} className="cut">
            {runName}
            {configurations.length > 0 && !runName.includes(configurationText(configurations))
              ? ` (${configurationText(configurations)})`
              : ''}
            : {countText(count, 'test')}
          </li>
        ))}
      </ul>
      {runs.length > mostNamed && (
        <span className="note">{t('and {runs} more', { runs: numberText(runs.length - mostNamed) })}</span>
      )}
    </div>
  );
}
