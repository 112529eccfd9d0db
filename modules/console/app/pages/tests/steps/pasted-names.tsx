import { useChange } from '../../../api/queries.ts';
import { countText, doneText, numberText } from '../../../design/amount.ts';
import { ActionDialog } from '../../../design/dialog.tsx';
import { say } from '../../../design/toast.tsx';
import { useUndo } from '../../versions/test-undo.ts';
import { mostPasted } from './pasted-rows.ts';
import { t } from '../../../texts/text.ts';

/** Names that the dialog shows; the button says how many there are. */
const mostShown = 10;

interface PastedNamesProps {
  readonly projectId: number;
  readonly sectionId: number | null;
  readonly names: readonly string[];
  readonly onClose: () => void;
}

/** A list of names was pasted into the line for a new test: a test for each? */
export function PastedNames({ projectId, sectionId, names, onClose }: PastedNamesProps) {
  const create = useChange('bulk-add-tests');
  const { undoButton } = useUndo(projectId);
  const what = countText(names.length, 'test');
  return (
    <ActionDialog
      title={t('Create {what}?', { what })}
      action={t('Create {what}', { what })}
      onClose={onClose}
      onConfirm={async () => {
        const section = sectionId === null ? {} : { sectionId };
        await create.mutateAsync({ projectId, tests: names.map((testName) => ({ testName, ...section })) });
        say(`${doneText(names.length, 'test', 'created')}.`, undoButton());
      }}
    >
      <ol>
        {names.slice(0, mostShown).map((testName, index) => (
          <li key={index}>{testName}</li>
        ))}
      </ol>
      {names.length > mostShown && (
        <p className="note">{t('and {names} more', { names: numberText(names.length - mostShown) })}</p>
      )}
      {names.length === mostPasted && (
        <p className="note">
          {t('These are the first {mostPasted}; Import takes a whole file.', {
            mostPasted: numberText(mostPasted),
          })}
        </p>
      )}
    </ActionDialog>
  );
}
