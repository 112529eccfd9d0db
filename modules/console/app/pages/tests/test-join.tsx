import { useState } from 'react';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { t } from '../../texts/text.ts';

interface JoinTestsProps {
  readonly projectId: number;
  /** The two tests that are one. */
  readonly ids: readonly [number, number];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Two tests that are the same one: one of them goes on with the results of both. The server says first whether it can be. */
export function JoinTests({ projectId, ids, onClose, onDone }: JoinTestsProps) {
  const [older, newer] = [Math.min(...ids), Math.max(...ids)];
  const [testId, setTestId] = useState(older);
  const mergedTestId = testId === older ? newer : older;
  const asked = { projectId, testId, mergedTestId };
  const check = useTool('merge-tests', { ...asked, dryRun: true });
  const first = useTool('get-test-details', { projectId, testId: older }).data;
  const second = useTool('get-test-details', { projectId, testId: newer }).data;
  const merge = useChange('merge-tests');
  const nameOf = (id: number): string =>
    `${id} ${(id === older ? first?.testName : second?.testName) ?? ''}`.trim();
  const shared = check.data?.sharedRuns ?? 0;
  return (
    <ActionDialog
      title={t('Merge two tests?')}
      action={t('Merge tests')}
      kind="danger"
      onClose={onClose}
      isDisabled={check.data === undefined}
      onConfirm={async () => {
        await merge.mutateAsync(asked);
        onDone();
        say(t('{merged} was merged into {test}.', { merged: nameOf(mergedTestId), test: nameOf(testId) }));
      }}
    >
      <Choice
        label={t('The test that goes on')}
        value={String(testId)}
        onChange={(id) => setTestId(Number(id))}
        options={[older, newer].map((id) => ({ id: String(id), name: nameOf(id) }))}
      />
      <p>
        {t(
          'It gets all results, places in runs and automation keys of {merged}, which is deleted; its text and its other fields are dropped. This cannot be undone.',
          { merged: nameOf(mergedTestId) },
        )}
      </p>
      {shared > 0 && (
        <p>
          {t('{runs} had both; the result of the one that ran stays.', { runs: countText(shared, 'run') })}
        </p>
      )}
      {check.error && <Alert kind="error">{messageOf(check.error)}</Alert>}
    </ActionDialog>
  );
}
