import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { messageOf, useRefresh } from '../../api/queries.ts';
import { countText, doneText, numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { partsOf, readIds } from '../rule-editor/user-ids.ts';

interface CohortUsersProps {
  readonly tenantId: string;
  readonly cohortName: string;
  readonly kind: 'add' | 'remove';
  readonly onClose: () => void;
}

interface Progress {
  /** Ids that the server has taken. */
  readonly done: number;
  readonly changed: number;
}

/** Users of a file, or typed ones, are added to a list or removed from it, some thousands at a time. */
export function CohortUsers({ tenantId, cohortName, kind, onClose }: CohortUsersProps) {
  const refresh = useRefresh();
  const [text, setText] = useState('');
  const [file, setFile] = useState<{ readonly name: string; readonly content: string } | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stopped = useRef(false);
  const read = readIds(file?.content ?? text);
  const isBusy = progress !== null && problem === null;
  const close = () => {
    stopped.current = true;
    onClose();
  };
  const run = async () => {
    setProblem(null);
    stopped.current = false;
    // After a failure it goes on behind what was taken.
    let [done, changed] = [progress?.done ?? 0, progress?.changed ?? 0];
    setProgress({ done, changed });
    try {
      for (const userIds of partsOf(read.ids.slice(done))) {
        const tool = kind === 'add' ? 'add-cohort-users' : 'remove-cohort-users';
        changed += (await call(tool, { tenantId, cohortName, userIds: [...userIds] })).changed;
        done += userIds.length;
        setProgress({ done, changed });
        if (stopped.current) break;
      }
      if (!stopped.current) {
        say(`${doneText(changed, 'user', kind === 'add' ? 'added' : 'removed')}.`);
        onClose();
      }
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      void refresh();
    }
  };
  const word = kind === 'add' ? 'Add' : 'Remove';
  return (
    <Dialog
      title={kind === 'add' ? `Add users to ${cohortName}` : `Remove users from ${cohortName}`}
      isOpen
      onClose={close}
    >
      <div className="stack">
        <div className="field">
          <label htmlFor="cohort-file">File of user ids</label>
          <input
            id="cohort-file"
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            disabled={isBusy}
            onChange={(event) => {
              const chosen = event.target.files?.[0];
              setProgress(null);
              setProblem(null);
              if (!chosen) setFile(null);
              else
                void chosen.text().then(
                  (content) => setFile({ name: chosen.name, content }),
                  (error: unknown) => setProblem(messageOf(error)),
                );
            }}
          />
          <span className="field-note">One id in a line, or a CSV with a column userId.</span>
        </div>
        {file === null && (
          <Field
            label="Or type them, one in a line"
            value={text}
            onChange={(typed) => {
              setText(typed);
              setProgress(null);
            }}
            lines={5}
            isReadOnly={isBusy}
          />
        )}
        <p role="status">
          {countText(read.ids.length, 'user')}
          {file !== null && ` in ${file.name}`}
          {read.repeated > 0 && `, ${numberText(read.repeated)} named more than once`}
        </p>
        {read.wrongCount > 0 && (
          <Alert kind="warning">
            <p>{countText(read.wrongCount, 'line has', 'lines have')} no user id and will be left out:</p>
            <ul>
              {read.wrong.map(({ line, text: wrong }) => (
                <li key={line}>
                  Line {line}: {wrong}
                </li>
              ))}
            </ul>
          </Alert>
        )}
        {progress !== null && (
          <div className="stack tight">
            <progress
              className="cta-progress"
              aria-label="Progress"
              max={read.ids.length}
              value={progress.done}
            />
            <span className="note">
              {numberText(progress.done)} of {numberText(read.ids.length)} sent
            </span>
          </div>
        )}
        {problem !== null && <Alert kind="error">{problem}</Alert>}
        <div className="row end">
          <Button onPress={close}>{isBusy ? 'Stop' : 'Cancel'}</Button>
          <Button
            kind={kind === 'add' ? 'primary' : 'danger'}
            isDisabled={isBusy || read.ids.length === 0}
            onPress={() => void run()}
          >
            {progress === null
              ? `${word} ${countText(read.ids.length, 'user')}`
              : `${word} the remaining ${numberText(read.ids.length - progress.done)}`}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
