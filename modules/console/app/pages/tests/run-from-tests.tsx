import { useLocation } from 'wouter';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { everyTest } from '../../query/query-text.ts';
import { t } from '../../texts/text.ts';

interface RunFromTestsProps {
  readonly projectId: number;
  readonly query: string;
  readonly selected: readonly number[];
  readonly onClose: () => void;
}

/** A run of the chosen tests, or of all that the page shows. */
export function RunFromTests({ projectId, query, selected, onClose }: RunFromTestsProps) {
  const [, navigate] = useLocation();
  const form = useTyped(`new-run:${projectId}`, () => ({ name: '' }));
  const { name } = form.typed;
  const byIds = useChange('create-run');
  const byQuery = useChange('create-run-from-query');
  const all = query === '' ? everyTest : query;
  const preview = useTool(
    'create-run-from-query',
    { projectId, query: all, runName: 'preview', dryRun: true },
    { enabled: selected.length === 0 },
  );
  const count = selected.length > 0 ? selected.length : preview.data?.count;
  return (
    <ActionDialog
      title={t('Create run')}
      action={
        count === undefined
          ? t('Create run')
          : t('Create run of {tests}', { tests: countText(count, 'test') })
      }
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
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <p className="note" role="status">
        {preview.error && selected.length === 0
          ? messageOf(preview.error)
          : count === undefined
            ? t('Counting the tests…')
            : selected.length > 0
              ? t('It will have {selectedTests}.', { selectedTests: countText(count, 'selected test') })
              : t('It will have {tests}: those that the search finds.', { tests: countText(count, 'test') })}
      </p>
    </ActionDialog>
  );
}
