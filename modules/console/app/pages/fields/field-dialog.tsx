import { keyOfName } from '../../../../testmgmt/rules/field-key.ts';
import { fieldKinds, type FieldKind, type FieldOwner } from '../../../../testmgmt/rules/field-value.ts';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { mergedNames, namesIn } from '../../design/name-lines.ts';
import { kindNames } from './field-words.ts';
import { t } from '../../texts/text.ts';

export type ProjectField = Output<'list-fields'>['fields'][number];

interface FieldDialogProps {
  readonly projectId: number;
  /** Undefined: a new one. */
  readonly field: ProjectField | undefined;
  readonly onClose: () => void;
}

const owners = [
  { id: 'test', name: t('Tests') },
  { id: 'result', name: t('Results') },
] as const;

/** Makes a field of the project, or changes it. Its key, kind and owner stay. */
export function FieldDialog({ projectId, field, onClose }: FieldDialogProps) {
  const form = useTyped(`field:${projectId}:${field?.key ?? 'new'}`, () => ({
    name: field?.name ?? '',
    key: field?.key ?? '',
    of: (field?.of ?? 'test') as FieldOwner,
    kind: (field?.kind ?? 'text') as FieldKind,
    lines: (field?.options ?? []).join('\n'),
    required: field?.required ?? false,
  }));
  const { base, typed } = form;
  const { name, key, of, kind, lines, required } = typed;
  const hasOptions = kind === 'choice' || kind === 'choices';
  const options = namesIn(lines);
  const chosenKey = key.trim() === '' ? keyOfName(name) : key.trim();
  const create = useChange('create-field');
  const edit = useChange('edit-field');
  return (
    <ActionDialog
      title={field ? t('Edit {name}', { name: field.name }) : t('Add a field')}
      action={field ? t('Save field') : t('Add field')}
      form={form}
      onClose={onClose}
      isDisabled={
        name.trim() === '' ||
        chosenKey === '' ||
        (hasOptions && options.length === 0) ||
        (field !== undefined && !form.isDirty)
      }
      onConfirm={async () => {
        if (!field) {
          const optional = {
            ...(hasOptions && { options: [...options] }),
            ...(of === 'test' && { required }),
          };
          return create.mutateAsync({ projectId, key: chosenKey, of, kind, name, ...optional });
        }
        // Only what this person changed: somebody else may have changed the rest meanwhile.
        return edit.mutateAsync({
          projectId,
          key: field.key,
          ...(name !== base.name && { name }),
          ...(lines !== base.lines && {
            options: await optionsNow(projectId, field.key, base.lines, options),
          }),
          ...(required !== base.required && { required }),
        });
      }}
    >
      <Field label={t('Name')} {...form.field('name')} note={t('e.g. Browser')} autoFocus maxLength={255} />
      {!field && (
        <>
          <Field
            label={t('Word in searches')}
            {...form.field('key')}
            placeholder={keyOfName(name)}
            note={t('Search with cf.{key}:value. It cannot be changed later.', {
              key: chosenKey === '' ? 'browser' : chosenKey,
            })}
            maxLength={32}
          />
          <Choice
            label={t('For')}
            options={owners}
            value={of}
            onChange={(id) => form.type({ of: id as FieldOwner })}
          />
          <Choice
            label={t('Kind')}
            options={fieldKinds.map((id) => ({ id, name: kindNames[id] }))}
            value={kind}
            onChange={(id) => form.type({ kind: id as FieldKind })}
          />
        </>
      )}
      {hasOptions && (
        <Field
          label={t('Options')}
          {...form.field('lines')}
          note={t('One in each line, in order.')}
          lines={5}
        />
      )}
      {of === 'test' && (
        <Check isSelected={required} onChange={(isOn) => form.type({ required: isOn })}>
          {t('Every new test needs it')}
        </Check>
      )}
    </ActionDialog>
  );
}

/** The options that a person typed, joined with those that somebody else has stored since the dialog was opened. */
async function optionsNow(projectId: number, key: string, read: string, typed: readonly string[]) {
  const { fields } = await call('list-fields', { projectId });
  const now = fields.find((field) => field.key === key)?.options ?? [];
  return [...mergedNames(namesIn(read), typed, now)];
}

export function DeleteField({
  projectId,
  field,
  onClose,
}: FieldDialogProps & { readonly field: ProjectField }) {
  const remove = useChange('delete-field');
  return (
    <ActionDialog
      title={t('Delete {name}?', { name: field.name })}
      action={t('Delete field')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ projectId, key: field.key });
        say(t('{name} was deleted.', { name: field.name }));
      }}
    >
      <p>
        {t(
          'Pages, searches and exports no longer show its values. A new field with the same word and kind has them again.',
        )}
      </p>
    </ActionDialog>
  );
}
