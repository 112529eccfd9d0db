import { useMemo, useState } from 'react';
import { everyClassification } from '../../../../testmgmt/rules/classification.ts';
import { Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import type { useMetadata } from '../../api/metadata.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { forgetDraft, leftDraft, useKeptDraft } from '../../api/unsaved.ts';
import { classificationTitle } from './classification-title.ts';
import { useSectionOptions } from './section-options.ts';
import { storedSteps, type Step } from './step-list.ts';
import { StepsEditor } from './steps-editor.tsx';
import { TestText } from './test-text.tsx';

interface TestFormProps {
  readonly test: Output<'get-test-details'>;
  readonly metadata: ReturnType<typeof useMetadata>;
  readonly onDone: () => void;
}

/** Under which what is typed into the form of a test is kept. */
export const draftOfTest = (testId: number): string => `test:${testId}`;

/** What stands in the form. */
interface Typed {
  readonly name: string;
  readonly description: string;
  readonly preconditions: string;
  readonly steps: readonly Step[];
  /** Section, squad and classifications that were chosen. */
  readonly ids: Readonly<Record<string, number | null>>;
  readonly labels: readonly number[];
  /** The time of the version with which the form began. */
  readonly seenAt: string;
}

/** A form that was left: with what it began, and what was typed. */
interface Left {
  readonly base: Typed;
  readonly typed: Typed;
}

const typedOf = (test: Output<'get-test-details'>): Typed => ({
  name: test.testName,
  description: test.testDescription,
  preconditions: test.preconditions,
  steps: test.steps,
  ids: {},
  labels: test.labels.map(({ labelId }) => labelId),
  seenAt: test.updatedAt,
});

const none = { id: 'none', name: '(none)' };
const idText = (id: number | null): string => (id === null ? none.id : String(id));
const idOf = (text: string): number | null => (text === none.id ? null : Number(text));

/** All fields of a test. It is stored only if nobody else has stored another version meanwhile. */
export function TestForm({ test, metadata, onDone }: TestFormProps) {
  const sections = useSectionOptions(test.projectId);
  const update = useChange('update-test');
  const addLabels = useChange('add-labels');
  const draft = draftOfTest(test.testId);
  const [left] = useState(() => leftDraft<Left>(draft));
  const [base] = useState(() => left?.base ?? typedOf(test));
  const [typed, setTyped] = useState(left?.typed ?? base);
  const type = (part: Partial<Typed>) => setTyped((before) => ({ ...before, ...part }));
  const { name, description, preconditions, steps, ids, labels, seenAt } = typed;
  const isDirty = JSON.stringify(typed) !== JSON.stringify(base);
  const kept: Left | null = useMemo(() => (isDirty ? { base, typed } : null), [isDirty, base, typed]);
  useKeptDraft(draft, kept);
  const [newLabel, setNewLabel] = useState('');
  const done = () => {
    forgetDraft(draft);
    onDone();
  };
  const [problem, setProblem] = useState<{ readonly text: string; readonly isConflict: boolean } | null>(
    null,
  );

  const save = async (over?: string) => {
    setProblem(null);
    try {
      await update.mutateAsync({
        testId: test.testId,
        testName: name,
        testDescription: description === '' ? null : description,
        preconditions: preconditions === '' ? null : preconditions,
        steps: storedSteps(steps),
        labels: [...labels],
        seenAt: over ?? seenAt,
        ...ids,
      });
      say('The test was saved.');
      done();
    } catch (error) {
      setProblem({
        text: messageOf(error),
        isConflict: error instanceof Refusal && error.code === 'TEST_CHANGED',
      });
    }
  };
  const createLabel = async () => {
    try {
      const { labels: made } = await addLabels.mutateAsync({
        projectId: test.projectId,
        labels: [newLabel.trim()],
      });
      type({ labels: [...new Set([...labels, ...made.map(({ labelId }) => labelId)])] });
      setNewLabel('');
    } catch (error) {
      setProblem({ text: messageOf(error), isConflict: false });
    }
  };
  const choice = (
    field: string,
    label: string,
    before: number | null,
    options: ReadonlyArray<{ id: string; name: string }>,
  ) => (
    <Choice
      key={field}
      label={label}
      options={[none, ...options]}
      value={idText(ids[field] === undefined ? before : ids[field])}
      onChange={(value) => type({ ids: { ...ids, [field]: idOf(value) } })}
    />
  );
  const named = (values: ReadonlyArray<{ readonly id: number; readonly name: string }>) =>
    values.map(({ id, name: one }) => ({ id: String(id), name: one }));

  return (
    <form
      className="stack"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void save();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {left !== undefined && <Alert kind="info">You typed this before and did not save it.</Alert>}
      <Field label="Name" value={name} onChange={(text) => type({ name: text })} maxLength={255} autoFocus />
      <Field
        label="Description"
        note="Markdown"
        value={description}
        onChange={(text) => type({ description: text })}
        lines={4}
        maxLength={20_000}
      />
      <Field
        label="Preconditions"
        value={preconditions}
        onChange={(text) => type({ preconditions: text })}
        lines={2}
        maxLength={20_000}
      />
      <StepsEditor steps={steps} onChange={(list) => type({ steps: list })} />
      {choice('sectionId', 'Section', test.sectionId, sections)}
      {everyClassification.map((kind) =>
        choice(`${kind}Id`, classificationTitle(kind), test[`${kind}Id`], named(metadata.ofKind(kind))),
      )}
      {choice('squadId', 'Squad', test.squadId, named(metadata.squads))}
      <fieldset className="card stack tight">
        <legend>Labels</legend>
        <div className="row">
          {metadata.labels.map(({ id, name: label }) => (
            <Check
              key={id}
              isSelected={labels.includes(id)}
              onChange={(isOn) =>
                type({ labels: isOn ? [...labels, id] : labels.filter((one) => one !== id) })
              }
            >
              {label}
            </Check>
          ))}
        </div>
        <div className="row nowrap">
          <Field
            label="New label"
            value={newLabel}
            onChange={setNewLabel}
            maxLength={255}
            onKeyDown={(event) => {
              // Enter is of this field, not of the form.
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) event.continuePropagation();
              else {
                event.preventDefault();
                if (newLabel.trim() !== '') void createLabel();
              }
            }}
          />
          <Button isDisabled={newLabel.trim() === ''} onPress={() => void createLabel()}>
            Add label
          </Button>
        </div>
      </fieldset>
      {problem !== null && (
        <Alert kind="error">
          <p>{problem.text}</p>
          {problem.isConflict && <Conflict test={test} seenAt={seenAt} onOverwrite={(at) => void save(at)} />}
        </Alert>
      )}
      <div className="row end">
        <Button onPress={done}>Cancel</Button>
        <Button type="submit" kind="primary" isDisabled={name.trim() === '' || update.isPending}>
          Save test
        </Button>
      </div>
    </form>
  );
}

interface ConflictProps {
  readonly test: Output<'get-test-details'>;
  /** The time of the version with which the form began. */
  readonly seenAt: string;
  readonly onOverwrite: (at: string) => void;
}

/** Somebody else has stored another version: shows it, and lets the person decide. What was typed stays in the form. */
function Conflict({ test, seenAt, onOverwrite }: ConflictProps) {
  const theirs = useTool('get-test-details', { projectId: test.projectId, testId: test.testId });
  const now = theirs.data;
  if (!now || now.updatedAt === seenAt)
    return (
      <Button small onPress={() => void theirs.refetch()}>
        Show what is stored now
      </Button>
    );
  return (
    <div className="stack tight">
      <p>
        Stored now: <strong>{now.testName}</strong>
      </p>
      <TestText test={now} />
      <div className="row">
        <Button small onPress={() => onOverwrite(now.updatedAt)}>
          Replace it with mine
        </Button>
      </div>
    </div>
  );
}
