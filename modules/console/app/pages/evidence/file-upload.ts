import { send } from '../../api/call.ts';
import { messageOf, useWrite } from '../../api/queries.ts';
import { holdWhile } from '../../api/unsaved.ts';
import { doneText } from '../../design/amount.ts';
import { say, sayError } from '../../design/toast.tsx';
import { fileNameHeader } from './link-text.ts';
import { t } from '../../texts/text.ts';

interface Owner {
  readonly projectId: number;
  readonly testId: number;
  /** The run whose result the files are of; without it, all of the test. */
  readonly runId?: number;
}

function addressFor({ projectId, testId, runId }: Owner): string {
  const query = new URLSearchParams({ projectId: String(projectId), testId: String(testId) });
  if (runId !== undefined) query.set('runId', String(runId));
  return `/api/attachments?${query.toString()}`;
}

const storeFile = (address: string, name: string, file: File): Promise<unknown> =>
  send(address, {
    method: 'PUT',
    headers: {
      'x-file-name': fileNameHeader(name),
      'content-type': file.type === '' ? 'application/octet-stream' : file.type,
    },
    body: file,
  });

/**
 * Stores files one after the other; one that is refused does not keep the others. A message says what came of them, because by then the
 * person may have another test open.
 */
export function useUpload(owner: Owner) {
  const address = addressFor(owner);
  return useWrite((files: readonly File[]) =>
    holdWhile(async () => {
      const refused: string[] = [];
      for (const file of files) {
        const fileName = file.name === '' ? 'pasted' : file.name;
        try {
          await storeFile(address, fileName, file);
        } catch (error) {
          refused.push(`${fileName}: ${messageOf(error)}`);
        }
      }
      const stored = files.length - refused.length;
      if (stored > 0) say(`${doneText(stored, 'file', 'attached')}.`);
      if (refused.length > 0) sayError(new Error([t('Not attached:'), ...refused].join('\n')));
    }),
  );
}
