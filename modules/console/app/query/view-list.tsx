import { useNames } from '../api/people.ts';
import { useChange, useMe, useTool } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { say, sayError } from '../design/toast.tsx';
import { useMay } from '../frame/organizations.ts';
import type { ShownView } from './shown-view.ts';
import { t } from '../texts/text.ts';

interface ViewListProps {
  readonly projectId: number;
  readonly views: readonly ShownView[];
  readonly onEdit: (view: ShownView) => void;
  readonly onClose: () => void;
}

/** All views of a list, to change and to delete them. */
export function ViewList({ projectId, views, onEdit, onClose }: ViewListProps) {
  const me = useMe().data?.userId;
  const nameOf = useNames();
  const project = useTool('get-project-detail', { projectId });
  const administers = useMay('admin', project.data?.orgId);
  const remove = useChange('delete-view');
  const save = useChange('save-view');
  const removed = ({ viewId, surface, name, query, shared, ownerId }: ShownView) =>
    remove.mutate(
      { viewId },
      {
        onError: sayError,
        onSuccess: () =>
          say(t('The view {name} was deleted.', { name }), {
            name: ownerId === me ? t('Undo') : t('Save it as mine'),
            run: () => save.mutate({ projectId, surface, name, query, shared }, { onError: sayError }),
          }),
      },
    );
  return (
    <Dialog title={t('Saved views')} onClose={onClose} wide>
      {views.length === 0 ? (
        <p className="note">{t('No search is saved.')}</p>
      ) : (
        <ul className="view-list">
          {views.map((view) => {
            const isOwn = view.ownerId === me;
            return (
              <li key={view.viewId} className="row nowrap">
                <span className="grow stack tight">
                  <span>
                    <strong>{view.name}</strong>{' '}
                    <span className="note">
                      {view.shared
                        ? t('for everybody, saved by: {ownerId}', { ownerId: nameOf(view.ownerId) })
                        : t('only for you')}
                    </span>
                  </span>
                  <span className="mono note wrap">{view.query}</span>
                </span>
                {(isOwn || administers) && (
                  <>
                    <Button
                      small
                      onPress={() => onEdit(view)}
                      aria-label={t('Change the view {name}', { name: view.name })}
                    >
                      {t('Change')}
                    </Button>
                    <Button
                      small
                      aria-label={t('Delete the view {name}', { name: view.name })}
                      isDisabled={remove.isPending}
                      onPress={() => removed(view)}
                    >
                      {t('Delete')}
                    </Button>
                  </>
                )}
              </li>
            );
          })}
        </ul>
      )}
      <div className="row end">
        <Button onPress={onClose}>{t('Close')}</Button>
      </div>
    </Dialog>
  );
}
