import { useRef, useState } from 'react';
import { contentOfBytes } from '../../../../../testmgmt/import-files/text/file-content.ts';
import { call } from '../../../api/call.ts';
import type { Input, Output } from '../../../api/calls.ts';
import { messageOf, useChange } from '../../../api/queries.ts';
import { holdWhile } from '../../../api/unsaved.ts';
import { countText } from '../../../design/amount.ts';
import { ActionDialog } from '../../../design/dialog.tsx';
import { Choice, FileField } from '../../../design/fields.tsx';
import { Alert } from '../../../design/states.tsx';
import { say } from '../../../design/toast.tsx';
import { importedText, isWritten } from './import-outcome.ts';
import { ImportMapping } from './import-mapping.tsx';
import { ImportPreview } from './import-preview.tsx';
import { useUndo } from '../../versions/test-undo.ts';
import { t } from '../../../texts/text.ts';

interface ImportDialogProps {
  readonly projectId: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

type Format = NonNullable<Input<'import-tests'>['format']>;

interface ChosenFile {
  readonly content: string;
  readonly format: Format;
  readonly mapping: Readonly<Record<string, string>>;
}

const formats: ReadonlyArray<{ readonly id: Format; readonly name: string }> = [
  { id: 'auto', name: t('By its content') },
  { id: 'csv', name: t('Trivet or Checkmate, CSV') },
  { id: 'json', name: t('Trivet, JSON') },
  { id: 'testrail-xml', name: t('TestRail, XML') },
  { id: 'testrail-csv', name: t('TestRail, CSV') },
  { id: 'qase-json', name: t('Qase, JSON') },
  { id: 'qase-csv', name: t('Qase, CSV') },
  { id: 'xray-csv', name: t('Xray, CSV') },
  { id: 'zephyr-csv', name: t('Zephyr Scale, CSV') },
  { id: 'testmo-csv', name: t('Testmo, CSV') },
  { id: 'testlink-xml', name: t('TestLink, XML') },
  { id: 'xlsx', name: t('Spreadsheet, XLSX') },
  { id: 'table', name: t('Any other CSV') },
];

const argumentsOf = ({ content, format, mapping }: ChosenFile) => ({
  content,
  format,
  ...(Object.keys(mapping).length > 0 && { mapping }),
});

/** The tests of a file. What they would become, and what is wrong with which row, is shown before anything is written. */
export function ImportDialog({ projectId, isOpen, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<ChosenFile | null>(null);
  const [preview, setPreview] = useState<Output<'import-tests'> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isReading, setIsReading] = useState(false);
  const readName = useRef('');
  // Counts what was chosen: the answer for a large file comes after that for the small one that was chosen instead.
  const nth = useRef(0);
  /** @returns whether nothing else was chosen since. */
  const begin = () => {
    const mine = ++nth.current;
    return () => mine === nth.current;
  };
  const add = useChange('import-tests');
  const { undoButton } = useUndo(projectId);
  const look = async (next: ChosenFile) => {
    const isLatest = begin();
    setFile(next);
    setProblem(null);
    setIsReading(true);
    try {
      const found = await call('import-tests', { projectId, ...argumentsOf(next), preview: true });
      if (isLatest()) setPreview(found);
    } catch (error) {
      if (!isLatest()) return;
      setPreview(null);
      setProblem(messageOf(error));
    }
    if (isLatest()) setIsReading(false);
  };
  const choose = async (chosen: File | undefined) => {
    const isLatest = begin();
    setIsReading(false);
    setFile(null);
    setPreview(null);
    setProblem(null);
    if (!chosen) return;
    try {
      const content = contentOfBytes(new Uint8Array(await chosen.arrayBuffer()));
      if (!isLatest()) return;
      // The same file, repaired: its columns go where they went.
      const isAgain = chosen.name === readName.current && file !== null;
      readName.current = chosen.name;
      await look({
        content,
        format: isAgain ? file.format : 'auto',
        mapping: isAgain ? file.mapping : {},
      });
    } catch (error) {
      if (isLatest()) setProblem(messageOf(error));
    }
  };
  const close = () => {
    void choose(undefined);
    onClose();
  };
  return (
    <ActionDialog
      title={t('Import tests')}
      wide={preview !== null}
      action={
        preview === null
          ? t('Import tests')
          : t('Import {tests}', { tests: countText(preview.testsCount, 'test') })
      }
      isOpen={isOpen}
      onClose={close}
      isDisabled={
        isReading || file === null || preview === null || preview.faultsCount > 0 || preview.testsCount === 0
      }
      onConfirm={async () => {
        if (file === null) return;
        // A large one takes many seconds, and ends without a trace with the page.
        const done = await holdWhile(() => add.mutateAsync({ projectId, ...argumentsOf(file) }));
        say(importedText(done), isWritten(done) ? undoButton() : undefined);
        void choose(undefined);
      }}
    >
      <p className="note">
        {t(
          'An export of Trivet, Checkmate, TestRail, Qase, Xray, Zephyr Scale, Testmo or TestLink, or a spreadsheet; at most 100,000 tests and 16 MiB. Tests that were imported before are updated.',
        )}
      </p>
      <FileField
        id="import-file"
        label={t('File')}
        accept=".csv,.json,.xml,.xlsx,.txt,.tsv"
        onChoose={(chosen) => void choose(chosen)}
      />
      {file !== null && (
        <Choice
          label={t('Format')}
          options={formats}
          value={file.format === 'auto' ? (preview?.format ?? 'auto') : file.format}
          isDisabled={isReading}
          onChange={(id) => void look({ ...file, format: id as Format, mapping: {} })}
        />
      )}
      {problem !== null && <Alert kind="error">{problem}</Alert>}
      {file !== null && preview?.mapping !== undefined && preview.mapping.length > 0 && (
        <ImportMapping
          projectId={projectId}
          columns={preview.mapping}
          isDisabled={isReading}
          onChange={(column, to) => void look({ ...file, mapping: { ...file.mapping, [column]: to } })}
        />
      )}
      {preview !== null && <ImportPreview of={preview} />}
      {add.isPending && (
        <p role="status">{t('The tests are being imported. Leave this page open until they are.')}</p>
      )}
    </ActionDialog>
  );
}
