import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Alert, Empty } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { say } from '../../design/toast.tsx';
import { namesIn } from '../../design/name-lines.ts';
import { mergedValues } from './group-values.ts';
import { t } from '../../texts/text.ts';

type Group = Output<'get-configuration-groups'>['groups'][number];

interface ConfigurationPanelProps {
  readonly projectId: number;
  readonly groups: readonly Group[];
  readonly mayWrite: boolean;
}

/** In what the tests are run: groups of values, of which a plan combines those of each group. */
export function ConfigurationPanel({ projectId, groups, mayWrite }: ConfigurationPanelProps) {
  const [open, setOpen] = useState<'new' | Group | null>(null);
  const [deleting, setDeleting] = useState<Group | null>(null);
  const add = <Button onPress={() => setOpen('new')}>{t('Add a group')}</Button>;
  return (
    <div className="stack">
      {groups.length === 0 ? (
        <Empty title={t('No configuration yet')}>
          <p>
            {t('A group is what differs, such as the browser, and has values, such as Chrome and Firefox.')}
          </p>
          {mayWrite && add}
        </Empty>
      ) : (
        <Table
          label={t('Configurations')}
          rows={groups}
          keyOf={({ groupId }) => groupId}
          columns={[
            { title: t('Group'), cell: ({ name }) => name },
            { title: t('Values'), cell: ({ values }) => values.map(({ name }) => name).join(', ') },
            {
              title: t('Actions'),
              hideTitle: true,
              cell: (group) =>
                mayWrite && (
                  <div className="row nowrap end">
                    <Button
                      small
                      aria-label={t('Edit {name}', { name: group.name })}
                      onPress={() => setOpen(group)}
                    >
                      {t('Edit')}
                    </Button>
                    <Button
                      small
                      aria-label={t('Delete {name}', { name: group.name })}
                      onPress={() => setDeleting(group)}
                    >
                      {t('Delete')}
                    </Button>
                  </div>
                ),
            },
          ]}
        />
      )}
      {mayWrite && groups.length > 0 && <div>{add}</div>}
      {open !== null && (
        <GroupDialog
          projectId={projectId}
          group={open === 'new' ? undefined : open}
          onClose={() => setOpen(null)}
        />
      )}
      {deleting && <DeleteGroup projectId={projectId} group={deleting} onClose={() => setDeleting(null)} />}
    </div>
  );
}

interface GroupDialogProps {
  readonly projectId: number;
  /** Undefined: a new one. */
  readonly group: Group | undefined;
  readonly onClose: () => void;
}

function GroupDialog({ projectId, group, onClose }: GroupDialogProps) {
  const stored = group?.values ?? [];
  const form = useTyped(`configurations:${projectId}:${group?.groupId ?? 'new'}`, () => ({
    name: group?.name ?? '',
    values: stored.map(({ valueId, name }) => ({ valueId, name })),
    lines: '',
  }));
  const { base, typed } = form;
  const { name, values, lines } = typed;
  const added = namesIn(lines);
  const create = useChange('create-configuration-group');
  const edit = useChange('edit-configuration-group');
  // A value that has its id keeps its runs, whatever its name.
  const valuesNow = async (groupId: number) => {
    const { groups } = await call('get-configuration-groups', { projectId });
    const now = groups.find((one) => one.groupId === groupId)?.values ?? [];
    return mergedValues(base.values, values, now);
  };
  const removed = stored.filter(({ valueId }) => !values.some((kept) => kept.valueId === valueId));
  return (
    <ActionDialog
      title={group ? t('Edit {name}', { name: group.name }) : t('Add a group')}
      action={group ? t('Save group') : t('Add group')}
      form={form}
      onClose={onClose}
      isDisabled={
        name.trim() === '' ||
        values.some((value) => value.name.trim() === '') ||
        values.length + added.length === 0 ||
        (group !== undefined && !form.isDirty)
      }
      onConfirm={async () => {
        if (!group) return create.mutateAsync({ projectId, name, values: [...added] });
        const { groupId } = group;
        const isSame = JSON.stringify(values) === JSON.stringify(base.values) && added.length === 0;
        // Only what this person changed: somebody else may have changed the rest meanwhile.
        return edit.mutateAsync({
          projectId,
          groupId,
          ...(name !== base.name && { name }),
          ...(!isSame && {
            values: [...(await valuesNow(groupId)), ...added.map((value) => ({ name: value }))],
          }),
        });
      }}
    >
      <Field label={t('Name')} {...form.field('name')} note={t('e.g. Browser')} autoFocus maxLength={255} />
      {values.map((value, index) => (
        <div key={value.valueId} className="row nowrap end">
          <div className="grow">
            <Field
              label={t('Value {index}', { index: index + 1 })}
              value={value.name}
              onChange={(text) => form.type({ values: values.with(index, { ...value, name: text }) })}
              maxLength={255}
            />
          </div>
          <IconButton
            icon="close"
            label={t('Remove {name}', { name: value.name })}
            onPress={() => form.type({ values: values.toSpliced(index, 1) })}
          />
        </div>
      ))}
      <Field
        label={group ? t('More values') : t('Values')}
        {...form.field('lines')}
        note={t('One in each line.')}
        lines={group ? 2 : 5}
      />
      {removed.length > 0 && (
        <Alert kind="warning">
          {t('Runs will no longer say that they were for {names}. This cannot be undone.', {
            names: removed.map((value) => value.name).join(', '),
          })}
        </Alert>
      )}
    </ActionDialog>
  );
}

function DeleteGroup({ projectId, group, onClose }: GroupDialogProps & { readonly group: Group }) {
  const remove = useChange('delete-configuration-group');
  return (
    <ActionDialog
      title={t('Delete {name}?', { name: group.name })}
      action={t('Delete group')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ projectId, groupId: group.groupId });
        say(t('{name} was deleted.', { name: group.name }));
      }}
    >
      <p>{t('Runs stay, and no longer say for which of its values they were.')}</p>
    </ActionDialog>
  );
}
