import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { everyTest } from '../../query/query-text.ts';

interface CreateRunProps {
  readonly projectId: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A run of the tests that a query chooses, with the count and the first of them as one types. */
export function CreateRun({ projectId, isOpen, onClose }: CreateRunProps) {
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [query, setQuery] = useState('');
  const [preview, setPreview] = useState<Output<'create-run-from-query'> | null>(null);
  const [problem, setProblem] = useState<string | undefined>();
  const create = useChange('create-run-from-query');
  const chosen = query === '' ? everyTest : query;

  useEffect(() => {
    if (!isOpen) return;
    const over = new AbortController();
    setPreview(null);
    const look = async () => {
      const input = { projectId, query: chosen, runName: 'preview', dryRun: true };
      try {
        setPreview(await call('create-run-from-query', input, over.signal));
        setProblem(undefined);
      } catch (error) {
        if (!over.signal.aborted) setProblem(messageOf(error));
      }
    };
    void look();
    return () => over.abort();
  }, [projectId, chosen, isOpen]);

  return (
    <ActionDialog
      title="Create run"
      action={preview === null ? 'Create run' : `Create run of ${preview.count} tests`}
      isOpen={isOpen}
      onClose={onClose}
      isDisabled={name.trim() === '' || preview === null || preview.count === 0}
      onConfirm={async () => {
        const { run } = await create.mutateAsync({
          projectId,
          query: chosen,
          runName: name,
          ...(description.trim() === '' ? {} : { runDescription: description }),
        });
        setName('');
        setDescription('');
        setQuery('');
        if (run) navigate(`/projects/${projectId}/runs/${run.runId}`);
      }}
    >
      <Field label="Name" value={name} onChange={setName} autoFocus maxLength={255} />
      <Field label="Description" value={description} onChange={setDescription} lines={2} maxLength={20_000} />
      <div className="field">
        <span className="label">Tests: all of the project, or those that a query chooses</span>
        <QueryBox
          tool="get-tests"
          label="Tests of the run"
          value={query}
          onApply={setQuery}
          error={problem}
        />
      </div>
      {preview !== null && (
        <div className="stack tight" role="status">
          <strong>{preview.count} tests</strong>
          <ul>
            {preview.first.slice(0, 5).map(({ testId, testName }) => (
              <li key={testId} className="cut">
                {testName}
              </li>
            ))}
          </ul>
          {preview.count > 5 && <span className="note">and {preview.count - 5} more</span>}
        </div>
      )}
    </ActionDialog>
  );
}
