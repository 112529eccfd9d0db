import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Pager } from '../../design/pager.tsx';
import { Alert, Answer, Empty, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { KillDialog, KillSwitches } from '../ctas/kill-switch.tsx';
import { TagCtas } from './tag-ctas.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { limitsText, relationText } from '../rule-editor/tag-words.ts';
import { isNoTenant, NoTenant, TenantChooser, useTenant } from '../tenant/tenant.tsx';
import '../ctas/ctas.css';

type Tag = Output<'get-behaviour-tag'>;

interface Open {
  readonly kind: 'edit' | 'ctas' | 'kill' | 'delete';
  readonly tag: Tag;
}

/** The limits that CTAs share, and which CTAs hide each other. */
export default function TagsPage() {
  const [tenantId] = useTenant();
  const { page, onOffset } = usePaging();
  const list = useTool('list-behaviour-tags', { tenantId, ...page }, { keep: true });
  const mayWrite = useMay('member');
  const mayPublish = useMay('admin');
  const [isCreating, setCreating] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const [saved, setSaved] = useState<Output<'create-behaviour-tag'> | null>(null);
  const isMissing = isNoTenant(list.error);
  const close = () => setOpen(null);
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      Create behaviour tag
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
      item('edit', 'Edit…'),
      item('ctas', 'CTAs under it…'),
      item('kill', tag.killedAt === null ? 'Hide its CTAs…' : 'Show its CTAs again…', !mayPublish),
      item('delete', 'Delete…', !mayPublish),
    ];
  };
  return (
    <Page
      title="Behaviour tags"
      actions={
        <>
          <TenantChooser />
          {mayWrite && !isMissing && create}
        </>
      }
    >
      {isMissing && !list.isFetching ? (
        <NoTenant />
      ) : (
        <>
          <KillSwitches tenantId={tenantId} />
          {saved !== null && saved.warnings.length > 0 && (
            <Alert kind="warning">
              <div className="between">
                <strong>{saved.behaviourTagName} was saved, and may surprise:</strong>
                <Button small kind="quiet" aria-label="Close the warnings" onPress={() => setSaved(null)}>
                  ✕
                </Button>
              </div>
              <ul>
                {saved.warnings.map(({ path, message }) => (
                  <li key={path}>
                    <code>{path}</code> {message}
                  </li>
                ))}
              </ul>
            </Alert>
          )}
          <Answer of={list}>
            {({ behaviourTags, total }) =>
              total === 0 ? (
                <Empty title="No behaviour tag yet">
                  <p>
                    A behaviour tag has limits that several CTAs share, and says which of them hide each
                    other.
                  </p>
                  {mayWrite && create}
                </Empty>
              ) : (
                <>
                  <div className="table-frame">
                    <table className="table">
                      <thead>
                        <tr>
                          <th scope="col">Behaviour tag</th>
                          <th scope="col">Limits</th>
                          <th scope="col">Relation</th>
                          <th scope="col">Changed</th>
                          <th scope="col">
                            <span className="hidden-visually">Actions</span>
                          </th>
                        </tr>
                      </thead>
                      <tbody>
                        {behaviourTags.map((tag) => (
                          <tr key={tag.behaviourTagName}>
                            <td className="cta-name">
                              {tag.behaviourTagName}{' '}
                              {tag.killedAt !== null && <span className="badge">hidden</span>}
                            </td>
                            <td>{limitsText(tag.exposureRule)}</td>
                            <td>{relationText(tag.ctaRelation)}</td>
                            <td>
                              <Time at={tag.updatedAt} />
                            </td>
                            <td>
                              {mayWrite && (
                                <ActionMenu
                                  small
                                  label={`Actions for ${tag.behaviourTagName}`}
                                  actions={actionsOf(tag)}
                                />
                              )}
                            </td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                  <Pager
                    total={total}
                    {...page}
                    of={['behaviour tag', 'behaviour tags']}
                    onOffset={onOffset}
                  />
                </>
              )
            }
          </Answer>
        </>
      )}
      {isCreating && (
        <TagDialog tenantId={tenantId} tag={null} onClose={() => setCreating(false)} onSaved={setSaved} />
      )}
      {open?.kind === 'edit' && (
        <TagDialog tenantId={tenantId} tag={open.tag} onClose={close} onSaved={setSaved} />
      )}
      {open?.kind === 'ctas' && (
        <TagCtas tenantId={tenantId} behaviourTagName={open.tag.behaviourTagName} onClose={close} />
      )}
      {open?.kind === 'kill' && (
        <KillDialog
          tenantId={tenantId}
          change={{ tag: open.tag.behaviourTagName, killed: open.tag.killedAt === null }}
          onClose={close}
        />
      )}
      {open?.kind === 'delete' && (
        <DeleteTag tenantId={tenantId} name={open.tag.behaviourTagName} onClose={close} />
      )}
    </Page>
  );
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
      title={`Delete ${name}?`}
      action="Delete behaviour tag"
      kind="danger"
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ tenantId, behaviourTagName: name });
        say(`The behaviour tag ${name} was deleted.`);
      }}
    >
      <p>
        Its limits and relations go with it. It cannot be deleted while a CTA under it has not ended. What
        users did counts again if a tag of this name is created.
      </p>
    </ActionDialog>
  );
}
