import { memo, useCallback, useRef, useState } from 'react';
import { useMe, useTool } from '../api/queries.ts';
import { usePeople } from '../api/people.ts';
import { ActionMenu } from '../design/menu.tsx';
import type { ShownView } from './shown-view.ts';
import { ViewDialog, type ViewDraft } from './view-dialog.tsx';
import { ViewList } from './view-list.tsx';
import { t } from '../texts/text.ts';

interface SavedViewsProps {
  readonly projectId: number;
  readonly surface: ShownView['surface'];
  /** The query of the page, with its section and its order. */
  readonly query: string;
  /** Whether the person may save for everybody. */
  readonly mayShare: boolean;
  readonly onApply: (query: string) => void;
}

/** Queries of the project under a name: chosen again, saved, changed and deleted. */
export function SavedViews({ onApply, ...props }: SavedViewsProps) {
  const latest = useRef(onApply);
  latest.current = onApply;
  const apply = useCallback((query: string) => latest.current(query), []);
  return <Views {...props} onApply={apply} />;
}

type Dialog = { readonly kind: 'list' } | { readonly kind: 'view'; readonly draft: ViewDraft };

/** Drawn again only when its own data differ: a page of a run is drawn at each key. */
const Views = memo(({ projectId, surface, query, mayShare, onApply }: SavedViewsProps) => {
  const found = useTool('list-views', { projectId, surface });
  const { nameOf } = usePeople();
  const me = useMe().data?.userId;
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const views = found.data?.views ?? [];
  const current = views.find((one) => one.query === query);
  const close = () => setDialog(null);
  const edit = (draft: ViewDraft) => setDialog({ kind: 'view', draft });
  const nameIn = ({ name, ownerId, shared }: ShownView) =>
    !shared
      ? name
      : ownerId === me
        ? t('{name} (shared)', { name })
        : t('{name} (by {ownerId})', { name, ownerId: nameOf(ownerId) });
  return (
    <>
      <ActionMenu
        label={t('saved views')}
        text={current === undefined ? t('Views') : current.name}
        actions={[
          ...views.map((view) => ({
            id: `view-${view.viewId}`,
            name: nameIn(view),
            isChosen: view === current,
            onAction: () => onApply(view.query),
          })),
          {
            id: 'save',
            name: query === '' ? t('Search first, then save the search here') : t('Save this search…'),
            isDisabled: query === '',
            onAction: () => edit({ view: undefined, query }),
          },
          ...(views.length === 0
            ? []
            : [
                {
                  id: 'list',
                  name: t('Change or delete views…'),
                  onAction: () => setDialog({ kind: 'list' }),
                },
              ]),
        ]}
      />
      {dialog?.kind === 'view' && (
        <ViewDialog
          key={dialog.draft.view?.viewId ?? 'new'}
          projectId={projectId}
          surface={surface}
          draft={dialog.draft}
          own={views.filter(({ ownerId }) => ownerId === me)}
          mayShare={mayShare}
          onClose={close}
        />
      )}
      {dialog?.kind === 'list' && (
        <ViewList
          projectId={projectId}
          views={views}
          onEdit={(view) => edit({ view, query: view.query })}
          onClose={close}
        />
      )}
    </>
  );
});
