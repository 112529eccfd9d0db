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

export type MetadataAction =
  { readonly kind: 'add' } | { readonly kind: 'rename' | 'merge' | 'delete'; readonly value: Named };

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
  const { kind, plural } = listing;
  const add = useWrite<readonly string[], { readonly total: number }>((given) => {
    if (kind === 'label') return call('add-labels', { projectId, labels: [...given] });
    if (kind === 'squad') return call('add-squads', { projectId, squads: [...given] });
    return call('add-classification', { projectId, kind, names: [...given] });
  });
  return (
    <ActionDialog
      title={`Add ${plural}`}
      action={`Add ${plural}`}
      onClose={onClose}
      form={form}
      isDisabled={names.length === 0}
      onConfirm={async () => {
        const { total } = await add.mutateAsync(names);
        say(`${countText(total, listing.singular, plural)} added, or there already.`);
      }}
    >
      <Field
        label="Names"
        note="One in each line. A name that exists is not added again."
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
      title={`Rename ${before}`}
      action={`Rename ${listing.singular}`}
      onClose={onClose}
      form={form}
      isDisabled={name.trim() === '' || name.trim() === before}
      onConfirm={async () => {
        await edit.mutateAsync({ projectId, kind: listing.kind, id, name });
        say(`${before} is now called ${name.trim()}.`);
      }}
    >
      <Field
        label="Name"
        note="The tests that have it keep it."
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
      title={`Merge ${name} into another`}
      action={`Merge ${listing.plural}`}
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
        say(`${kept} stands instead of ${name} in ${countText(count, 'test')}.`);
      }}
    >
      <Choice
        label={`The ${listing.singular} that stays`}
        options={(others.data?.values ?? [])
          .filter((other) => other.id !== id)
          .map((other) => ({ id: String(other.id), name: other.name }))}
        value={into}
        onChange={setInto}
      />
      {total > mostOffered && (
        <p className="note">
          The first {numberText(mostOffered)} of {countText(total, listing.singular, listing.plural)} are
          offered.
        </p>
      )}
      <Used projectId={projectId} listing={listing} id={id}>
        {(count) => `The other one replaces it in ${count}, and ${name} is removed. This cannot be undone.`}
      </Used>
    </ActionDialog>
  );
}

function DeleteDialog({ projectId, listing, value: { id, name }, onClose }: OneProps) {
  const remove = useChange('delete-metadata');
  return (
    <ActionDialog
      title={`Delete ${name}?`}
      action={`Delete ${listing.singular}`}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        const { count } = await remove.mutateAsync({ projectId, kind: listing.kind, id });
        say(`${name} was deleted from ${countText(count, 'test')}.`);
      }}
    >
      <Used projectId={projectId} listing={listing} id={id}>
        {(count) => `It is taken from ${count}, which stay. This cannot be undone.`}
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
  if (!used.data) return <p className="note">Counting the tests that have it…</p>;
  const { count, first } = used.data;
  return (
    <>
      <p role="status">{children(countText(count, 'test'))}</p>
      {first.length > 0 && (
        <ul className="note">
          {first.map(({ testId, testName }) => (
            <li key={testId}>{testName}</li>
          ))}
          {count > first.length && <li>and {count - first.length} more</li>}
        </ul>
      )}
    </>
  );
}
