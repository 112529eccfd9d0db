import { useRef, useState } from 'react';
import { messageOf, useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { countText, doneText, numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field, FileField } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { partsOf, readIds, type ReadIds } from '../rule-editor/user-ids.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface CohortUsersProps {
  readonly tenantId: string;
  readonly cohortName: string;
  readonly kind: 'add' | 'remove';
  readonly onClose: () => void;
}

interface Progress {
  /** Ids that the server has accepted. */
  readonly done: number;
  readonly changed: number;
}

/** Sends ids, some thousands at a time; after a failure it continues after the accepted ones. */
function useSending({ tenantId, cohortName, kind }: CohortUsersProps) {
  const change = useChange(kind === 'add' ? 'add-cohort-users' : 'remove-cohort-users');
  const [progress, setProgress] = useState<Progress | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const stopped = useRef(false);
  return {
    progress,
    problem,
    setProblem,
    isBusy: progress !== null && problem === null,
    stop: () => {
      stopped.current = true;
    },
    reset: () => {
      setProgress(null);
      setProblem(null);
    },
    /** @returns how many were changed, also when it was stopped; undefined: it failed. */
    send: async (ids: readonly string[]) => {
      setProblem(null);
      stopped.current = false;
      let [done, changed] = [progress?.done ?? 0, progress?.changed ?? 0];
      setProgress({ done, changed });
      try {
        for (const userIds of partsOf(ids.slice(done))) {
          changed += (await change.mutateAsync({ tenantId, cohortName, userIds: [...userIds] })).changed;
          done += userIds.length;
          setProgress({ done, changed });
          if (stopped.current) break;
        }
        return { changed, isWhole: done === ids.length };
      } catch (error) {
        setProblem(messageOf(error));
        return undefined;
      }
    },
  };
}

/** Users of a file, or typed ones, are added to a list or removed from it. */
export function CohortUsers(props: CohortUsersProps) {
  const { tenantId, cohortName, kind, onClose } = props;
  const form = useTyped(`users:${tenantId}:${cohortName}:${kind}`, () => ({ text: '' }));
  const [file, setFile] = useState<{ readonly name: string; readonly content: string } | null>(null);
  const { progress, problem, setProblem, isBusy, stop, reset, send } = useSending(props);
  const read = readIds(file?.content ?? form.typed.text);
  const close = () => {
    stop();
    onClose();
  };
  const run = async () => {
    const sent = await send(read.ids);
    if (sent === undefined) return;
    const users =
      kind === 'add' ? doneText(sent.changed, 'user', 'added') : doneText(sent.changed, 'user', 'removed');
    if (!sent.isWhole) {
      say(t('Stopped: {users}.', { users }));
      return;
    }
    say(`${users}.`);
    form.forget();
    onClose();
  };
  const word = kind === 'add' ? t('Add') : t('Remove');
  return (
    <Dialog
      title={
        kind === 'add'
          ? t('Add users to {cohortName}', { cohortName })
          : t('Remove users from {cohortName}', { cohortName })
      }
      onClose={close}
    >
      <div className="stack">
        <FileField
          id="cohort-file"
          label={t('File of user ids')}
          accept=".csv,.txt,text/csv,text/plain"
          note={t('One id in a line, or a CSV with a column userId.')}
          isDisabled={isBusy}
          onChoose={(chosen) => {
            reset();
            if (!chosen) setFile(null);
            else
              void chosen.text().then(
                (content) => setFile({ name: chosen.name, content }),
                (error: unknown) => setProblem(messageOf(error)),
              );
          }}
        />
        {file === null && (
          <Field
            label={t('Or type them, one in a line')}
            value={form.typed.text}
            onChange={(text) => {
              form.type({ text });
              reset();
            }}
            lines={5}
            isReadOnly={isBusy}
          />
        )}
        <p role="status">
          {countText(read.ids.length, 'user')}
          {file !== null && t(' in {name}', { name: file.name })}
          {read.repeated > 0 &&
            t(', {repeated} named more than once', { repeated: numberText(read.repeated) })}
        </p>
        {read.cut > 0 && (
          <Alert kind="warning">
            {t('Lines with several ids, of which only the first is read: {count}.', {
              count: numberText(read.cut),
            })}
          </Alert>
        )}
        {read.wrongCount > 0 && <WrongLines of={read} />}
        {progress !== null && (
          <div className="stack tight">
            <progress
              className="cta-progress"
              aria-label={t('Progress')}
              max={read.ids.length}
              value={progress.done}
            />
            <span className="note">
              {t('{done} of {ids} sent', {
                done: numberText(progress.done),
                ids: numberText(read.ids.length),
              })}
            </span>
          </div>
        )}
        {problem !== null && <Alert kind="error">{problem}</Alert>}
        <div className="row end">
          <Button
            onPress={() => {
              // What was typed stays while its users are sent: the rest can be sent later.
              if (!isBusy) form.forget();
              close();
            }}
          >
            {isBusy ? t('Stop') : t('Cancel')}
          </Button>
          <Button
            kind={kind === 'add' ? 'primary' : 'danger'}
            isDisabled={isBusy || read.ids.length === 0}
            onPress={() => void run()}
          >
            {progress === null
              ? `${word} ${countText(read.ids.length, 'user')}`
              : t('{word} the remaining {ids}', { word, ids: numberText(read.ids.length - progress.done) })}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

const WrongLines = ({ of: { wrong, wrongCount } }: { readonly of: ReadIds }) => (
  <Alert kind="warning">
    <p>
      {t('{linesHave} no user id and will be left out:', {
        linesHave: countText(wrongCount, 'line has', 'lines have'),
      })}
    </p>
    <ul>
      {wrong.map(({ line, text }) => (
        <li key={line}>{nodes('Line {line}: {text}', { line, text })}</li>
      ))}
    </ul>
  </Alert>
);
