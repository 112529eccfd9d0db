import { call } from '../../api/call.ts';
import { useChange } from '../../api/queries.ts';
import { randomWord } from '../../api/random-word.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { limitsOf, mergedLimits, typedOf, unitOptions, type TenantLimits } from './delivery-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface LimitsDialogProps {
  readonly tenantId: string;
  readonly limits: TenantLimits | null;
  readonly onClose: () => void;
}

/** The limits across all CTAs, all of them at once: empty fields are no limits. */
export function LimitsDialog({ tenantId, limits, onClose }: LimitsDialogProps) {
  const set = useChange('set-delivery-limits');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const form = useTyped(`delivery:${tenantId}`, () => typedOf(limits, zone));
  const { typed, type } = form;
  return (
    <ActionDialog
      title={t('Limits across all CTAs')}
      action={t('Save limits')}
      wide
      onClose={onClose}
      form={form}
      onConfirm={async () => {
        // Somebody else may have changed another limit since this was opened.
        const { global: stored } = await call('get-delivery-limits', { tenantId });
        const global = limitsOf(mergedLimits(form.base, typed, typedOf(stored, zone)));
        await set.mutateAsync({ tenantId, ...(global && { global }) });
        say(
          global ? t('The limits hold from the next launch on.') : t('There are no limits across CTAs now.'),
        );
      }}
    >
      <p className="note">
        {t('A user at a limit gets no CTA until a later launch. Apps keep the CTAs that they have already.')}
      </p>
      <div className="delivery-fields">
        <Field
          label={t('CTAs in 24 hours at most')}
          inputMode="numeric"
          {...form.field('perDay')}
          note={t('Empty: no limit.')}
        />
        <Field
          label={t('Gap between two')}
          inputMode="numeric"
          {...form.field('gap')}
          note={t('Empty: none.')}
        />
        <Choice
          label={t('Unit of the gap')}
          options={unitOptions}
          value={typed.unit}
          onChange={(unit) => type({ unit })}
        />
      </div>
      <div className="delivery-fields">
        <Field label={t('Quiet from')} type="time" {...form.field('from')} />
        <Field label={t('Quiet until')} type="time" {...form.field('to')} />
        <Field
          label={t('Time zone')}
          note={t('Of users whose app names none. Others have their own.')}
          {...form.field('timeZone')}
          maxLength={64}
        />
      </div>
    </ActionDialog>
  );
}

const scopes = [
  { id: 'tenant', name: t('All CTAs of the tenant') },
  { id: 'named', name: t('Only CTAs whose experiment names it') },
] as const;

interface CreateHoldoutProps {
  readonly tenantId: string;
  readonly onClose: () => void;
}

export function CreateHoldout({ tenantId, onClose }: CreateHoldoutProps) {
  const create = useChange('create-holdout');
  const form = useTyped(`holdout:${tenantId}`, () => ({
    name: '',
    percentage: '5',
    seed: `holdout-${randomWord(8)}`,
    scope: 'tenant',
  }));
  const { name, percentage, seed, scope } = form.typed;
  return (
    <ActionDialog
      title={t('Create a holdout')}
      action={t('Create holdout')}
      onClose={onClose}
      form={form}
      isDisabled={name.trim() === ''}
      onConfirm={async () => {
        await create.mutateAsync({
          tenantId,
          name: name.trim(),
          percentage: Number(percentage.replace(',', '.')),
          seed: seed.trim(),
          scope: scopes.find(({ id }) => id === scope)?.id ?? 'tenant',
        });
        say(t('The holdout {name} was created.', { name: name.trim() }));
      }}
    >
      <Field
        label={t('Name')}
        note={t('Letters, digits, - and _.')}
        {...form.field('name')}
        maxLength={64}
        autoFocus
      />
      <Field
        label={t('Percent of all users')}
        note={t('At most 20.')}
        inputMode="decimal"
        {...form.field('percentage')}
      />
      <Choice
        label={t('What its users do not get')}
        options={scopes}
        value={scope}
        onChange={(id) => form.type({ scope: id })}
      />
      <Field label={t('Seed')} note={t('Decides who is in it.')} {...form.field('seed')} maxLength={64} />
      <p>
        {nodes(
          'From their next launch on, these users do not get {ctas}. The holdout cannot be changed, only deleted.',
          { ctas: scope === 'tenant' ? t('any CTA') : t('these CTAs') },
        )}
      </p>
    </ActionDialog>
  );
}
