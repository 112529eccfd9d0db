import { useState } from 'react';
import { useLocation } from 'wouter';
import { call, download } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText, doneText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { withTerm } from '../../query/query-terms.ts';
import { CreateRun, EditRun } from './run-form.tsx';
import { RunShare } from './run-share.tsx';
import type { RunTest } from './run-tests.ts';
import { t } from '../../texts/text.ts';

interface RunActionsProps {
  readonly run: Output<'run-detail'>;
  readonly mayWrite: boolean;
  readonly selected: RunTest | undefined;
  /** The set of tests in the run has changed. */
  readonly onChanged: () => void;
  readonly onKeys: () => void;
}

type Dialog = 'again' | 'failed again' | 'edit' | 'lock' | 'reset' | 'add' | 'remove' | 'delete';

/** Everything that can be done with a run besides executing it. */
export function RunActions({ run, mayWrite, selected, onChanged, onKeys }: RunActionsProps) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [isSharing, setSharing] = useState(false);
  const mayUnlock = useMay('admin');
  const { projectId, runId, runName, status } = run;
  // Also in an inactive project: whoever has a link reads its reports, until somebody ends the link.
  const mayShare = useMay('member', useTool('get-project-detail', { projectId }).data?.orgId);
  const isLocked = status === 'locked';
  const ids = { projectId, runId };
  const unlock = useChange('unlock-run');
  const report = async (format: 'html' | 'pdf') => {
    try {
      await download('download-report', { ...ids, format });
    } catch (error) {
      sayError(error);
    }
  };
  const results = async (format: 'junit' | 'ctrf') => {
    try {
      await download('download-results', { ...ids, format });
    } catch (error) {
      sayError(error);
    }
  };
  const open = (name: Dialog) => () => setDialog(name);
  const again = [
    { id: 'again', name: t('Run again…'), onAction: open('again') },
    {
      id: 'failed again',
      name: t('Run what failed again…'),
      isDisabled: run.counts.failed === 0,
      onAction: open('failed again'),
    },
  ];
  const writes = isLocked
    ? mayUnlock
      ? [
          {
            id: 'unlock',
            name: t('Unlock'),
            onAction: () =>
              unlock.mutate(ids, { onError: sayError, onSuccess: () => say(t('The run is unlocked.')) }),
          },
        ]
      : []
    : [
        { id: 'edit', name: t('Edit…'), onAction: open('edit') },
        { id: 'add', name: t('Add tests…'), onAction: open('add') },
        {
          id: 'remove',
          name: t('Remove the selected test…'),
          isDisabled: !selected,
          onAction: open('remove'),
        },
        { id: 'lock', name: t('Lock…'), onAction: open('lock') },
        { id: 'reset', name: t('Reset…'), onAction: open('reset') },
        { id: 'delete', name: t('Delete…'), onAction: open('delete') },
      ];
  return (
    <>
      <ActionMenu
        label={t('report of the run')}
        text={t('Report')}
        actions={[
          ...(mayShare ? [{ id: 'share', name: t('Share…'), onAction: () => setSharing(true) }] : []),
          { id: 'html', name: t('Report as a page (HTML)'), onAction: () => void report('html') },
          { id: 'pdf', name: t('Report as PDF'), onAction: () => void report('pdf') },
          { id: 'junit', name: t('Results as JUnit XML'), onAction: () => void results('junit') },
          { id: 'ctrf', name: t('Results as CTRF'), onAction: () => void results('ctrf') },
        ]}
      />
      <ActionMenu
        label={t('actions for the run')}
        text={t('More')}
        actions={[
          { id: 'keys', name: t('Keys (?)'), onAction: onKeys },
          ...(mayWrite ? [...again, ...writes] : []),
        ]}
      />
      {isSharing && <RunShare {...ids} mayMake={mayWrite} onClose={() => setSharing(false)} />}
      {dialog !== null && (
        <RunDialog
          dialog={dialog}
          run={run}
          runName={runName}
          selected={selected}
          onChanged={onChanged}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
}

interface RunDialogProps extends Pick<RunActionsProps, 'run' | 'selected' | 'onChanged'> {
  readonly dialog: Dialog;
  readonly runName: string;
  readonly onClose: () => void;
}

function RunDialog({ dialog, run, runName, selected, onChanged, onClose }: RunDialogProps) {
  const form = useTyped(`run:${run.runId}:${dialog}`, () => ({ query: '' }));
  const { query } = form.typed;
  const ids = { projectId: run.projectId, runId: run.runId };
  const lock = useChange('run-lock');
  const reset = useChange('run-reset');
  const add = useChange('add-tests-to-run');
  const remove = useChange('run-remove-tests');
  const shared = { onClose, form };
  switch (dialog) {
    case 'again':
    case 'failed again':
      return (
        <CreateRun
          projectId={run.projectId}
          repeats={{ run, tests: dialog === 'again' ? 'all' : 'failed' }}
          onClose={onClose}
        />
      );
    case 'edit':
      return <EditRun run={run} onClose={onClose} />;
    case 'lock':
      return (
        <ActionDialog
          {...shared}
          title={t('Lock {runName}?', { runName })}
          action={t('Lock run')}
          onConfirm={() => lock.mutateAsync(ids)}
        >
          <p>{t('Its results are final then. Only an administrator can unlock it.')}</p>
        </ActionDialog>
      );
    case 'reset':
      return (
        <ActionDialog
          {...shared}
          title={t('Reset {runName}?', { runName })}
          action={t('Reset run')}
          kind="danger"
          onConfirm={async () => {
            await reset.mutateAsync(ids);
            onChanged();
            say(t('{runName} was reset: all of its tests are to be tested again.', { runName }));
          }}
        >
          <p>
            {t('{tests} will be set to retest. Comments and the history stay. This cannot be undone.', {
              tests: countText(run.counts.total, 'test'),
            })}
          </p>
        </ActionDialog>
      );
    case 'add':
      return (
        <ActionDialog
          {...shared}
          title={t('Add tests')}
          action={t('Add tests')}
          isDisabled={query.trim() === ''}
          onConfirm={async () => {
            const testIds = await chosenIds(run.projectId, withTerm(query, `not-in-run:${run.runId}`));
            if (testIds.length === 0)
              throw new Error(t('The query chooses no test that is not in the run already.'));
            await add.mutateAsync({ ...ids, testIds });
            onChanged();
            say(`${doneText(testIds.length, 'test', 'added')}.`);
          }}
        >
          <Field
            label={t('Query')}
            note={t('Those that the run has already are left out. Example: label:smoke')}
            {...form.field('query')}
            autoFocus
            maxLength={1_900}
          />
        </ActionDialog>
      );
    case 'remove':
      return (
        <ActionDialog
          {...shared}
          title={t('Remove {testName}?', { testName: selected?.testName ?? t('the test') })}
          action={t('Remove test')}
          kind="danger"
          onConfirm={async () => {
            if (!selected) return;
            const { testId, testName } = selected;
            await remove.mutateAsync({ ...ids, testIds: [testId] });
            onChanged();
            const addAgain = () =>
              add.mutate({ ...ids, testIds: [testId] }, { onError: sayError, onSuccess: onChanged });
            say(t('{testName} was removed from the run.', { testName }), {
              name: t('Add again'),
              run: addAgain,
            });
          }}
        >
          <p>
            {t(
              'It leaves this run, and its result in this run is gone with it: added again, it is untested. The test itself and its history stay.',
            )}
          </p>
        </ActionDialog>
      );
    case 'delete':
      return <DeleteRun run={run} runName={runName} onClose={onClose} />;
  }
}

function DeleteRun({ run, runName, onClose }: Pick<RunDialogProps, 'run' | 'runName' | 'onClose'>) {
  const [, navigate] = useLocation();
  const remove = useChange('delete-run');
  const restore = useChange('restore-run');
  const ids = { projectId: run.projectId, runId: run.runId };
  return (
    <ActionDialog
      title={t('Delete {runName}?', { runName })}
      action={t('Delete run')}
      kind="danger"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(ids);
        navigate(`/projects/${run.projectId}/runs`);
        say(t('{name} was deleted.', { name: runName }), {
          name: t('Restore'),
          run: () => restore.mutate(ids, { onError: sayError }),
        });
      }}
    >
      <p>
        {t('The results of {tests} in it are deleted with it. It can be restored at its address.', {
          tests: countText(run.counts.total, 'test'),
        })}
      </p>
    </ActionDialog>
  );
}

/** The ids of all tests of a query. @throws Refusal. */
async function chosenIds(projectId: number, query: string): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const input = { projectId, query, fields: ['testId'], limit: 500, offset: ids.length };
    const { tests, total } = await call('get-tests', input);
    ids.push(...tests.flatMap(({ testId }) => testId ?? []));
    if (tests.length === 0 || ids.length >= total) return ids;
  }
}
