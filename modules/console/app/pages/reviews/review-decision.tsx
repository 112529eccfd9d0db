import { useRef, useState, type ReactNode } from 'react';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useMe } from '../../api/queries.ts';
import { useTyped, type Typed } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/fields.tsx';
import { useFocusAfterRow } from '../../design/focus-lost.ts';
import { Alert, Left } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { useOneAtATime } from '../../api/one-at-a-time.ts';
import { useUndo } from '../versions/test-undo.ts';
import { decisionsFor, decisionTexts, type Decision } from './review-words.ts';
import './reviews.css';
import { inSentence, t } from '../../texts/text.ts';

interface ReviewDecisionProps {
  readonly review: Output<'get-review'>;
  readonly mayWrite: boolean;
}

/** What a person can do with a proposal. A verdict is about exactly what they see: its hash goes with it. */
export function ReviewDecision({ review, mayWrite }: ReviewDecisionProps) {
  const { reviewId, projectId, hash, testName, conflicts } = review;
  const me = useMe().data;
  const decide = useChange('review-test-change');
  const merge = useChange('merge-test-change');
  const { undoButton } = useUndo(projectId);
  const form = useTyped(`review:${reviewId}`, () => ({ comment: '' }));
  const [problem, setProblem] = useState<string | null>(null);
  const oneAtATime = useOneAtATime();
  const { decisions, note } = decisionsFor(review, { userId: me?.userId, mayWrite });
  if (decisions.length === 0)
    return form.isDirty ? <LeftComment form={form} /> : note === null ? null : <p className="note">{note}</p>;
  // What the proposal waits for.
  const next = decisions.find((decision) => decision === 'merge' || decision === 'approve');
  const press = async (decision: Decision) => {
    setProblem(null);
    try {
      if (decision === 'merge') {
        await merge.mutateAsync({ reviewId });
        say(t('Merged into {testName}.', { testName }), undoButton());
      } else {
        const sent = form.typed;
        const comment = sent.comment.trim();
        await decide.mutateAsync({
          reviewId,
          verdict: decision,
          seenHash: hash,
          ...(comment === '' ? {} : { comment }),
        });
        form.goOn(sent, { comment: '' });
        say(t('Your verdict was stored: {name}.', { name: inSentence(decisionTexts[decision].name) }));
      }
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <DecideCard decisions={decisions.length}>
      <h2>{t('Decide')}</h2>
      {form.wasLeft && form.isDirty && <Left />}
      <Field label={t('Comment')} {...form.field('comment')} lines={2} maxLength={2_000} />
      {problem !== null && <Alert kind="error">{problem}</Alert>}
      {note !== null && <p className="note">{note}</p>}
      <ul className="decisions">
        {decisions.map((decision) => (
          <li key={decision}>
            <Button
              {...(decision === next && { kind: 'primary' })}
              aria-describedby={`does-${decision}`}
              isDisabled={decision === 'merge' && conflicts.length > 0}
              // A button that is disabled meanwhile would lose the focus.
              onPress={() => void oneAtATime(() => press(decision))}
            >
              {decisionTexts[decision].name}
            </Button>
            <span id={`does-${decision}`} className="note">
              {decisionTexts[decision].does}
            </span>
          </li>
        ))}
      </ul>
    </DecideCard>
  );
}

interface DecideCardProps {
  readonly decisions: number;
  readonly children: ReactNode;
}

/** It goes with the last decision, and with it the button that had the focus. */
function DecideCard({ decisions, children }: DecideCardProps) {
  const card = useRef<HTMLElement>(null);
  useFocusAfterRow(card, decisions);
  return (
    <section ref={card} tabIndex={-1} className="card stack" aria-label={t('Decide')}>
      {children}
    </section>
  );
}

/** Somebody else has decided meanwhile: what was typed can still be read and copied. */
const LeftComment = ({ form }: { readonly form: Typed<{ readonly comment: string }> }) => (
  <section className="card stack" aria-label={t('Comment')}>
    <Field label={t('Comment')} {...form.field('comment')} lines={2} isReadOnly />
    <p className="note">{t('It is not stored: there is nothing to decide any more.')}</p>
    <div>
      <Button onPress={form.forget}>{t('Discard changes')}</Button>
    </div>
  </section>
);
