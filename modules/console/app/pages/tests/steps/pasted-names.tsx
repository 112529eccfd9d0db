import { useChange } from '../../../api/queries.ts';
import { countText, doneText, numberText } from '../../../design/amount.ts';
import { ActionDialog } from '../../../design/dialog.tsx';
import { say } from '../../../design/toast.tsx';
import { useUndo } from '../../versions/test-undo.ts';
import { mostPasted } from './pasted-rows.ts';

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
  const { undo } = useUndo(projectId);
  const what = countText(names.length, 'test');
  return (
    <ActionDialog
      title={`Create ${what}?`}
      action={`Create ${what}`}
      onClose={onClose}
      onConfirm={async () => {
        const section = sectionId === null ? {} : { sectionId };
        await create.mutateAsync({ projectId, tests: names.map((testName) => ({ testName, ...section })) });
        say(`${doneText(names.length, 'test', 'created')}.`, undo);
      }}
    >
      <ol>
        {names.slice(0, mostShown).map((testName, index) => (
          <li key={index}>{testName}</li>
        ))}
      </ol>
      {names.length > mostShown && <p className="note">and {numberText(names.length - mostShown)} more</p>}
      {names.length === mostPasted && (
        <p className="note">These are the first {numberText(mostPasted)}; Import takes a whole file.</p>
      )}
    </ActionDialog>
  );
}
