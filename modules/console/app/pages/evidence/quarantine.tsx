import { useState } from 'react';
import { useMe, useChange, useTool } from '../../api/queries.ts';
import { usePeople } from '../../api/people.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { dayAhead } from './link-text.ts';
import { t } from '../../texts/text.ts';

interface OfTest {
  readonly projectId: number;
  readonly testId: number;
}

/** The quarantine of a test, also one that ran out; undefined: none, or it is on its way. */
export function useQuarantine({ projectId, testId }: OfTest) {
  return useTool('list-quarantined', { projectId, testId }).data?.tests[0];
}

/** That a test is in quarantine, why, and until when. */
export function QuarantineNote(of: OfTest) {
  const found = useQuarantine(of);
  const { nameOf } = usePeople();
  if (!found) return null;
  const { reason, ownerId, until, isOver, linkKey, proposesEnd, passesInRow } = found;
  return (
    <p className="stack tight" role="note" aria-label={t('Quarantine')}>
      <span>
        <span className="badge">{isOver ? t('quarantine is over') : t('in quarantine')}</span>{' '}
        {isOver ? 'since' : 'until'} <Time at={until} />, {nameOf(ownerId)}
        {linkKey !== null && `, ${linkKey}`}
      </span>
      <span className="note wrap">{reason}</span>
      {proposesEnd && (
        <span className="note">
          {t('It passed {times} in a row: end it.', { times: countText(passesInRow, 'time') })}
        </span>
      )}
    </p>
  );
}

interface QuarantineDialogProps {
  readonly projectId: number;
  /** Which tests: one, or those of a query. */
  readonly of: { readonly testIds: number[] } | { readonly query: string };
  readonly what: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** How long a quarantine lasts unless somebody says otherwise. */
const usualDays = 14;

/** Puts tests into quarantine. */
export function QuarantineDialog({ projectId, of, what, isOpen, onClose }: QuarantineDialogProps) {
  const me = useMe().data;
  const { users } = usePeople();
  const set = useChange('set-quarantine');
  const form = useTyped(`quarantine:${JSON.stringify(of)}`, () => ({
    reason: '',
    linkKey: '',
    until: dayAhead(Date.now(), usualDays),
    owner: String(me?.userId ?? ''),
  }));
  const [force, setForce] = useState(false);
  const { reason, linkKey, until, owner } = form.typed;
  return (
    <ActionDialog
      title={t('Put {what} into quarantine?', { what })}
      action={t('Put into quarantine')}
      form={form}
      isOpen={isOpen}
      onClose={onClose}
      isDisabled={reason.trim() === '' || owner === '' || until === ''}
      onConfirm={async () => {
        const key = linkKey.trim();
        const { count } = await set.mutateAsync({
          projectId,
          ...of,
          reason,
          ownerId: Number(owner),
          until,
          force,
          ...(key === '' ? {} : { linkKey: key }),
        });
        say(t('{tests} in quarantine.', { tests: countText(count, 'test') }));
      }}
    >
      <p>{t('Failures stay failures here, but they do not fail a build until then.')}</p>
      <Field label={t('Why')} {...form.field('reason')} autoFocus maxLength={1_000} />
      <Choice
        label={t('Who repairs it')}
        options={users.map((user) => ({
          id: String(user.userId),
          name: user.name ?? user.email ?? t('User {userId}', { userId: user.userId }),
        }))}
        value={owner}
        onChange={(id) => form.type({ owner: id })}
      />
      <Field label={t('Last day (at most 90 days ahead)')} type="date" {...form.field('until')} />
      <Field
        label={t('Defect, if there is one')}
        {...form.field('linkKey')}
        maxLength={255}
        placeholder="SHOP-77"
      />
      <Check isSelected={force} onChange={setForce}>
        {t('Also if more than 5 % of the tests are in quarantine then')}
      </Check>
    </ActionDialog>
  );
}
