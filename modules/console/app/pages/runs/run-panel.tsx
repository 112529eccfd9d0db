import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { useMetadata } from '../../api/metadata.ts';
import { messageOf, useFreshRecord, useMe, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Key } from '../../design/marks/key.tsx';
import { Alert, Answer } from '../../design/states.tsx';
import { Status, statuses, wordOf, type TestStatus } from '../../design/status.tsx';
import { Time } from '../../design/time.tsx';
import { hasDraft, useTyped } from '../../api/unsaved.ts';
import { AttachmentsPanel } from '../evidence/attachments-panel.tsx';
import { FieldFacts } from '../fields/field-inputs.tsx';
import { ResultFields } from '../fields/result-fields.tsx';
import { LinksPanel } from '../evidence/links-panel.tsx';
import { QuarantineNote } from '../evidence/quarantine.tsx';
import { draftOfTest, TestForm } from '../tests/test-form.tsx';
import { TestText } from '../tests/test-text.tsx';
import { ResultStrip } from '../triage/result-strip.tsx';
import { RunComments } from './run-comments.tsx';
import type { RunPerson } from './run-follow.ts';
import { TestPeople } from './run-people.tsx';
import { RunReported } from './run-reported.tsx';
import type { ResultNote } from './waiting/result-outbox.ts';
import { RunSteps } from './run-steps.tsx';
import { keyOfStatus, type RunTest } from './run-tests.ts';
import '../evidence/evidence.css';
import '../tests/tests.css';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface RunPanelProps {
  readonly projectId: number;
  readonly runId: number;
  readonly row: RunTest;
  readonly status: TestStatus;
  readonly mayExecute: boolean;
  readonly mayWrite: boolean;
  readonly isLocked: boolean;
  readonly comment: RefObject<HTMLTextAreaElement | null>;
  /** @param status null: the one that the test has. @returns whether it was stored. */
  readonly onStatus: (status: TestStatus | null, said?: ResultNote) => Promise<boolean>;
  /**
   * A button of a status was pressed.
   * @param at when the finger or the mouse came down, in ms since the page began: a slow device hears of it later.
   */
  readonly onPressed: (status: TestStatus, at: number) => void;
  /** Where it stands in the list, e.g. "42 of 83". */
  readonly place: string;
  /** The other people who have the run open. */
  readonly others: readonly RunPerson[];
  /** On a telephone, where the test is a screen of its own: to the list, and to the tests beside it. */
  readonly onBack: () => void;
  readonly onMove: (by: 1 | -1) => void;
}

/** The test that is being executed: what to do, what came of it, and what a pipeline reported. */
export function RunPanel(props: RunPanelProps) {
  const { projectId, runId, row, status, mayExecute, isLocked, place, onBack, onMove } = props;
  const { testId } = row;
  const history = useTool('get-test-status-history', { projectId, testId, limit: 20 });
  const reported = useTool('get-run-results', { projectId, runId, testId });
  // Whoever stored a result, in this window or elsewhere.
  useFreshRecord({ testId }, row.updatedAt);
  return (
    <section className="run-panel stack loose" aria-label={t('Selected test')}>
      <div className="run-panel-way row nowrap">
        <Button onPress={onBack}>{t('All tests')}</Button>
        <span className="note number grow">{place}</span>
        <Button onPress={() => onMove(-1)}>{t('Previous')}</Button>
        <Button onPress={() => onMove(1)}>{t('Next')}</Button>
      </div>
      <TestOfRun
        {...props}
        evidence={
          <>
            <LinksPanel
              projectId={projectId}
              testId={testId}
              runId={runId}
              mayWrite={props.mayWrite}
              failed={status === 'failed' ? { testName: row.testName, message: row.comment } : undefined}
            />
            <AttachmentsPanel projectId={projectId} testId={testId} runId={runId} mayWrite={props.mayWrite} />
            <RunComments
              projectId={projectId}
              runId={runId}
              testId={testId}
              reported={reported.data?.results ?? []}
            />
            <div className="stack tight">
              <h3>{t('Last results')}</h3>
              {history.error && <Alert kind="error">{messageOf(history.error)}</Alert>}
              {history.data && (
                <ResultStrip {...{ projectId, testId, runId, results: history.data.history }} />
              )}
            </div>
            {reported.data && <RunReported of={reported.data} />}
          </>
        }
      >
        {isLocked && (
          <Alert kind="info">
            {t('The run is locked: its results are final. An administrator can unlock it.')}
          </Alert>
        )}
        {mayExecute && <StatusButtons status={status} onPressed={props.onPressed} />}
        <div className="stack tight">
          <p>
            <Status of={status} /> {row.updatedAt !== null && <Time at={row.updatedAt} />}
          </p>
          <CommentField {...props} />
          <ResultFields
            {...{ projectId, runId, testId, mayExecute, isLocked }}
            onStore={(fields) => props.onStatus(null, { fields })}
          />
        </div>
        <QuarantineNote projectId={projectId} testId={testId} />
      </TestOfRun>
    </section>
  );
}

