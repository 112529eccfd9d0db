import { fieldKinds, type FieldKind, type FieldOwner } from '../../../../testmgmt/rules/field-value.ts';
import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { namesIn } from '../../design/name-lines.ts';
import { keyOfName, kindNames } from './field-words.ts';
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
  const { name, key, of, kind, lines, required } = form.typed;
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
      isDisabled={name.trim() === '' || chosenKey === '' || (hasOptions && options.length === 0)}
      onConfirm={() => {
        const changed = {
          name,
          ...(hasOptions && { options: [...options] }),
          ...(of === 'test' && { required }),
        };
        return field
          ? edit.mutateAsync({ projectId, key: field.key, ...changed })
          : create.mutateAsync({ projectId, key: chosenKey, of, kind, ...changed });
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
