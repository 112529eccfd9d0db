import { useEffect, useId, useRef, useState } from 'react';
import { isRefused } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useRefresh, useTool } from '../../api/queries.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { useFocusAfterRow } from '../../design/focus-lost.ts';
import { Alert } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { say } from '../../design/toast.tsx';
import { useUpload } from './file-upload.ts';
import { sizeText } from './link-text.ts';
import { isPastedText } from './pasted-files.ts';
import { t } from '../../texts/text.ts';

interface AttachmentsProps {
  readonly projectId: number;
  readonly testId: number;
  /** The run whose result the files are of; without it, all of the test. */
  readonly runId?: number;
  readonly mayWrite: boolean;
}

type Attachment = Output<'list-attachments'>['attachments'][number];

const isShown = ({ mediaType }: Attachment): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);
const addressOf = ({ attachmentId }: Attachment): string => `/api/attachments/${attachmentId}`;

/** The files of a test, or of its result in a run: added by a button, by dropping and by pasting. */
export function AttachmentsPanel(props: AttachmentsProps) {
  const { projectId, testId, runId, mayWrite } = props;
  const title = useId();
  const of = { projectId, testId, ...(runId === undefined ? {} : { runId }) };
  const files = useTool('list-attachments', { ...of, limit: 100 });
  const upload = useUpload(props);
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const { mutate } = upload;
  useEffect(() => {
    if (!mayWrite) return undefined;
    const paste = (event: ClipboardEvent) => {
      const { clipboardData } = event;
      const pasted = [...(clipboardData?.files ?? [])];
      if (pasted.length === 0 || isPastedText(clipboardData?.types ?? [])) return;
      // What is pasted into a dialog is not for the test below it.
      if (document.querySelector('[role="dialog"]')) return;
      event.preventDefault();
      mutate(pasted);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [mayWrite, mutate]);
  const found = files.data?.attachments ?? [];
  const panel = useRef<HTMLElement>(null);
  useFocusAfterRow(panel, found.length);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      className={isOver ? 'stack tight evidence-drop over' : 'stack tight evidence-drop'}
      aria-labelledby={title}
      onDragOver={(event) => {
        if (!mayWrite) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!mayWrite) return;
        event.preventDefault();
        setOver(false);
        const dropped = [...event.dataTransfer.files];
        if (dropped.length > 0) mutate(dropped);
      }}
    >
      <h3 id={title}>{t('Files')}</h3>
      {files.error && <Alert kind="error">{messageOf(files.error)}</Alert>}
      {found.length > 0 && (
        <ul className="evidence-list">
          {found.map((one) => (
            <AttachmentRow key={one.attachmentId} projectId={projectId} file={one} mayWrite={mayWrite} />
          ))}
        </ul>
      )}
      {mayWrite ? (
        <div className="row">
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={t('Files to attach')}
            onChange={(event) => {
              const chosen = [...(event.target.files ?? [])];
              event.target.value = '';
              if (chosen.length > 0) mutate(chosen);
            }}
          />
          <Button small isDisabled={upload.isPending} onPress={() => input.current?.click()}>
            {upload.isPending ? t('Attaching…') : t('Attach files…')}
          </Button>
          <span className="note">{t('or paste or drop them here')}</span>
        </div>
      ) : (
        found.length === 0 && <p className="note">{t('No file is attached.')}</p>
      )}
    </section>
  );
}

interface AttachmentRowProps {
  readonly projectId: number;
  readonly file: Attachment;
  readonly mayWrite: boolean;
}

function AttachmentRow({ projectId, file, mayWrite }: AttachmentRowProps) {
  const { attachmentId, fileName, size, at } = file;
  const remove = useChange('delete-attachment');
  const refresh = useRefresh(['list-attachments']);
  const [isAsking, setAsking] = useState(false);
  const removeFile = async () => {
    try {
      await remove.mutateAsync({ projectId, attachmentId });
    } catch (error) {
      if (!isRefused(error, 'ATTACHMENT_NOT_FOUND')) throw error;
      // In another window, or by somebody else.
      refresh({ projectId });
      say(t('{fileName} was already deleted.', { fileName }));
    }
  };
  return (
    <li className="row nowrap">
      {isShown(file) && (
        <a
          href={addressOf(file)}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t('Open {fileName}', { fileName })}
        >
          <img className="evidence-image" src={addressOf(file)} alt="" loading="lazy" />
        </a>
      )}
      <span className="grow wrap">
        <a href={addressOf(file)} target="_blank" rel="noopener noreferrer">
          {fileName}
        </a>{' '}
        <span className="note">
          {sizeText(size)}, <Time at={at} />
        </span>
      </span>
      {mayWrite && (
        <IconButton
          icon="close"
          label={t('Delete the file {fileName}', { fileName })}
          onPress={() => setAsking(true)}
        />
      )}
      <ActionDialog
        title={t('Delete {fileName}?', { fileName })}
        action={t('Delete file')}
        kind="danger"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={removeFile}
      >
        <p>{t('The file is gone for good.')}</p>
      </ActionDialog>
    </li>
  );
}
