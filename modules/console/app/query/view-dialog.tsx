import { call } from '../api/call.ts';
import { useChange } from '../api/queries.ts';
import { useTyped } from '../api/unsaved.ts';
import { ActionDialog } from '../design/dialog.tsx';
import { Check, Field } from '../design/fields.tsx';
import { say } from '../design/toast.tsx';
import type { ShownView } from './shown-view.ts';
import { t } from '../texts/text.ts';

export interface ViewDraft {
  /** Undefined: a new one. */
  readonly view: ShownView | undefined;
  readonly query: string;
}

interface ViewDialogProps {
  readonly projectId: number;
  readonly surface: ShownView['surface'];
  readonly draft: ViewDraft;
  /** The views of the person, by whose names a new one replaces them. */
  readonly own: readonly ShownView[];
  readonly mayShare: boolean;
  readonly onClose: () => void;
}

const longestName = 80;
const keyOf = (name: string): string => name.trim().toLowerCase();

/** Saves a query under a name, or changes what was saved. */
export function ViewDialog({ projectId, surface, draft, own, mayShare, onClose }: ViewDialogProps) {
  const { view } = draft;
  const form = useTyped(`view:${projectId}:${surface}:${view?.viewId ?? `new:${draft.query}`}`, () => ({
    name: view?.name ?? '',
    query: draft.query,
    shared: view?.shared ?? false,
  }));
  const { base, typed } = form;
  const { name, query, shared } = typed;
  const save = useChange('save-view');
  const replaced = own.find((one) => keyOf(one.name) === keyOf(name) && one.viewId !== view?.viewId);
  return (
    <ActionDialog
      title={view ? t('Change the view {name}', { name: view.name }) : t('Save this search')}
      action={view === undefined && replaced ? t('Replace the view') : t('Save view')}
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === '' || query.trim() === ''}
      onConfirm={async () => {
        if (!view) await save.mutateAsync({ projectId, surface, name, query, ...(mayShare && { shared }) });
        else {
          // Only what this person changed: somebody else may have changed the rest meanwhile. The tool takes both texts.
          const { views } = await call('list-views', { projectId, surface });
          const now = views.find(({ viewId }) => viewId === view.viewId) ?? base;
          await save.mutateAsync({
            projectId,
            surface,
            viewId: view.viewId,
            name: name === base.name ? now.name : name,
            query: query === base.query ? now.query : query,
            ...(shared !== base.shared && { shared }),
          });
        }
        say(t('The view {name} was saved.', { name: name.trim() }));
      }}
    >
      <Field
        label={t('Name')}
        {...form.field('name')}
        note={
          replaced === undefined
            ? t('e.g. Failing on my branch')
            : view === undefined
              ? t('You have a view of this name. It is replaced: {query}', { query: replaced.query })
              : t('You have another view of this name.')
        }
        autoFocus
        maxLength={longestName}
      />
      <Field label={t('Query')} {...form.field('query')} maxLength={2_000} lines={2} />
      {mayShare && (
        <Check isSelected={shared} onChange={(is) => form.type({ shared: is })}>
          {t('Everybody in the project sees it')}
        </Check>
      )}
    </ActionDialog>
  );
}
