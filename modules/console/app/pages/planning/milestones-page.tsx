import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Empty, Page } from '../../design/states.tsx';
import { ProgressBar } from '../../design/status.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useNewDialog } from '../../frame/router.tsx';
import { FollowButton } from '../letters/follow-button.tsx';
import { undoableOfMilestones, useUndo } from '../versions/test-undo.ts';
import { dueWords } from './due-words.ts';
import { noun, t } from '../../texts/text.ts';
import { MilestoneLink } from './milestone-link.tsx';
import { nodes } from '../../texts/text-nodes.ts';

type Milestone = Output<'get-milestones'>['milestones'][number];

/** The milestones of a project: how far each is, and by when. */
export default function MilestonesPage({ projectId }: { readonly projectId: number }) {
  const { page, pager } = usePaging();
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const milestones = useTool('get-milestones', { projectId, ...page }, { keep: true });
  const [isCreating, setCreating] = useNewDialog();
  const [closing, setClosing] = useState<Milestone | null>(null);
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('Create milestone')}
    </Button>
  );
  return (
    <Page
      title={t('Milestones')}
      actions={
        <>
          <FollowButton projectId={projectId} />
          {mayWrite && create}
        </>
      }
    >
      <Listing
        of={milestones}
        label={t('Milestones')}
        rowsOf={({ milestones: rows }) => rows}
        keyOf={({ milestoneId }) => milestoneId}
        columns={[
          {
            title: t('Milestone'),
            cell: ({ name, status, parentMilestoneId }) => (
              <>
                <MilestoneLink projectId={projectId} name={name} />{' '}
                {parentMilestoneId !== null && <span className="badge">{t('part')}</span>}{' '}
                {status === 'closed' && <span className="badge">{t('closed')}</span>}
              </>
            ),
          },
          { title: t('Progress'), cell: ({ progress }) => <ProgressBar counts={progress} /> },
          {
            title: t('Done'),
            isNumber: true,
            cell: ({ progress: { percentDone } }) => (percentDone === null ? '–' : `${percentDone} %`),
          },
          { title: t('Runs'), isNumber: true, cell: ({ progress }) => numberText(progress.runs) },
          {
            title: t('Due'),
            cell: ({ dueOn, status }) => (
              <>
                {dueOn ?? '–'}{' '}
                {status === 'open' && <span className="note">{dueWords(dueOn, Date.now())}</span>}
              </>
            ),
          },
          {
            title: t('Actions'),
            hideTitle: true,
            cell: (milestone) =>
              mayWrite && <MilestoneMenu milestone={milestone} onClosing={() => setClosing(milestone)} />,
          },
        ]}
        names={noun('milestone')}
        pager={pager}
        empty={
          <Empty title={t('No milestone yet')}>
            <p>{t('A milestone is a release, or anything else with a last day, to which runs belong.')}</p>
            {mayWrite && create}
          </Empty>
        }
      />
      {isCreating && <CreateMilestone projectId={projectId} onClose={() => setCreating(false)} />}
      {closing && <CloseMilestone milestone={closing} onClose={() => setClosing(null)} />}
    </Page>
  );
}

interface MenuProps {
  readonly milestone: Milestone;
  readonly onClosing: () => void;
}

function MilestoneMenu({ milestone: { projectId, milestoneId, name, status }, onClosing }: MenuProps) {
  const edit = useChange('edit-milestone');
  const { undo } = useUndo(projectId, undoableOfMilestones);
  const reopen = () =>
    edit.mutate(
      { projectId, milestoneId, status: 'open' },
      { onError: sayError, onSuccess: () => say(t('{name} is open again.', { name }), undo) },
    );
  const action =
    status === 'open'
      ? { id: 'close', name: t('Close…'), onAction: onClosing }
      : { id: 'open', name: t('Open again'), onAction: reopen };
  return <ActionMenu label={t('actions for {name}', { name })} actions={[action]} small />;
}

interface DialogProps {
  readonly onClose: () => void;
}

function CloseMilestone({ milestone, onClose }: DialogProps & { readonly milestone: Milestone }) {
  const close = useChange('close-milestone');
  const { projectId, milestoneId, name, progress } = milestone;
  const { undo } = useUndo(projectId, undoableOfMilestones);
  return (
    <ActionDialog
      title={t('Close {name}', { name })}
      action={t('Close milestone')}
      onClose={onClose}
      onConfirm={async () => {
        await close.mutateAsync({ projectId, milestoneId });
        say(t('{name} is closed.', { name }), undo);
      }}
    >
      <p>
        {nodes('No run can be added to it any more. {openRuns}', {
          openRuns:
            progress.openRuns > 0 &&
            t('{runsAre} not locked and will stay so.', {
              runsAre: countText(progress.openRuns, 'run is', 'runs are'),
            }),
        })}
      </p>
    </ActionDialog>
  );
}

const day = /^\d{4}-\d{2}-\d{2}$/;

function CreateMilestone({ projectId, onClose }: DialogProps & { readonly projectId: number }) {
  const form = useTyped(`new-milestone:${projectId}`, () => ({
    name: '',
    description: '',
    startOn: '',
    dueOn: '',
  }));
  const { name, description, startOn, dueOn } = form.typed;
  const create = useChange('create-milestone');
  const isDay = (text: string) => text === '' || day.test(text);
  return (
    <ActionDialog
      title={t('Create milestone')}
      action={t('Create milestone')}
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === '' || !isDay(startOn) || !isDay(dueOn)}
      onConfirm={() =>
        create.mutateAsync({
          projectId,
          name,
          ...(description.trim() === '' ? {} : { description }),
          ...(startOn === '' ? {} : { startOn }),
          ...(dueOn === '' ? {} : { dueOn }),
        })
      }
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field label={t('Description')} {...form.field('description')} lines={2} maxLength={20_000} />
      <Field label={t('First day')} {...form.field('startOn')} type="date" />
      <Field label={t('Last day')} {...form.field('dueOn')} type="date" />
    </ActionDialog>
  );
}
