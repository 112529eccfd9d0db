import { useState } from 'react';
import type { Input } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { t } from '../../texts/text.ts';

interface GoalChoiceProps {
  readonly ctaId: string;
  /** Empty: the oldest goal. */
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** What counts as a success: one of the goals of the CTA. */
export function GoalChoice({ ctaId, value, onChange }: GoalChoiceProps) {
  const goals = useTool('list-cta-goals', { ctaId }).data?.goals ?? [];
  const mayWrite = useMay('member');
  const [isDefining, setDefining] = useState(false);
  const [first] = goals;
  return (
    <>
      <Choice
        label={t('Goal')}
        options={
          first === undefined
            ? [{ id: '', name: t('Conversions that the app reports') }]
            : goals.map(({ name }) => ({ id: name, name }))
        }
        value={value === '' ? (first?.name ?? '') : value}
        onChange={onChange}
      />
      {mayWrite && <Button onPress={() => setDefining(true)}>{t('Define goal…')}</Button>}
      {isDefining && (
        <DefineGoal ctaId={ctaId} onClose={() => setDefining(false)} onDefined={(name) => onChange(name)} />
      )}
    </>
  );
}

interface DefineGoalProps {
  readonly ctaId: string;
  readonly onClose: () => void;
  readonly onDefined: (name: string) => void;
}

const kinds = [
  { id: 'event', name: t('The app reports an event') },
  { id: 'state', name: t('A user arrives in a state of the CTA') },
] as const;

function DefineGoal({ ctaId, onClose, onDefined }: DefineGoalProps) {
  const define = useChange('define-cta-goal');
  const form = useTyped(`goal:${ctaId}`, () => ({ name: '', kind: 'event', of: '', windowHours: '168' }));
  const { name, kind, of, windowHours } = form.typed;
  const on: Input<'define-cta-goal'>['on'] = kind === 'state' ? { state: of.trim() } : { event: of.trim() };
  return (
    <ActionDialog
      title={t('Define a goal')}
      action={t('Define goal')}
      onClose={onClose}
      form={form}
      isDisabled={name.trim() === '' || of.trim() === ''}
      onConfirm={async () => {
        const made = await define.mutateAsync({ ctaId, name, on, windowHours: Number(windowHours) });
        onDefined(made.name);
        const [warning] = made.warnings;
        say(warning?.message ?? t('The goal {name} was defined.', { name: made.name }));
      }}
    >
      <Field label={t('Name')} {...form.field('name')} maxLength={255} autoFocus />
      <Choice
        label={t('A user converts when')}
        options={kinds}
        value={kind}
        onChange={(id) => form.type({ kind: id })}
      />
      <Field
        label={kind === 'state' ? t('State') : t('Name of the event')}
        {...form.field('of')}
        maxLength={256}
      />
      <Field
        label={t('Within hours')}
        note={t(
          'After the first time that the user met the CTA, 1 to 720. What is stored already counts, too.',
        )}
        inputMode="numeric"
        {...form.field('windowHours')}
      />
    </ActionDialog>
  );
}
