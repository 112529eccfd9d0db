import { useState } from 'react';
import { cohortKinds } from '../../../../cta/rules/cohort.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useAddress, useNewDialog } from '../../frame/router.tsx';
import { CohortDialog } from './cohort-dialog.tsx';
import { CohortUsers } from './cohort-users.tsx';
import { countSentence, kindWords, membersText } from '../rule-editor/cohort-words.ts';
import { useTenant } from '../tenant/tenant.tsx';
import { TenantPage } from '../tenant/tenant-page.tsx';
import '../ctas/ctas.css';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

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
  const [isCreating, setCreating] = useNewDialog();
  const [open, setOpen] = useState<Open | null>(null);
  const kind = cohortKinds.find((one) => one === address.get('kind'));
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('Create cohort')}
    </Button>
  );
  return (
    <TenantPage title={t('Cohorts')} list={list} actions={mayWrite && create}>
      <Answer of={list}>
        {({ cohorts, total }) =>
          total === 0 ? (
            <Empty title={t('No cohort yet')}>
              <p>
                {t(
                  'A cohort is a group of users that get a CTA, or never get it: a list of ids, a percentage of all, or by their attributes.',
                )}
              </p>
              {mayWrite && create}
            </Empty>
          ) : (
            <>
              <nav className="row" aria-label={t('Kind')}>
                {[undefined, ...cohortKinds].map((one) => (
                  <button
                    key={one ?? ''}
                    type="button"
                    className="cta-filter"
                    aria-pressed={kind === one}
                    onClick={() => change({ kind: one ?? null })}
                  >
                    {one === undefined ? t('All') : kindWords[one]}{' '}
                    <span className="number">
                      {cohorts.filter((cohort) => one === undefined || cohort.kind === one).length}
                    </span>
                  </button>
                ))}
              </nav>
              <CohortTable
                tenantId={tenantId}
                cohorts={cohorts.filter((cohort) => kind === undefined || cohort.kind === kind)}
                onOpen={setOpen}
              />
              <p className="note" role="status">
                {countText(total, 'cohort')}
              </p>
            </>
          )
        }
      </Answer>
      {isCreating && (
        <CohortDialog
          tenantId={tenantId}
          cohort={null}
          onClose={() => setCreating(false)}
          onSaved={() => change({ kind: null })}
        />
      )}
      {open && <OpenDialog tenantId={tenantId} open={open} onClose={() => setOpen(null)} />}
    </TenantPage>
  );
}

interface CohortTableProps {
  readonly tenantId: string;
  readonly cohorts: readonly Cohort[];
  readonly onOpen: (open: Open) => void;
}

function CohortTable({ tenantId, cohorts, onOpen }: CohortTableProps) {
  const mayWrite = useMay('member');
  const mayPublish = useMay('admin');
  const actionsOf = (cohort: Cohort) => {
    const action = (kind: Open['kind'], name: string, isDisabled = false) => ({
      id: kind,
      name,
      isDisabled,
      onAction: () => onOpen({ kind, cohort }),
    });
    return [
      action('change', t('Change…')),
      ...(cohort.kind === 'list'
        ? [action('add', t('Add users…')), action('remove', t('Remove users…'))]
        : []),
      action('delete', t('Delete…'), !mayPublish),
    ];
  };
  return (
    <Table
      label={t('Cohorts')}
      rows={cohorts}
      keyOf={({ cohortName }) => cohortName}
      columns={[
        {
          title: t('Cohort'),
          cell: ({ cohortName, description }) => (
            <div className="cta-name">
              {cohortName}
              {description !== '' && <p className="note">{description}</p>}
            </div>
          ),
        },
        { title: t('Kind'), cell: ({ kind }) => kindWords[kind] },
        { title: t('Who'), cell: membersText },
        {
          title: t('Known users in it'),
          cell: ({ cohortName }) => <CohortCount tenantId={tenantId} cohortName={cohortName} />,
        },
        { title: t('Changed'), cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        {
          title: t('Actions'),
          hideTitle: true,
          cell: (cohort) =>
            mayWrite && (
              <ActionMenu
                small
                label={t('Actions for {cohortName}', { cohortName: cohort.cohortName })}
                actions={actionsOf(cohort)}
              />
            ),
        },
      ]}
    />
  );
}

interface OpenDialogProps {
  readonly tenantId: string;
  readonly open: Open;
  readonly onClose: () => void;
}

/** What is done with one cohort. */
function OpenDialog({ tenantId, open: { kind, cohort }, onClose }: OpenDialogProps) {
  const shared = { tenantId, cohort, onClose };
  if (kind === 'change') return <CohortDialog {...shared} />;
  if (kind === 'delete') return <DeleteCohort {...shared} />;
  return <CohortUsers tenantId={tenantId} cohortName={cohort.cohortName} kind={kind} onClose={onClose} />;
}

/** Counts when it is asked: the server reads the known users for it. */
function CohortCount({ tenantId, cohortName }: { readonly tenantId: string; readonly cohortName: string }) {
  const [isAsked, setAsked] = useState(false);
  const count = useTool('count-cohort-users', { tenantId, cohortName }, { enabled: isAsked });
  if (!isAsked)
    return (
      <Button small aria-label={t('Count {cohortName}', { cohortName })} onPress={() => setAsked(true)}>
        {t('Count')}
      </Button>
    );
  if (count.error) return <span className="field-error">{messageOf(count.error)}</span>;
  return <span role="status">{count.data ? countSentence(count.data) : t('Counting…')}</span>;
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
      title={t('Delete {cohortName}?', { cohortName })}
      action={t('Delete cohort')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ tenantId, cohortName });
        say(t('The cohort {cohortName} was deleted.', { cohortName }));
      }}
    >
      <p>
        {nodes(
          '{consequence}This cannot be undone. A cohort that a CTA names cannot be deleted while the CTA has not ended.',
          {
            consequence:
              kind === 'list'
                ? t('Its list of {cohort} goes with it. ', { cohort: membersText(cohort) })
                : '',
          },
        )}
      </p>
    </ActionDialog>
  );
}
