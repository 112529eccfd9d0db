import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { useUndo } from '../versions/test-undo.ts';
import { mayMove } from './section-tree.ts';
import { t } from '../../texts/text.ts';

export type SectionAction =
  | { readonly kind: 'add'; readonly parentId: number | null; readonly parentName: string | null }
  | { readonly kind: 'rename' | 'move' | 'delete'; readonly id: number; readonly name: string };

interface SectionDialogProps {
  readonly projectId: number;
  readonly sections: Output<'get-sections'>['sections'];
  readonly action: SectionAction | null;
  readonly onClose: () => void;
  readonly onDeleted: (id: number) => void;
  readonly onMove: (id: number, parentId: number | null) => void;
}

/** The dialogs for what can be done with a section. */
export function SectionDialog({ action, ...rest }: SectionDialogProps) {
  if (action === null) return null;
  switch (action.kind) {
    case 'add':
      return <NameDialog {...rest} action={action} />;
    case 'rename':
      return <NameDialog {...rest} action={action} />;
    case 'move':
      return <MoveDialog {...rest} action={action} />;
    case 'delete':
      return <DeleteDialog {...rest} action={action} />;
  }
}

type Of<Kind extends SectionAction['kind']> = Omit<SectionDialogProps, 'action'> & {
  readonly action: Extract<SectionAction, { readonly kind: Kind }>;
};

function NameDialog({ projectId, action, onClose }: Of<'add' | 'rename' | 'move' | 'delete'>) {
  const add = useChange('add-section');
  const rename = useChange('edit-section');
  const form = useTyped(
    action.kind === 'add' ? `new-section:${projectId}:${action.parentId}` : `section:${action.id}`,
    () => ({ name: action.kind === 'add' ? '' : action.name }),
  );
  const { name } = form.typed;
  const title =
    action.kind !== 'add'
      ? t('Rename {name}', { name: action.name })
      : action.parentName === null
        ? t('New section')
        : t('New section below {parentName}', { parentName: action.parentName });
  const word = action.kind === 'add' ? t('Create section') : t('Rename section');
  return (
    <ActionDialog
      title={title}
      action={word}
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === ''}
      onConfirm={() =>
        action.kind === 'add'
          ? add.mutateAsync({
              projectId,
              sectionName: name,
              ...(action.parentId === null ? {} : { parentSectionId: action.parentId }),
            })
          : rename.mutateAsync({ sectionId: action.id, sectionName: name })
      }
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
    </ActionDialog>
  );
}

function MoveDialog({ action: { id, name }, sections, onClose, onMove }: Of<'rename' | 'move' | 'delete'>) {
  const places = [
    ...(mayMove(sections, id, null) ? [{ id: 'top', name: t('The top') }] : []),
    ...sections
      .filter(({ sectionId }) => mayMove(sections, id, sectionId))
      .map(({ sectionId, sectionPath }) => ({ id: String(sectionId), name: sectionPath.join(' > ') })),
  ];
  const [place, setPlace] = useState<string | null>(null);
  return (
    <ActionDialog
      title={t('Move {name}', { name })}
      action={t('Move section')}
      onClose={onClose}
      isDisabled={place === null}
      onConfirm={async () => onMove(id, place === 'top' ? null : Number(place))}
    >
      <Choice label={t('Below')} options={places} value={place} onChange={setPlace} />
    </ActionDialog>
  );
}

function DeleteDialog({
  projectId,
  action: { id, name },
  onClose,
  onDeleted,
}: Of<'rename' | 'move' | 'delete'>) {
  const remove = useChange('delete-section');
  const { undoButton } = useUndo(projectId);
  const taken = useTool('delete-section', { sectionId: id, withContents: true, dryRun: true });
  return (
    <ActionDialog
      title={t('Delete {name}?', { name })}
      action={t('Delete section')}
      kind="danger"
      onClose={onClose}
      isDisabled={taken.isPending}
      onConfirm={async () => {
        // What somebody has put into an empty section meanwhile does not go with it unasked.
        const withContents = taken.data === undefined || !isEmpty(taken.data);
        const { tests = 0 } = await remove.mutateAsync({ sectionId: id, withContents });
        onDeleted(id);
        say(deletedText(name, tests), undoButton());
      }}
    >
      <p>
        {taken.data
          ? takenText(taken.data)
          : taken.error
            ? messageOf(taken.error)
            : t('Counting what is in it…')}
      </p>
    </ActionDialog>
  );
}

interface Taken {
  /** With the section itself. */
  readonly sections?: number;
  readonly tests?: number;
}

const isEmpty = ({ sections = 1, tests = 0 }: Taken): boolean => tests === 0 && sections <= 1;

const deletedText = (name: string, tests: number): string =>
  tests === 0
    ? t('{name} was deleted.', { name })
    : t('{name} was deleted, with {tests}.', { name, tests: countText(tests, 'test') });

const takenText = ({ sections = 1, tests = 0 }: Taken): string =>
  isEmpty({ sections, tests })
    ? t('It is empty.')
    : t(
        'With it go {sections} below it and {tests}. To bring all of it back, use Undo or, later, the activity of the project. The tests alone are found with is:deleted.',
        { sections: countText(Math.max(0, sections - 1), 'section'), tests: countText(tests, 'test') },
      );
