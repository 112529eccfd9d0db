import { useState } from 'react';
import { cohortKinds } from '../../../../cta/rules/cohort.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Answer, Empty, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useAddress } from '../../frame/router.tsx';
import { CohortDialog } from './cohort-dialog.tsx';
import { CohortUsers } from './cohort-users.tsx';
import { countSentence, kindWords, membersText } from '../rule-editor/cohort-words.ts';
import { isNoTenant, NoTenant, TenantChooser, useTenant } from '../tenant/tenant.tsx';
import '../ctas/ctas.css';

type Cohort = Output<'get-cohort'>;
/** A tenant has at most as many cohorts. */
const most = 500;

interface Open {
  readonly kind: 'change' | 'add' | 'remove' | 'delete';
  readonly cohort: Cohort;
}

/** The groups of users that rules can name. */
export default function CohortsPage() {
  const [tenantId] = useTenant();
  const [address, change] = useAddress();
  const list = useTool('list-cohorts', { tenantId, limit: most });
  const mayWrite = useMay('member');
  const mayPublish = useMay('admin');
  const [isCreating, setCreating] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const kind = cohortKinds.find((one) => one === address.get('kind'));
  const isMissing = isNoTenant(list.error);
  const cohorts = list.data?.cohorts ?? [];
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      Create cohort
    </Button>
  );
  const close = () => setOpen(null);
  return (
    <Page
      title="Cohorts"
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
        <Answer of={list}>
          {({ total }) =>
            total === 0 ? (
              <Empty title="No cohort yet">
                <p>
                  A cohort is a group of users that get a CTA, or never get it: a list of ids, a percentage of
                  all, or by their attributes.
                </p>
                {mayWrite && create}
              </Empty>
            ) : (
              <>
                <nav className="row" aria-label="Kind">
                  {[undefined, ...cohortKinds].map((one) => (
                    <button
                      key={one ?? ''}
                      type="button"
                      className="cta-filter"
                      aria-pressed={kind === one}
                      onClick={() => change({ kind: one ?? null })}
                    >
                      {one === undefined ? 'All' : kindWords[one]}{' '}
                      <span className="number">
                        {cohorts.filter((cohort) => one === undefined || cohort.kind === one).length}
                      </span>
                    </button>
                  ))}
                </nav>
                <div className="table-frame">
                  <table className="table">
                    <thead>
                      <tr>
                        <th scope="col">Cohort</th>
                        <th scope="col">Kind</th>
                        <th scope="col">Who</th>
                        <th scope="col">Known users in it</th>
                        <th scope="col">Changed</th>
                        <th scope="col">
                          <span className="hidden-visually">Actions</span>
                        </th>
                      </tr>
                    </thead>
                    <tbody>
                      {cohorts
                        .filter((cohort) => kind === undefined || cohort.kind === kind)
                        .map((cohort) => (
                          <tr key={cohort.cohortName}>
                            <td className="cta-name">
                              {cohort.cohortName}
                              {cohort.description !== '' && <p className="note">{cohort.description}</p>}
                            </td>
                            <td>{kindWords[cohort.kind]}</td>
                            <td>{membersText(cohort)}</td>
                            <td>
                              <CohortCount tenantId={tenantId} cohortName={cohort.cohortName} />
                            </td>
                            <td>
                              <Time at={cohort.updatedAt} />
                            </td>
                            <td>
                              {mayWrite && (
                                <ActionMenu
                                  small
                                  label={`Actions for ${cohort.cohortName}`}
                                  actions={[
                                    {
                                      id: 'change',
                                      name: 'Change…',
                                      onAction: () => setOpen({ kind: 'change', cohort }),
                                    },
                                    ...(cohort.kind === 'list'
                                      ? [
                                          {
                                            id: 'add',
                                            name: 'Add users…',
                                            onAction: () => setOpen({ kind: 'add', cohort }),
                                          },
                                          {
                                            id: 'remove',
                                            name: 'Remove users…',
                                            onAction: () => setOpen({ kind: 'remove', cohort }),
                                          },
                                        ]
                                      : []),
                                    {
                                      id: 'delete',
                                      name: 'Delete…',
                                      isDisabled: !mayPublish,
                                      onAction: () => setOpen({ kind: 'delete', cohort }),
                                    },
                                  ]}
                                />
                              )}
                            </td>
                          </tr>
                        ))}
                    </tbody>
                  </table>
                </div>
                <p className="note" role="status">
                  {total} {total === 1 ? 'cohort' : 'cohorts'}
                </p>
              </>
            )
          }
        </Answer>
      )}
      {isCreating && (
        <CohortDialog
          tenantId={tenantId}
          cohort={null}
          onClose={() => setCreating(false)}
          onSaved={() => change({ kind: null })}
        />
      )}
      {open?.kind === 'change' && (
        <CohortDialog tenantId={tenantId} cohort={open.cohort} onClose={close} onSaved={() => undefined} />
      )}
      {(open?.kind === 'add' || open?.kind === 'remove') && (
        <CohortUsers
          tenantId={tenantId}
          cohortName={open.cohort.cohortName}
          kind={open.kind}
          onClose={close}
        />
      )}
      {open?.kind === 'delete' && <DeleteCohort tenantId={tenantId} cohort={open.cohort} onClose={close} />}
    </Page>
  );
}

/** Counts when it is asked: the server reads the known users for it. */
function CohortCount({ tenantId, cohortName }: { readonly tenantId: string; readonly cohortName: string }) {
  const [isAsked, setAsked] = useState(false);
  const count = useTool('count-cohort-users', { tenantId, cohortName }, { enabled: isAsked });
  if (!isAsked)
    return (
      <Button small aria-label={`Count ${cohortName}`} onPress={() => setAsked(true)}>
        Count
      </Button>
    );
  if (count.error) return <span className="field-error">{messageOf(count.error)}</span>;
  return <span role="status">{count.data ? countSentence(count.data) : 'Counting…'}</span>;
}

interface DeleteCohortProps {
  readonly tenantId: string;
  readonly cohort: Cohort;
  readonly onClose: () => void;
}

function DeleteCohort({ tenantId, cohort, onClose }: DeleteCohortProps) {
  const remove = useChange('delete-cohort');
  const { cohortName, kind } = cohort;
  return (
    <ActionDialog
      title={`Delete ${cohortName}?`}
      action="Delete cohort"
      kind="danger"
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ tenantId, cohortName });
        say(`The cohort ${cohortName} was deleted.`);
      }}
    >
      <p>
        {kind === 'list' ? `Its list of ${membersText(cohort)} goes with it. ` : ''}This cannot be undone. A
        cohort that a CTA names cannot be deleted while the CTA has not ended.
      </p>
    </ActionDialog>
  );
}
