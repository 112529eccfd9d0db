import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { countText, doneText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Alert } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { useUndo } from '../versions/test-undo.ts';

interface ImportDialogProps {
  readonly projectId: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface ChosenFile {
  readonly content: string;
  readonly format: 'csv' | 'json';
}

/** Adds the tests of a file. What it would add, and what is wrong with which row, is shown before anything is written. */
export function ImportDialog({ projectId, isOpen, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<ChosenFile | null>(null);
  const [preview, setPreview] = useState<Output<'import-tests'> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const add = useChange('import-tests');
  const { undo } = useUndo(projectId);
  const choose = async (chosen: File | undefined) => {
    setFile(null);
    setPreview(null);
    setProblem(null);
    if (!chosen) return;
    const format = chosen.name.toLowerCase().endsWith('.json') ? 'json' : 'csv';
    try {
      const content = await chosen.text();
      setPreview(await call('import-tests', { projectId, content, format, dryRun: true }));
      setFile({ content, format });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const close = () => {
    void choose(undefined);
    onClose();
  };
  return (
    <ActionDialog
      title="Import tests"
      action={preview === null ? 'Import tests' : `Import ${countText(preview.testsCount, 'test')}`}
      isOpen={isOpen}
      onClose={close}
      isDisabled={file === null || preview === null || preview.faultsCount > 0 || preview.testsCount === 0}
      onConfirm={async () => {
        if (file === null) return;
        const { testsCount } = await add.mutateAsync({ projectId, ...file });
        say(`${doneText(testsCount, 'test', 'imported')}.`, undo);
        void choose(undefined);
      }}
    >
      <p className="note">
        A CSV or JSON file that was exported here, or the CSV of Checkmate or TestRail; at most 100,000 tests
        and 16 MiB.
      </p>
      <div className="field">
        <label htmlFor="import-file">File</label>
        <input
          id="import-file"
          type="file"
          accept=".csv,.json,text/csv,application/json"
          onChange={(event) => void choose(event.target.files?.[0])}
        />
      </div>
      {problem !== null && <Alert kind="error">{problem}</Alert>}
      {preview !== null && <Preview of={preview} />}
    </ActionDialog>
  );
}

function Preview({ of }: { readonly of: Output<'import-tests'> }) {
  const added = Object.entries(of.added).filter(([, count]) => count > 0);
  return (
    <div className="stack">
      <p>
        <strong>{countText(of.testsCount, 'test')}</strong> would be added
        {added.length > 0 &&
          `, and ${added.map(([kind, count]) => countText(count, ...(words[kind] ?? [kind]))).join(', ')}`}
        .
      </p>
      {of.ignoredColumns.length > 0 && (
        <p className="note">Ignored columns: {of.ignoredColumns.join(', ')}</p>
      )}
      {of.faultsCount > 0 && (
        <Alert kind="error">
          <p>
            {countText(of.faultsCount, 'row')} cannot be imported. Repair them in the file and choose it
            again.
          </p>
          <ul>
            {of.faults.map(({ row, message }, index) => (
              <li key={index}>
                Row {row}: {message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
    </div>
  );
}

const words: Readonly<Record<string, readonly [one: string, several?: string]>> = {
  sections: ['section'],
  labels: ['label'],
  squads: ['squad'],
  options: ['value of a classification', 'values of classifications'],
};
