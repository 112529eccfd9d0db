import { useState } from 'react';
import { call } from '../../api/call.ts';
import { mostOffered, useMetadataPage, type MetadataListing, type Named } from '../../api/metadata.ts';
import { messageOf, useChange, useTool, useWrite } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText, numberText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { namesIn } from '../../design/name-lines.ts';
import { manyText, oneText, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

export type MetadataAction =
  | { readonly kind: 'add' }
  | { readonly kind: 'rename' | 'merge' | 'delete'; readonly value: Named };

interface MetadataDialogProps {
  readonly projectId: number;
  readonly listing: MetadataListing;
  readonly action: MetadataAction;
  readonly onClose: () => void;
}

/** What is done with a list of names, or with one of it. */
export function MetadataDialog({ action, ...rest }: MetadataDialogProps) {
  switch (action.kind) {
    case 'add':
      return <AddDialog {...rest} />;
    case 'rename':
      return <RenameDialog {...rest} value={action.value} />;
    case 'merge':
      return <MergeDialog {...rest} value={action.value} />;
    case 'delete':
      return <DeleteDialog {...rest} value={action.value} />;
  }
}

type AddProps = Omit<MetadataDialogProps, 'action'>;
type OneProps = AddProps & { readonly value: Named };

function AddDialog({ projectId, listing, onClose }: AddProps) {
  const form = useTyped(`new-metadata:${projectId}:${listing.kind}`, () => ({ text: '' }));
  const { text } = form.typed;
  const names = [...namesIn(text)];
  const { kind, of } = listing;
  const plural = manyText(of);
  const add = useWrite<readonly string[], { readonly total: number }>((given) => {
    if (kind === 'label') return call('add-labels', { projectId, labels: [...given] });
    if (kind === 'squad') return call('add-squads', { projectId, squads: [...given] });
    return call('add-classification', { projectId, kind, names: [...given] });
  });
  return (
    <ActionDialog
      title={t('Add {plural}', { plural })}
      action={t('Add {plural}', { plural })}
      onClose={onClose}
      form={form}
      isDisabled={names.length === 0}
      onConfirm={async () => {
        const { total } = await add.mutateAsync(names);
        say(t('{count} added, or there already.', { count: countText(total, of.one, of.several) }));
      }}
    >
      <Field
        label={t('Names')}
        note={t('One in each line. A name that exists is not added again.')}
        {...form.field('text')}
        lines={5}
        autoFocus
      />
    </ActionDialog>
  );
}

function RenameDialog({ projectId, listing, value: { id, name: before }, onClose }: OneProps) {
  const edit = useChange('edit-metadata');
  const form = useTyped(`metadata:${listing.kind}:${id}`, () => ({ name: before }));
  const { name } = form.typed;
  return (
    <ActionDialog
      title={t('Rename {before}', { before })}
      action={t('Rename {singular}', { singular: oneText(listing.of) })}
      onClose={onClose}
      form={form}
      isDisabled={name.trim() === '' || name.trim() === before}
      onConfirm={async () => {
        await edit.mutateAsync({ projectId, kind: listing.kind, id, name });
        say(t('{before} is now called {name}.', { before, name: name.trim() }));
      }}
    >
      <Field
        label={t('Name')}
        note={t('The tests that have it keep it.')}
        {...form.field('name')}
        autoFocus
        maxLength={255}
      />
    </ActionDialog>
  );
}

function MergeDialog({ projectId, listing, value: { id, name }, onClose }: OneProps) {
  const merge = useChange('merge-metadata');
  const [into, setInto] = useState<string | null>(null);
  const others = useMetadataPage(listing, { projectId, limit: mostOffered, offset: 0 });
  const total = others.data?.total ?? 0;
  return (
    <ActionDialog
      title={t('Merge {name} into another', { name })}
      action={t('Merge {plural}', { plural: manyText(listing.of) })}
      kind="danger"
      onClose={onClose}
      isDisabled={into === null}
      onConfirm={async () => {
        const { count, into: kept } = await merge.mutateAsync({
          projectId,
          kind: listing.kind,
          fromId: id,
          intoId: Number(into),
        });
        say(
          t('{kept} stands instead of {name} in {tests}.', { kept, name, tests: countText(count, 'test') }),
        );
      }}
    >
      <Choice
        label={t('The {singular} that stays', { singular: oneText(listing.of) })}
        options={(others.data?.values ?? [])
          .filter((other) => other.id !== id)
          .map((other) => ({ id: String(other.id), name: other.name }))}
        value={into}
        onChange={setInto}
      />
      {total > mostOffered && (
        <p className="note">
          {t('The first {mostOffered} of {count} are offered.', {
            mostOffered: numberText(mostOffered),
            count: countText(total, listing.of.one, listing.of.several),
          })}
        </p>
      )}
      <Used projectId={projectId} listing={listing} id={id}>
        {(count) =>
          t('The other one replaces it in {count}, and {name} is removed. This cannot be undone.', {
            count,
            name,
          })
        }
      </Used>
    </ActionDialog>
  );
}

function DeleteDialog({ projectId, listing, value: { id, name }, onClose }: OneProps) {
  const remove = useChange('delete-metadata');
  return (
    <ActionDialog
      title={t('Delete {name}?', { name })}
      action={t('Delete {singular}', { singular: oneText(listing.of) })}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        const { count } = await remove.mutateAsync({ projectId, kind: listing.kind, id });
        say(t('{name} was deleted from {tests}.', { name, tests: countText(count, 'test') }));
      }}
    >
      <Used projectId={projectId} listing={listing} id={id}>
        {(count) => t('It is taken from {count}, which stay. This cannot be undone.', { count })}
      </Used>
    </ActionDialog>
  );
}

interface UsedProps extends Pick<AddProps, 'projectId' | 'listing'> {
  readonly id: number;
  /** @param count e.g. "12 tests". */
  readonly children: (count: string) => string;
}

/** How many tests have a name, and the first of them. */
function Used({ projectId, listing, id, children }: UsedProps) {
  const used = useTool('delete-metadata', { projectId, kind: listing.kind, id, dryRun: true });
  if (used.error) return <p className="field-error">{messageOf(used.error)}</p>;
  if (!used.data) return <p className="note">{t('Counting the tests that have it…')}</p>;
  const { count, first } = used.data;
  return (
    <>
      <p role="status">{children(countText(count, 'test'))}</p>
      {first.length > 0 && (
        <ul className="note">
          {first.map(({ testId, testName }) => (
            <li key={testId}>{testName}</li>
          ))}
          {count > first.length && <li>{nodes('and {count} more', { count: count - first.length })}</li>}
        </ul>
      )}
    </>
  );
}
