import { Refusal } from '../../api/call.ts';
import { useChange } from '../../api/queries.ts';
import { doneText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Empty } from '../../design/states.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { useState } from 'react';
import { SelectionFrame } from './selection-frame.tsx';
import { useUndo } from '../versions/test-undo.ts';
import { t } from '../../texts/text.ts';

/** Whether a test cannot be read because it is deleted. */
export const isDeletedTest = (error: Error | null): boolean =>
  error instanceof Refusal && error.code === 'TEST_NOT_FOUND' && error.causeWord === 'deleted';

interface DeletedTestProps {
  readonly projectId: number;
  readonly testId: number;
  readonly mayWrite: boolean;
}

/** In place of a test that is deleted: the way to have it back. */
export function DeletedTest({ projectId, testId, mayWrite }: DeletedTestProps) {
  const restore = useChange('restore-test');
  return (
    <Empty title={t('This test is deleted')}>
      <p>{t('Its results stay, and it comes back as it was; in no section if its section was deleted.')}</p>
      {mayWrite && (
        <Button
          isDisabled={restore.isPending}
          onPress={() => restore.mutate({ projectId, testId }, { onError: sayError })}
        >
          {t('Restore')}
        </Button>
      )}
    </Empty>
  );
}

interface RestoreBarProps {
  readonly projectId: number;
  readonly ids: readonly number[];
  readonly onClear: () => void;
  /** What the page shows: deleted tests. */
  readonly query: string;
  readonly total: number;
}

/** In place of the actions on tests, where the page shows deleted ones. */
export function RestoreBar({ projectId, ids, onClear, query, total }: RestoreBarProps) {
  const [isAll, setAll] = useState(false);
  const restore = useChange('restore-tests');
  const { undoButton } = useUndo(projectId);
  const count = isAll ? total : ids.length;
  const apply = async () => {
    try {
      await restore.mutateAsync(isAll ? { projectId, query } : { projectId, testIds: [...ids] });
      onClear();
      say(`${doneText(count, 'test', 'restored')}.`, undoButton());
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <SelectionFrame {...{ count, total, isAll, onClear }} selected={ids.length} onAll={setAll}>
      <Button isDisabled={restore.isPending} onPress={() => void apply()}>
        {t('Restore')}
      </Button>
    </SelectionFrame>
  );
}
