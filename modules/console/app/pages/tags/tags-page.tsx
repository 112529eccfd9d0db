import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Listing } from '../../design/listing.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Alert, Empty } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useNewDialog } from '../../frame/router.tsx';
import { KillDialog, KillSwitches } from '../ctas/kill-switch.tsx';
import { TagCtas } from './tag-ctas.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { limitsText, relationText } from '../rule-editor/tag-words.ts';
import { useTenant } from '../tenant/tenant.tsx';
import { TenantPage } from '../tenant/tenant-page.tsx';
import '../ctas/ctas.css';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Tag = Output<'get-behaviour-tag'>;
type Saved = Output<'create-behaviour-tag'>;

interface Open {
  readonly kind: 'edit' | 'ctas' | 'kill' | 'delete';
  readonly tag: Tag;
}

/** The limits that CTAs share, and which CTAs hide each other. */
export default function TagsPage() {
  const [tenantId] = useTenant();
  const { page, pager } = usePaging();
  const list = useTool('list-behaviour-tags', { tenantId, ...page }, { keep: true });
  const mayWrite = useMay('member');
  const mayPublish = useMay('admin');
  const [isCreating, setCreating] = useNewDialog();
  const [open, setOpen] = useState<Open | null>(null);
  const [saved, setSaved] = useState<Saved | null>(null);
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('Create behaviour tag')}
    </Button>
  );
  const actionsOf = (tag: Tag) => {
    const item = (kind: Open['kind'], name: string, isDisabled = false) => ({
      id: kind,
      name,
      isDisabled,
      onAction: () => setOpen({ kind, tag }),
    });
    return [
      item('edit', t('Edit…')),
      item('ctas', t('CTAs under it…')),
      item('kill', tag.killedAt === null ? t('Hide its CTAs…') : t('Show its CTAs again…'), !mayPublish),
      item('delete', t('Delete…'), !mayPublish),
    ];
  };
  return (
    <TenantPage title={t('Behaviour tags')} list={list} actions={mayWrite && create}>
      <KillSwitches tenantId={tenantId} />
      {saved !== null && saved.warnings.length > 0 && <Warnings of={saved} onClose={() => setSaved(null)} />}
      <Listing
        of={list}
        label={t('Behaviour tags')}
        rowsOf={({ behaviourTags }) => behaviourTags}
        keyOf={({ behaviourTagName }) => behaviourTagName}
        columns={[
          {
            title: t('Behaviour tag'),
            cell: ({ behaviourTagName, killedAt }) => (
              <div className="cta-name">
                {behaviourTagName} {killedAt !== null && <span className="badge">{t('hidden')}</span>}
              </div>
            ),
          },
          { title: t('Limits'), cell: ({ exposureRule }) => limitsText(exposureRule) },
          { title: t('Relation'), cell: ({ ctaRelation }) => relationText(ctaRelation) },
          { title: t('Changed'), cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          {
            title: t('Actions'),
            hideTitle: true,
            cell: (tag) =>
              mayWrite && (
                <ActionMenu
                  small
                  label={t('Actions for {behaviourTagName}', { behaviourTagName: tag.behaviourTagName })}
                  actions={actionsOf(tag)}
                />
              ),
          },
        ]}
        names={noun('behaviour tag')}
        pager={pager}
        empty={
          <Empty title={t('No behaviour tag yet')}>
            <p>
              {t(
                'A behaviour tag has limits that several CTAs share, and says which of them hide each other.',
              )}
            </p>
            {mayWrite && create}
          </Empty>
        }
      />
      {isCreating && (
        <TagDialog tenantId={tenantId} tag={null} onClose={() => setCreating(false)} onSaved={setSaved} />
      )}
      {open && (
        <OpenDialog tenantId={tenantId} open={open} onClose={() => setOpen(null)} onSaved={setSaved} />
      )}
    </TenantPage>
  );
}

/** What may surprise about a tag that was stored. */
const Warnings = ({ of, onClose }: { readonly of: Saved; readonly onClose: () => void }) => (
  <Alert kind="warning">
    <div className="between">
      <strong>
        {nodes('{behaviourTagName} was saved, and may surprise:', { behaviourTagName: of.behaviourTagName })}
      </strong>
      <IconButton icon="close" label={t('Close the warnings')} onPress={onClose} />
    </div>
    <ul>
      {of.warnings.map(({ path, message }) => (
        <li key={path}>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  </Alert>
);

interface OpenDialogProps {
  readonly tenantId: string;
  readonly open: Open;
  readonly onClose: () => void;
  readonly onSaved: (saved: Saved) => void;
}

/** What is done with one tag. */
function OpenDialog({ tenantId, open: { kind, tag }, onClose, onSaved }: OpenDialogProps) {
  const { behaviourTagName, killedAt } = tag;
  switch (kind) {
    case 'edit':
      return <TagDialog tenantId={tenantId} tag={tag} onClose={onClose} onSaved={onSaved} />;
    case 'ctas':
      return <TagCtas tenantId={tenantId} behaviourTagName={behaviourTagName} onClose={onClose} />;
    case 'kill':
      return (
        <KillDialog
          tenantId={tenantId}
          change={{ tag: behaviourTagName, killed: killedAt === null }}
          onClose={onClose}
        />
      );
    case 'delete':
      return <DeleteTag tenantId={tenantId} name={behaviourTagName} onClose={onClose} />;
  }
}

interface DeleteTagProps {
  readonly tenantId: string;
  readonly name: string;
  readonly onClose: () => void;
}

function DeleteTag({ tenantId, name, onClose }: DeleteTagProps) {
  const remove = useChange('delete-behaviour-tag');
  return (
    <ActionDialog
      title={t('Delete {name}?', { name })}
      action={t('Delete behaviour tag')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ tenantId, behaviourTagName: name });
        say(t('The behaviour tag {name} was deleted.', { name }));
      }}
    >
      <p>
        {t(
          'Its limits and relations go with it. It cannot be deleted while a CTA under it has not ended. What users did counts again if a tag of this name is created.',
        )}
      </p>
    </ActionDialog>
  );
}
