import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText, numberText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { QueryBox } from '../../query/query-box.tsx';
import { everyTest } from '../../query/query-text.ts';
import { t } from '../../texts/text.ts';

interface CreateRunProps {
  readonly projectId: number;
  readonly onClose: () => void;
}

/** How long nothing is typed before the tests are counted. */
const pauseMs = 200;

/** A run of the tests that a query chooses, with the count and the first of them as one types. */
export function CreateRun({ projectId, onClose }: CreateRunProps) {
  const [, navigate] = useLocation();
  const form = useTyped(`new-run:${projectId}:query`, () => ({ name: '', description: '', query: '' }));
  const { name, description, query } = form.typed;
  const create = useChange('create-run-from-query');
  const chosen = query === '' ? everyTest : query;

  const [asked, setAsked] = useState(chosen);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(chosen), pauseMs);
    return () => clearTimeout(timer);
  }, [chosen]);
  const input = { projectId, query: asked, runName: 'preview', dryRun: true };
  const counted = useTool('create-run-from-query', input);
  // The run uses the current text of the box, never an earlier one.
  const now = asked === chosen ? counted : undefined;
  const preview = now?.data;

  return (
    <ActionDialog
      title={t('Create run')}
      action={
        preview ? t('Create run of {tests}', { tests: countText(preview.count, 'test') }) : t('Create run')
      }
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
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field label={t('Description')} {...form.field('description')} lines={2} maxLength={20_000} />
      <div className="field">
        <span className="label">{t('Tests: all of the project, or those that a query chooses')}</span>
        <QueryBox
          tool="get-tests"
          label={t('Tests of the run')}
          value={query}
          onApply={(text) => form.type({ query: text })}
          isLive
          error={now?.error ? messageOf(now.error) : undefined}
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
          {preview.count > 5 && (
            <span className="note">{t('and {count} more', { count: numberText(preview.count - 5) })}</span>
          )}
        </div>
      )}
    </ActionDialog>
  );
}
