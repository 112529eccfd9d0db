import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { limitsOf, typedOf, unitOptions, type TenantLimits } from './delivery-words.ts';

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
      title="Limits across all CTAs"
      action="Save limits"
      wide
      onClose={onClose}
      form={form}
      onConfirm={async () => {
        const global = limitsOf(typed);
        await set.mutateAsync({ tenantId, ...(global && { global }) });
        say(global ? 'The limits hold from the next launch on.' : 'There are no limits across CTAs now.');
      }}
    >
      <p className="note">
        A user at a limit gets no CTA until a later launch. Apps keep the CTAs that they have already.
      </p>
      <div className="delivery-fields">
        <Field
          label="CTAs in 24 hours at most"
          inputMode="numeric"
          {...form.field('perDay')}
          note="Empty: no limit."
        />
        <Field label="Gap between two" inputMode="numeric" {...form.field('gap')} note="Empty: none." />
        <Choice
          label="Unit of the gap"
          options={unitOptions}
          value={typed.unit}
          onChange={(unit) => type({ unit })}
        />
      </div>
      <div className="delivery-fields">
        <Field label="Quiet from" type="time" {...form.field('from')} />
        <Field label="Quiet until" type="time" {...form.field('to')} />
        <Field
          label="Time zone"
          note="Of users whose app names none. Others have their own."
          {...form.field('timeZone')}
          maxLength={64}
        />
      </div>
    </ActionDialog>
  );
}

const scopes = [
  { id: 'tenant', name: 'All CTAs of the tenant' },
  { id: 'named', name: 'Only CTAs whose experiment names it' },
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
    seed: `holdout-${crypto.randomUUID().slice(0, 8)}`,
    scope: 'tenant',
  }));
  const { name, percentage, seed, scope } = form.typed;
  return (
    <ActionDialog
      title="Create a holdout"
      action="Create holdout"
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
        say(`The holdout ${name.trim()} was created.`);
      }}
    >
      <Field label="Name" note="Letters, digits, - and _." {...form.field('name')} maxLength={64} autoFocus />
      <Field
        label="Percent of all users"
        note="At most 20."
        inputMode="decimal"
        {...form.field('percentage')}
      />
      <Choice
        label="What its users do not get"
        options={scopes}
        value={scope}
        onChange={(id) => form.type({ scope: id })}
      />
      <Field label="Seed" note="Decides who is in it." {...form.field('seed')} maxLength={64} />
      <p>
        From their next launch on, these users do not get {scope === 'tenant' ? 'any CTA' : 'these CTAs'}. The
        holdout cannot be changed, only deleted.
      </p>
    </ActionDialog>
  );
}
