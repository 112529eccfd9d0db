import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { undoableOfMilestones, useUndo } from '../versions/test-undo.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';
import { MilestoneChoice } from './milestone-choice.tsx';

export type ListedMilestone = Output<'get-milestones'>['milestones'][number];

interface DialogProps {
  readonly onClose: () => void;
}

interface OfMilestone extends DialogProps {
  readonly milestone: ListedMilestone;
}

export function CloseMilestone({ milestone, onClose }: OfMilestone) {
  const close = useChange('close-milestone');
  const { projectId, milestoneId, name, progress } = milestone;
  const { undoButton } = useUndo(projectId, undoableOfMilestones);
  return (
    <ActionDialog
      title={t('Close {name}', { name })}
      action={t('Close milestone')}
      onClose={onClose}
      onConfirm={async () => {
        await close.mutateAsync({ projectId, milestoneId });
        say(t('{name} is closed.', { name }), undoButton());
      }}
    >
      <p>
        {nodes('No run can be added to it any more. {openRuns}', {
          openRuns:
            progress.openRuns > 0 &&
            t('{runsAre} not locked and will stay so.', {
              runsAre: countText(progress.openRuns, 'run is', 'runs are'),
            }),
        })}
      </p>
    </ActionDialog>
  );
}

export function DeleteMilestone({ milestone: { projectId, milestoneId, name }, onClose }: OfMilestone) {
  const remove = useChange('delete-milestone');
  const { undoButton } = useUndo(projectId, undoableOfMilestones);
  return (
    <ActionDialog
      title={t('Delete {name}?', { name })}
      action={t('Delete milestone')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ projectId, milestoneId });
        say(t('{name} was deleted.', { name }), undoButton());
      }}
    >
      <p>{t('Its runs, plans and parts stay, without it.')}</p>
    </ActionDialog>
  );
}

const day = /^\d{4}-\d{2}-\d{2}$/;

interface MilestoneFormProps extends DialogProps {
  readonly projectId: number;
  /** Undefined: a new one. */
  readonly milestone?: ListedMilestone | undefined;
}

/** A new milestone, or what is to change in one. */
export function MilestoneForm({ projectId, milestone, onClose }: MilestoneFormProps) {
  const form = useTyped(
    milestone ? `milestone:${milestone.milestoneId}` : `new-milestone:${projectId}`,
    () => ({
      name: milestone?.name ?? '',
      description: milestone?.description ?? '',
      startOn: milestone?.startOn ?? '',
      dueOn: milestone?.dueOn ?? '',
      parent: milestone?.parentMilestoneId ? String(milestone.parentMilestoneId) : '',
    }),
  );
  const { base, typed } = form;
  const create = useChange('create-milestone');
  const edit = useChange('edit-milestone');
  const { undoButton } = useUndo(projectId, undoableOfMilestones);
  const isDay = (text: string) => text === '' || day.test(text);
  const { name, description, startOn, dueOn, parent } = typed;
  const store = async () => {
    if (!milestone) {
      await create.mutateAsync({
        projectId,
        name,
        ...(description.trim() === '' ? {} : { description }),
        ...(startOn === '' ? {} : { startOn }),
        ...(dueOn === '' ? {} : { dueOn }),
        ...(parent === '' ? {} : { parentMilestoneId: Number(parent) }),
      });
      return;
    }
    // Only what this person changed: somebody else may have changed the rest meanwhile.
    await edit.mutateAsync({
      projectId,
      milestoneId: milestone.milestoneId,
      ...(name !== base.name && { name }),
      ...(description !== base.description && {
        description: description.trim() === '' ? null : description,
      }),
      ...(startOn !== base.startOn && { startOn: startOn === '' ? null : startOn }),
      ...(dueOn !== base.dueOn && { dueOn: dueOn === '' ? null : dueOn }),
      ...(parent !== base.parent && { parentMilestoneId: parent === '' ? null : Number(parent) }),
    });
    say(t('{name} is saved.', { name }), undoButton());
  };
  return (
    <ActionDialog
      title={milestone ? t('Edit {name}', { name: milestone.name }) : t('Create milestone')}
      action={milestone ? t('Save milestone') : t('Create milestone')}
      form={form}
      onClose={onClose}
      isDisabled={
        name.trim() === '' || !isDay(startOn) || !isDay(dueOn) || (milestone !== undefined && !form.isDirty)
      }
      onConfirm={store}
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field label={t('Description')} {...form.field('description')} lines={2} maxLength={20_000} />
      <Field label={t('First day')} {...form.field('startOn')} type="date" />
      <Field label={t('Last day')} {...form.field('dueOn')} type="date" />
      <MilestoneChoice
        projectId={projectId}
        label={t('Part of')}
        value={parent}
        onChange={(one) => form.type({ parent: one })}
        {...(milestone && { except: milestone.milestoneId })}
      />
    </ActionDialog>
  );
}
