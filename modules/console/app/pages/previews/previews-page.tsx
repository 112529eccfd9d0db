import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useNames } from '../../api/people.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Pager } from '../../design/pager.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useAddress, useNewDialog } from '../../frame/router.tsx';
import { PhoneFrame } from '../rule-editor/phone-frame.tsx';
import { PreviewDialog } from './preview-dialog.tsx';
import { PreviewLink } from './preview-link.tsx';
import { firstTenant } from '../tenant/tenant-memory.ts';
import { useTenant } from '../tenant/tenant.tsx';
import { TenantPage } from '../tenant/tenant-page.tsx';
import '../ctas/ctas.css';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Preview = Output<'get-nudge-preview'>;

/** Templates that apps fetch by an id, to look at them on a device before a CTA uses them. */
export default function PreviewsPage() {
  const [tenantId] = useTenant();
  const [address, change] = useAddress();
  const { page, pager } = usePaging();
  const list = useTool('list-nudge-previews', { tenantId, ...page }, { keep: true });
  const mayWrite = useMay('member');
  const nameOf = useNames();
  const shown = address.get('preview');
  const [isCreating, setCreating] = useNewDialog();
  const [dialog, setDialog] = useState<{ readonly kind: 'edit' | 'delete'; readonly of: Preview } | null>(
    null,
  );
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('Create preview')}
    </Button>
  );
  return (
    <TenantPage title={t('Previews')} list={list} actions={mayWrite && create}>
      <Answer of={list}>
        {({ previews, total }) =>
          total === 0 ? (
            <Empty title={t('No preview yet')}>
              <p>
                {t('A preview shows a template on a device before a CTA uses it. Apps fetch it by its id.')}
              </p>
              {mayWrite && create}
            </Empty>
          ) : (
            <div className="phone-beside">
              <div className="stack">
                <Table
                  label={t('Previews')}
                  rows={previews}
                  keyOf={({ id }) => id}
                  isCurrent={({ id }) => id === shown}
                  columns={[
                    {
                      title: t('Id'),
                      cell: ({ id }) => (
                        <Button small kind="quiet" onPress={() => change({ preview: id })}>
                          <span className="mono cut preview-id">{id}</span>
                        </Button>
                      ),
                    },
                    { title: t('Created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
                    { title: t('By'), cell: ({ createdBy }) => nameOf(createdBy) },
                    {
                      title: t('Expires'),
                      cell: ({ expiresAt }) => (expiresAt === null ? t('Never') : <Time at={expiresAt} />),
                    },
                  ]}
                />
                <Pager total={total} of={noun('preview')} {...pager} />
              </div>
              {shown === null ? (
                <p className="note">{t('Choose a preview to see it.')}</p>
              ) : (
                <ShownPreview
                  tenantId={tenantId}
                  id={shown}
                  mayWrite={mayWrite}
                  onAct={(kind, of) => setDialog({ kind, of })}
                />
              )}
            </div>
          )
        }
      </Answer>
      {isCreating && (
        <PreviewDialog
          tenantId={tenantId}
          preview={null}
          onClose={() => setCreating(false)}
          onSaved={(id) => change({ preview: id })}
        />
      )}
      {dialog?.kind === 'edit' && (
        <PreviewDialog
          tenantId={tenantId}
          preview={dialog.of}
          onClose={() => setDialog(null)}
          onSaved={(id) => change({ preview: id })}
        />
      )}
      {dialog?.kind === 'delete' && (
        <DeletePreview
          tenantId={tenantId}
          id={dialog.of.id}
          onClose={() => setDialog(null)}
          onDeleted={() => change({ preview: null })}
        />
      )}
    </TenantPage>
  );
}

interface ShownPreviewProps {
  readonly tenantId: string;
  readonly id: string;
  readonly mayWrite: boolean;
  readonly onAct: (kind: 'edit' | 'delete', preview: Preview) => void;
}

function ShownPreview({ tenantId, id, mayWrite, onAct }: ShownPreviewProps) {
  const preview = useTool('get-nudge-preview', { tenantId, id });
  const address = <code>{`${location.origin}/cta/nudge/preview/${id}`}</code>;
  return (
    <Answer of={preview}>
      {(one) => (
        <div className="stack">
          <PhoneFrame template={one.template} />
          <p className="note preview-address">
            {tenantId === firstTenant
              ? nodes('An app fetches it from {address}', { address })
              : nodes('An app fetches it from {address} with the header {header}', {
                  address,
                  header: <code>{`x-tenant-id: ${tenantId}`}</code>,
                })}
          </p>
          <PreviewLink id={one.id} />
          {mayWrite && (
            <div className="row">
              <Button small onPress={() => onAct('edit', one)}>
                {t('Edit')}
              </Button>
              <Button small onPress={() => onAct('delete', one)}>
                {t('Delete…')}
              </Button>
            </div>
          )}
        </div>
      )}
    </Answer>
  );
}

interface DeletePreviewProps {
  readonly tenantId: string;
  readonly id: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeletePreview({ tenantId, id, onClose, onDeleted }: DeletePreviewProps) {
  const remove = useChange('delete-nudge-preview');
  return (
    <ActionDialog
      title={t('Delete preview {id}?', { id })}
      action={t('Delete preview')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ tenantId, id });
        onDeleted();
        say(t('The preview was deleted.'));
      }}
    >
      <p>{t('Apps get nothing for its id any more. This cannot be undone.')}</p>
    </ActionDialog>
  );
}
