import { useState } from 'react';
import { useChange, useTool } from '../../api/queries.ts';
import { numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Listing } from '../../design/listing.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Empty, Page } from '../../design/states.tsx';
import { ProgressBar } from '../../design/status.tsx';
import { dayText } from '../../design/time.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useNewDialog } from '../../frame/router.tsx';
import { FollowButton } from '../letters/follow-button.tsx';
import { undoableOfMilestones, useUndo } from '../versions/test-undo.ts';
import { dueWords } from './due-words.ts';
import { noun, t } from '../../texts/text.ts';
import {
  CloseMilestone,
  DeleteMilestone,
  MilestoneForm,
  type ListedMilestone,
} from './milestone-dialogs.tsx';
import { MilestoneLink } from './milestone-link.tsx';

/** What a dialog is open for. */
interface Asked {
  readonly action: 'edit' | 'close' | 'delete';
  readonly milestone: ListedMilestone;
}

/** The milestones of a project: how far each is, and by when. */
export default function MilestonesPage({ projectId }: { readonly projectId: number }) {
  const { page, pager } = usePaging();
  const project = useTool('get-project-detail', { projectId });
  const mayWrite = useMay('member', project.data?.orgId) && project.data?.isActive !== false;
  const milestones = useTool('get-milestones', { projectId, ...page }, { keep: true });
  const [isCreating, setCreating] = useNewDialog();
  const [asked, setAsked] = useState<Asked | null>(null);
  const onClose = () => setAsked(null);
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
                {dueOn ? dayText(dueOn) : '–'}{' '}
                {status === 'open' && <span className="note">{dueWords(dueOn, Date.now())}</span>}
              </>
            ),
          },
          {
            title: t('Actions'),
            hideTitle: true,
            cell: (milestone) =>
              mayWrite && (
                <MilestoneMenu milestone={milestone} onAsk={(action) => setAsked({ action, milestone })} />
              ),
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
      {isCreating && <MilestoneForm projectId={projectId} onClose={() => setCreating(false)} />}
      {asked?.action === 'edit' && <MilestoneForm {...{ projectId, onClose }} milestone={asked.milestone} />}
      {asked?.action === 'close' && <CloseMilestone milestone={asked.milestone} onClose={onClose} />}
      {asked?.action === 'delete' && <DeleteMilestone milestone={asked.milestone} onClose={onClose} />}
    </Page>
  );
}

interface MenuProps {
  readonly milestone: ListedMilestone;
  readonly onAsk: (action: Asked['action']) => void;
}

function MilestoneMenu({ milestone: { projectId, milestoneId, name, status }, onAsk }: MenuProps) {
  const edit = useChange('edit-milestone');
  const { undoButton } = useUndo(projectId, undoableOfMilestones);
  const reopen = () =>
    edit.mutate(
      { projectId, milestoneId, status: 'open' },
      { onError: sayError, onSuccess: () => say(t('{name} is open again.', { name }), undoButton()) },
    );
  const actions = [
    ...(status === 'open'
      ? [
          { id: 'edit', name: t('Edit…'), onAction: () => onAsk('edit') },
          { id: 'close', name: t('Close…'), onAction: () => onAsk('close') },
        ]
      : [{ id: 'open', name: t('Open again'), onAction: reopen }]),
    { id: 'delete', name: t('Delete…'), onAction: () => onAsk('delete') },
  ];
  return <ActionMenu label={t('actions for {name}', { name })} actions={actions} small />;
}
