import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { everyTest } from '../../query/query-text.ts';

interface RunFromTestsProps {
  readonly projectId: number;
  readonly query: string;
  readonly selected: readonly number[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A run of the chosen tests, or of all that the page shows. */
export function RunFromTests({ projectId, query, selected, isOpen, onClose }: RunFromTestsProps) {
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [count, setCount] = useState<string | null>(null);
  const byIds = useChange('create-run');
  const byQuery = useChange('create-run-from-query');
  const all = query === '' ? everyTest : query;
  useEffect(() => {
    if (!isOpen || selected.length > 0) return;
    setCount(null);
    call('create-run-from-query', { projectId, query: all, runName: 'preview', dryRun: true }).then(
      (answer) => setCount(`It will have the ${answer.count} tests that the page shows.`),
      (error: unknown) => setCount(messageOf(error)),
    );
  }, [isOpen, all, projectId, selected.length]);
  return (
    <ActionDialog
      title="Create run"
      action="Create run"
      isOpen={isOpen}
      onClose={onClose}
      isDisabled={name.trim() === ''}
      onConfirm={async () => {
        const made =
          selected.length > 0
            ? await byIds.mutateAsync({ projectId, runName: name, testIds: [...selected] })
            : await byQuery.mutateAsync({ projectId, runName: name, query: all });
        setName('');
        const runId = 'run' in made ? made.run?.runId : 'runId' in made ? made.runId : undefined;
        navigate(`/projects/${projectId}/runs${runId === undefined ? '' : `/${runId}`}`);
      }}
    >
      <Field label="Name" value={name} onChange={setName} autoFocus maxLength={255} />
      <p className="note" role="status">
        {selected.length > 0
          ? `It will have the ${selected.length} selected tests.`
          : (count ?? 'Counting the tests…')}
      </p>
    </ActionDialog>
  );
}
