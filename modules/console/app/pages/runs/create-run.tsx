import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText, numberText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { everyTest } from '../../query/query-text.ts';

interface CreateRunProps {
  readonly projectId: number;
  readonly onClose: () => void;
}

/** What a query chooses. */
interface Counted {
  readonly of: string;
  readonly preview?: Output<'create-run-from-query'>;
  readonly problem?: string;
}

/** How long nothing is typed before the tests are counted. */
const pauseMs = 200;

/** A run of the tests that a query chooses, with the count and the first of them as one types. */
export function CreateRun({ projectId, onClose }: CreateRunProps) {
  const [, navigate] = useLocation();
  const form = useTyped(`new-run:${projectId}:query`, () => ({ name: '', description: '', query: '' }));
  const { name, description, query } = form.typed;
  const [counted, setCounted] = useState<Counted | null>(null);
  const create = useChange('create-run-from-query');
  const chosen = query === '' ? everyTest : query;

  useEffect(() => {
    const over = new AbortController();
    const look = async () => {
      const input = { projectId, query: chosen, runName: 'preview', dryRun: true };
      try {
        setCounted({ of: chosen, preview: await call('create-run-from-query', input, over.signal) });
      } catch (error) {
        if (!over.signal.aborted) setCounted({ of: chosen, problem: messageOf(error) });
      }
    };
    const timer = setTimeout(() => void look(), pauseMs);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [projectId, chosen]);
  // The run is of what stands in the box, never of what stood there before.
  const now = counted?.of === chosen ? counted : null;
  const preview = now?.preview;

  return (
    <ActionDialog
      title="Create run"
      action={preview ? `Create run of ${countText(preview.count, 'test')}` : 'Create run'}
      isOpen
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === '' || !preview || preview.count === 0}
      onConfirm={async () => {
        const { run } = await create.mutateAsync({
          projectId,
          query: chosen,
          runName: name,
          ...(description.trim() === '' ? {} : { runDescription: description }),
        });
        if (run) navigate(`/projects/${projectId}/runs/${run.runId}`);
      }}
    >
      <Field
        label="Name"
        value={name}
        onChange={(text) => form.type({ name: text })}
        autoFocus
        maxLength={255}
      />
      <Field
        label="Description"
        value={description}
        onChange={(text) => form.type({ description: text })}
        lines={2}
        maxLength={20_000}
      />
      <div className="field">
        <span className="label">Tests: all of the project, or those that a query chooses</span>
        <QueryBox
          tool="get-tests"
          label="Tests of the run"
          value={query}
          onApply={(text) => form.type({ query: text })}
          isLive
          error={now?.problem}
        />
      </div>
      {preview && (
        <div className="stack tight" role="status">
          <strong>{countText(preview.count, 'test')}</strong>
          <ul>
            {preview.first.slice(0, 5).map(({ testId, testName }) => (
              <li key={testId} className="cut">
                {testName}
              </li>
            ))}
          </ul>
          {preview.count > 5 && <span className="note">and {numberText(preview.count - 5)} more</span>}
        </div>
      )}
    </ActionDialog>
  );
}
