import { useState } from 'react';
import { cohortKinds, type CohortKind } from '../../../../cta/rules/cohort.ts';
import type { Input, Output } from '../../api/calls.ts';
import { call, Refusal } from '../../api/call.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { isSame } from '../rule-editor/cta-document.ts';
import { kindWords, typedPercentage } from '../rule-editor/cohort-words.ts';
import { FilterForm } from '../rule-editor/filter-form.tsx';
import type { Json } from '../rule-editor/json-path.ts';
import '../ctas/cta.css';
import { t } from '../../texts/text.ts';

const kindNotes: Readonly<Record<CohortKind, string>> = {
  list: t('The users that you add, by their ids.'),
  percentage: t('A stable part of all users. When the percentage grows, its users stay in it.'),
  attributes: t('The users whose attributes, as your servers stored them, pass the conditions.'),
};

interface CohortDialogProps {
  readonly tenantId: string;
  /** The one to change; null: a new one. */
  readonly cohort: Output<'get-cohort'> | null;
  readonly onClose: () => void;
  readonly onSaved?: () => void;
}

interface CohortForm {
  readonly cohortName: string;
  readonly description: string;
  readonly kind: CohortKind;
  readonly percentage: string;
  readonly seed: string;
  readonly filters: unknown;
}

const formOf = (cohort: Output<'get-cohort'> | null): CohortForm => ({
  cohortName: cohort?.cohortName ?? '',
  description: cohort?.description ?? '',
  kind: cohort?.kind ?? 'list',
  percentage: String(cohort?.percentage ?? 10),
  seed: cohort?.seed ?? '',
  filters: cohort?.filters,
});

const sentFields = ['description', 'percentage', 'filters'] as const;
type SentField = (typeof sentFields)[number];

/** Not as JSON: the members of conditions may come in another order. */
const isEqual = (one: CohortForm, other: CohortForm, field: SentField): boolean =>
  isSame(one[field], other[field]);

const fieldText = (field: SentField, { percentage }: CohortForm): string =>
  ({
    description: t('Description'),
    percentage: t('Percent of all users: {percentage} now', { percentage }),
    filters: t('Conditions'),
  })[field];

/** A new cohort, or another definition of one. Its kind and its seed stay. */
export function CohortDialog({ tenantId, cohort, onClose, onSaved }: CohortDialogProps) {
  const create = useChange('create-cohort');
  const update = useChange('update-cohort');
  const form = useTyped(`cohort:${tenantId}:${cohort?.cohortName ?? ''}`, () => formOf(cohort));
  const { cohortName, description, kind, percentage, seed, filters } = form.typed;
  const [fault, setFault] = useState<{ readonly path: string; readonly message: string } | null>(null);
  const isWrong = kind === 'percentage' && Number.isNaN(typedPercentage(percentage));
  // Only what this person changed: somebody else may have changed the rest meanwhile.
  const isSent = (field: SentField) => cohort === null || !isEqual(form.typed, form.base, field);
  /** @throws Error if somebody else has changed what this person changed. The next attempt replaces it. */
  const requireSeen = async () => {
    const now = formOf(await call('get-cohort', { tenantId, cohortName }));
    const both = sentFields.filter((field) => isSent(field) && !isEqual(now, form.base, field));
    if (both.length === 0) return;
    const mine = Object.fromEntries(sentFields.filter(isSent).map((field) => [field, form.typed[field]]));
    form.begin(now);
    form.type(mine);
    throw new Error(
      t('Somebody else has changed this meanwhile: {fields}. Save again to replace it with yours.', {
        fields: both.map((field) => fieldText(field, now)).join(', '),
      }),
    );
  };
  const definition = {
    ...(kind === 'percentage' && isSent('percentage') && { percentage: typedPercentage(percentage) }),
    ...(kind === 'attributes' &&
      filters !== undefined &&
      isSent('filters') && { filters: filters as Filters }),
  };
  return (
    <ActionDialog
      title={
        cohort === null ? t('Create cohort') : t('Change {cohortName}', { cohortName: cohort.cohortName })
      }
      action={cohort === null ? t('Create cohort') : t('Save cohort')}
      wide
      onClose={onClose}
      form={form}
      isDisabled={cohortName.trim() === '' || isWrong || (cohort !== null && !form.isDirty)}
      onConfirm={async () => {
        setFault(null);
        const given = {
          tenantId,
          cohortName: cohortName.trim(),
          ...(isSent('description') && { description }),
          ...definition,
        };
        try {
          if (cohort !== null) {
            await requireSeen();
            await update.mutateAsync(given);
          } else
            await create.mutateAsync({
              ...given,
              kind,
              ...(kind === 'percentage' && seed.trim() !== '' ? { seed: seed.trim() } : {}),
            });
        } catch (error) {
          if (error instanceof Refusal && error.causeWord !== undefined)
            setFault({ path: error.causeWord, message: messageOf(error) });
          throw error;
        }
        say(
          cohort === null
            ? t('The cohort {name} was created.', { name: given.cohortName })
            : t('The cohort {name} was changed.', { name: given.cohortName }),
        );
        onSaved?.();
      }}
    >
      {cohort === null && (
        <>
          <Field
            label={t('Name')}
            note={t('As rules name it in cohortEligibility. It cannot be changed later.')}
            {...form.field('cohortName')}
            maxLength={256}
            autoFocus
          />
          <Choice
            label={t('Kind')}
            options={cohortKinds.map((id) => ({ id, name: kindWords[id] }))}
            value={kind}
            onChange={(id) => form.type({ kind: cohortKinds.find((one) => one === id) ?? kind })}
          />
        </>
      )}
      <p className="note">{kindNotes[kind]}</p>
      {kind === 'percentage' && (
        <div className="columns">
          <Field
            label={t('Percent of all users')}
            inputMode="decimal"
            {...form.field('percentage')}
            error={isWrong ? t('must be a number from 0 to 100, in steps of 0.01') : undefined}
          />
          {cohort === null && (
            <Field
              label={t('Seed')}
              note={t('Cohorts of one seed choose the same users first. Empty: the name.')}
              {...form.field('seed')}
            />
          )}
        </div>
      )}
      {kind === 'attributes' && (
        <FilterForm
          value={filters}
          onChange={(value: Json | undefined) => form.type({ filters: value })}
          path="filters"
          faultAt={(path) => (fault?.path === path ? fault.message : undefined)}
          isReadOnly={false}
        />
      )}
      <Field label={t('Description')} {...form.field('description')} lines={2} maxLength={20_000} />
    </ActionDialog>
  );
}

type Filters = NonNullable<Input<'update-cohort'>['filters']>;
