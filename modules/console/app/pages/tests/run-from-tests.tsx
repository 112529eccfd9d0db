import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { everyTest } from '../../query/query-text.ts';

interface RunFromTestsProps {
  readonly projectId: number;
  readonly query: string;
  readonly selected: readonly number[];
  readonly onClose: () => void;
}

/** How many tests a query chooses. */
interface Counted {
  readonly of: string;
  readonly count?: number;
  readonly problem?: string;
}

/** A run of the chosen tests, or of all that the page shows. */
export function RunFromTests({ projectId, query, selected, onClose }: RunFromTestsProps) {
  const [, navigate] = useLocation();
  const form = useTyped(`new-run:${projectId}`, () => ({ name: '' }));
  const { name } = form.typed;
  const [counted, setCounted] = useState<Counted | null>(null);
  const byIds = useChange('create-run');
  const byQuery = useChange('create-run-from-query');
  const all = query === '' ? everyTest : query;
  useEffect(() => {
    if (selected.length > 0) return;
    call('create-run-from-query', { projectId, query: all, runName: 'preview', dryRun: true }).then(
      ({ count: tests }) => setCounted({ of: all, count: tests }),
      (error: unknown) => setCounted({ of: all, problem: messageOf(error) }),
    );
  }, [all, projectId, selected.length]);
  const now = counted?.of === all ? counted : null;
  const count = selected.length > 0 ? selected.length : now?.count;
  return (
    <ActionDialog
      title="Create run"
      action={count === undefined ? 'Create run' : `Create run of ${countText(count, 'test')}`}
      isOpen
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === '' || count === undefined || count === 0}
      onConfirm={async () => {
        const made =
          selected.length > 0
            ? await byIds.mutateAsync({ projectId, runName: name, testIds: [...selected] })
            : await byQuery.mutateAsync({ projectId, runName: name, query: all });
        const runId = 'run' in made ? made.run?.runId : 'runId' in made ? made.runId : undefined;
        navigate(`/projects/${projectId}/runs${runId === undefined ? '' : `/${runId}`}`);
      }}
    >
      <Field
        label="Name"
        value={name}
        onChange={(text) => form.type({ name: text })}
        autoFocus
        maxLength={255}
      />
      <p className="note" role="status">
        {now?.problem !== undefined && selected.length === 0
          ? now.problem
          : count === undefined
            ? 'Counting the tests…'
            : selected.length > 0
              ? `It will have ${countText(count, 'selected test')}.`
              : `It will have ${countText(count, 'test')}: those that the search finds.`}
      </p>
    </ActionDialog>
  );
}
