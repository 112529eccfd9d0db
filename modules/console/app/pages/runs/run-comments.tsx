import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { RichText } from '../../design/rich-text.tsx';
import { Status } from '../../design/status.tsx';
import { Time } from '../../design/time.tsx';
import { useState } from 'react';
import { FieldFacts } from '../fields/field-inputs.tsx';
import { spokenResults } from './run-thread.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Reported = Output<'get-run-results'>['results'];

interface RunCommentsProps {
  readonly projectId: number;
  readonly runId: number;
  readonly testId: number;
  /** What a pipeline reported for it: its messages are shown there. */
  readonly reported: Reported;
}

/** Results of one request. */
const pageSize = 50;

/** What was said about a test in a run: each comment with its author, its time and the status that it came with. */
export function RunComments({ projectId, runId, testId, reported }: RunCommentsProps) {
  const [limit, setLimit] = useState(pageSize);
  const history = useTool('get-test-status-history-in-run', { runId, testId, limit }, { keep: true });
  const { nameOf } = usePeople(history.data?.history.map(({ by }) => by));
  const { data } = history;
  if (data === undefined) return null;
  const comments = spokenResults(data.history, reported);
  const hasMore = data.total > data.history.length && limit < 500;
  if (comments.length === 0 && !hasMore) return null;
  return (
    <section className="stack tight" aria-label={t('Comments')}>
      <h3>{t('Comments')}</h3>
      <ol className="thread">
        {comments.map(({ status, comment, by, byName, at, stepResults = [], fields }, index) => (
          <li key={`${at} ${index}`} className="stack tight">
            <p className="row note">
              <strong className="thread-author">{nameOf(by, byName)}</strong> <Status of={status} />{' '}
              <Time at={at} />
            </p>
            {comment !== '' && <RichText>{comment}</RichText>}
            {stepResults.map((one) => (
              <p key={one.step} className="row note wrap">
                {nodes('Step {step}', { step: one.step })} <Status of={one.status} /> {one.comment}
              </p>
            ))}
            {fields !== undefined && (
              <dl className="facts">
                <FieldFacts projectId={projectId} of="result" values={fields} />
              </dl>
            )}
          </li>
        ))}
      </ol>
      {hasMore && (
        <Button small onPress={() => setLimit(500)}>
          {t('Show older comments')}
        </Button>
      )}
    </section>
  );
}