function StatusButtons({ status, onPressed }: Pick<RunPanelProps, 'status' | 'onPressed'>) {
  const downAt = useRef<number | undefined>(undefined);
  const press = (one: TestStatus) => {
    // A key has no pointer.
    onPressed(one, downAt.current ?? performance.now());
    downAt.current = undefined;
  };
  return (
    <div
      className="run-statuses"
      role="group"
      aria-label={t('Set the status')}
      onPointerDownCapture={(event) => {
        downAt.current = event.timeStamp;
      }}
    >
      {statuses.map((one) => (
        <AriaButton
          key={one}
          className={`status-button of-${one}`}
          aria-pressed={one === status}
          onPress={() => press(one)}
        >
          {wordOf(one)} <Key of={keyOfStatus[one]} />
        </AriaButton>
      ))}
    </div>
  );
}

const emptyComment = { text: '' };

/** A comment on the status that the test has. */
function CommentField({ runId, row, comment, mayExecute, isLocked, onStatus }: RunPanelProps) {
  const form = useTyped(`comment:${runId}:${row.testId}`, () => emptyComment);
  const { text } = form.typed;
  const me = useMe().data?.userId;
  const send = async () => {
    // By the time of the answer another test may be open, and somebody types there.
    const field = comment.current;
    if (text.trim() === '' || !(await onStatus(null, { comment: text.trim() }))) return;
    // Empty: what follows the run has heard of it first.
    if (field?.value === text || field?.value === '') field.blur();
    form.goOn({ text }, emptyComment);
  };
  const isStored = row.comment !== null && row.updatedBy === me && text.trim() === row.comment;
  useEffect(() => {
    // It waited in the browser, and another component has sent it: after a reload, or while another test was open.
    if (isStored) form.forget();
    // Whoever types the same again is not interrupted.
  }, [row.updatedAt, me]);
  // Somebody may have locked the run or changed the role meanwhile: what was typed can still be read and copied.
  if (!mayExecute && text === '') return null;
  return (
    <div className="field">
      <label htmlFor="run-comment">{nodes('Comment {key}', { key: <Key of="c" /> })}</label>
      <textarea
        id="run-comment"
        ref={comment}
        className="input"
        value={text}
        readOnly={!mayExecute}
        maxLength={10_000}
        onChange={(event) => form.type({ text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && mayExecute) void send();
          if (event.key === 'Escape') comment.current?.blur();
        }}
      />
      {mayExecute ? (
        <Button small isDisabled={text.trim() === ''} onPress={() => void send()}>
          {t('Store comment')}
        </Button>
      ) : (
        <>
          <p className="field-note">
            {isLocked
              ? t('It is not stored: the run was locked.')
              : t('It is not stored: you can only read this project now.')}
          </p>
          <Button small onPress={form.forget}>
            {t('Discard changes')}
          </Button>
        </>
      )}
    </div>
  );
}

/** The name of the test, what it came to in the run, and below it what the test is, which can be edited in place. */
function TestOfRun({
  children,
  evidence,
  ...props
}: RunPanelProps & {
  /** The result, above what the test is. */
  readonly children: ReactNode;
  /** Below it: whoever executes a test needs its steps first. */
  readonly evidence: ReactNode;
}) {
  const { projectId, runId, row, status, mayExecute, mayWrite, onStatus } = props;
  const { testId } = row;
  const details = useTool('get-test-details', { projectId, testId }, { enabled: !row.isDeleted });
  const metadata = useMetadata(projectId);
  const [isEditing, setEditing] = useState(() => hasDraft(draftOfTest(testId)));
  const [wasEdited, setEdited] = useState(false);
  return (
    <>
      <div className="stack tight">
        <div className="row nowrap">
          <h2 className="grow wrap">{row.testName}</h2>
          {mayWrite && !isEditing && details.data && (
            <Button small autoFocus={wasEdited} onPress={() => setEditing(true)}>
              {t('Edit')}
            </Button>
          )}
        </div>
        <p className="note">
          {row.sectionPath.join(' > ')} <TestPeople others={props.others} testId={testId} />
        </p>
      </div>
      {children}
      {row.isDeleted ? (
        <p className="note">{t('The test was deleted; its results stay.')}</p>
      ) : (
        <Answer of={details}>
          {(test) =>
            isEditing ? (
              <TestForm
                test={test}
                metadata={metadata}
                onReopen={() => setEditing(true)}
                onDone={() => {
                  setEditing(false);
                  setEdited(true);
                }}
              />
            ) : (
              <>
                {test.steps.length > 0 && (
                  <RunSteps
                    {...{ runId, testId, status, mayExecute }}
                    steps={test.steps}
                    onStore={(next, stepResults) => onStatus(next, { stepResults })}
                  />
                )}
                <TestText test={test} />
                {test.fields !== null && (
                  <dl className="facts">
                    <FieldFacts projectId={projectId} values={test.fields} />
                  </dl>
                )}
              </>
            )
          }
        </Answer>
      )}
      {evidence}
    </>
  );
}
