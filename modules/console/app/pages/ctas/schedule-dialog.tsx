import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { useChange, useWrite } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { timeText } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { keptTime, localText, timeZoneNote } from '../rule-editor/cta-words.ts';
import { periodFault } from './period-fault.ts';
import { requireShown } from './cta-draft.ts';
import { t } from '../../texts/text.ts';

interface ScheduleDialogProps {
  readonly cta: Output<'get-cta'>;
  readonly isDirty: boolean;
  readonly onClose: () => void;
}

/** Asks from when on apps get a CTA, and until when. */
export function ScheduleDialog({ cta, isDirty, onClose }: ScheduleDialogProps) {
  const { ctaId, name, version, startTime, endTime } = cta;
  const update = useChange('update-cta');
  const form = useTyped(`schedule:${ctaId}`, () => ({
    start: startTime !== null && startTime > Date.now() ? localText(startTime) : '',
    end: localText(endTime),
  }));
  const [start, end] = [keptTime(form.typed.start, startTime), keptTime(form.typed.end, endTime)];
  const fault = periodFault({ start, end, now: Date.now() });
  const isSame = start === startTime && end === endTime;
  const change = useWrite(async () => {
    if (isSame) await requireShown(cta);
    return call('set-cta-status', { ctaId, status: 'SCHEDULED' });
  });
  return (
    <ActionDialog
      title={t('Schedule: {name}', { name })}
      action={t('Schedule')}
      form={form}
      onClose={onClose}
      isDisabled={isDirty || start === null || fault !== undefined}
      onConfirm={async () => {
        if (start === null) return;
        if (!isSame)
          await update.mutateAsync({
            ctaId,
            version,
            startTime: start,
            ...(end === null ? { clear: ['endTime'] as const } : { endTime: end }),
          });
        await change.mutateAsync();
        say(t('{name} is scheduled: apps get it from {start} on.', { name, start: timeText(start) }));
      }}
    >
      {isDirty && <Alert kind="warning">{t('Save your changes of the CTA first, or discard them.')}</Alert>}
      <Field
        label={t('Start')}
        type="datetime-local"
        {...form.field('start')}
        note={timeZoneNote()}
        autoFocus
        error={fault?.at === 'start' ? fault.message : undefined}
      />
      <Field
        label={t('End')}
        type="datetime-local"
        {...form.field('end')}
        note={t('Empty: no end.')}
        error={fault?.at === 'end' ? fault.message : undefined}
      />
      <p>{t('Apps get it from its start time on, by itself. Until then it cannot be edited.')}</p>
    </ActionDialog>
  );
}
