import { useState } from 'react';
import { isRunning } from '../../../../cta/rules/experiment.ts';
import { illegalStatusChange, nextStatuses, type CtaStatus } from '../../../../cta/rules/lifecycle.ts';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { useWrite } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { Alert } from '../../design/states.tsx';
import { requireShown } from './cta-draft.ts';
import { Eligible } from './list-figures.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { statusAction, statusWords } from '../rule-editor/cta-words.ts';
import { inSentence, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** The status of a CTA: its colour and its word. */
export const CtaStatusText = ({ of }: { readonly of: CtaStatus }) => (
  <span className={`status ${statusWords[of].colour}`}>{statusWords[of].name}</span>
);

/** Whether a change of status can be taken back; a CTA that was live is no draft any more. */
const isBack = (from: CtaStatus, to: CtaStatus): boolean => nextStatuses[to].includes(from);

interface StatusActionsProps {
  readonly cta: Output<'get-cta'>;
  /** Changes that are not saved yet: apps would get the version before them. */
  readonly isDirty: boolean;
}

/** A button for each status that the CTA may change to now. */
export function StatusActions({ cta, isDirty }: StatusActionsProps) {
  const mayPublish = useMay('admin');
  const mayWrite = useMay('member');
  const [to, setTo] = useState<CtaStatus | null>(null);
  const { ctaId, name, status } = cta;
  const change = useWrite(async (next: CtaStatus) => {
    if (next === 'LIVE') await requireShown(cta);
    return call('set-cta-status', { ctaId, status: next });
  });
  // Members may abandon a draft, which no app ever received.
  const offered = nextStatuses[status].filter(
    (next) =>
      (mayPublish || (mayWrite && status === 'DRAFT' && next === 'TERMINATED')) &&
      // Its start lies ahead: it can be scheduled, not made live.
      !(next === 'LIVE' && illegalStatusChange(cta, next, Date.now())?.field === 'startTime'),
  );
  const chosen = to === null ? null : statusAction(status, to);
  // Somebody else was faster, or the clock was.
  const isLate = to !== null && !nextStatuses[status].includes(to);
  const takeBack = {
    name: t('Undo'),
    run: () =>
      change.mutate(status, {
        onError: sayError,
        onSuccess: () =>
          say(t('{name} is {status} again.', { name, status: inSentence(statusWords[status].name) })),
      }),
  };
  return (
    <>
      {offered.map((next) => {
        const { action, isFinal } = statusAction(status, next);
        return (
          <Button
            key={next}
            {...(next === 'LIVE' ? { kind: 'primary' as const } : isFinal ? { kind: 'quiet' as const } : {})}
            onPress={() => setTo(next)}
          >
            {action}
          </Button>
        );
      })}
      {chosen?.to === 'SCHEDULED' && (
        <ScheduleDialog cta={cta} isDirty={isDirty} onClose={() => setTo(null)} />
      )}
      {chosen && chosen.to !== 'SCHEDULED' && (
        <ActionDialog
          title={`${chosen.action}: ${name}`}
          action={chosen.action}
          kind={chosen.isFinal ? 'danger' : 'primary'}
          isDisabled={isLate || (chosen.to === 'LIVE' && isDirty)}
          onClose={() => setTo(null)}
          onConfirm={async () => {
            await change.mutateAsync(chosen.to);
            const done = t('{name} is {status} now.', {
              name,
              status: inSentence(statusWords[chosen.to].name),
            });
            say(done, isBack(status, chosen.to) ? takeBack : undefined);
          }}
        >
          {chosen.to === 'LIVE' && isDirty && (
            <Alert kind="warning">{t('Save your changes of the CTA first, or discard them.')}</Alert>
          )}
          {isLate ? (
            <Alert kind="warning">
              {t('It is {status} by now: somebody else changed it, or its time came.', {
                status: inSentence(statusWords[status].name),
              })}
            </Alert>
          ) : (
            <p>
              {nodes('It changes from {from} to {to}.', {
                from: statusWords[status].name,
                to: statusWords[chosen.to].name,
              })}
            </p>
          )}
          <p>{chosen.effect}</p>
          {chosen.isFinal && isRunning(cta) && (
            <p>
              {t('Its experiment gets no more users, and none of its variants can be shipped afterwards.')}
            </p>
          )}
          {chosen.to === 'LIVE' && (
            <p>
              {nodes('Users who may get it: {count}', {
                count: <Eligible {...cta} />,
              })}
            </p>
          )}
        </ActionDialog>
      )}
    </>
  );
}
