import { useState } from 'react';
import { everyClassification } from '../../../../testmgmt/rules/classification.ts';
import { Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import type { useMetadata } from '../../api/metadata.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
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

const none = { id: 'none', name: '(none)' };
const idText = (id: number | null): string => (id === null ? none.id : String(id));
const idOf = (text: string): number | null => (text === none.id ? null : Number(text));

/** All fields of a test. It is stored only if nobody else has stored another version meanwhile. */
export function TestForm({ test, metadata, onDone }: TestFormProps) {
  const sections = useSectionOptions(test.projectId);
  const update = useChange('update-test', ['get-tests', 'get-test-details', 'list-activity']);
  const addLabels = useChange('add-labels', ['get-labels']);
  const [name, setName] = useState(test.testName);
  const [description, setDescription] = useState(test.testDescription);
  const [preconditions, setPreconditions] = useState(test.preconditions);
  const [steps, setSteps] = useState<readonly Step[]>(test.steps);
  const [ids, setIds] = useState<Readonly<Record<string, number | null>>>({});
  const [labels, setLabels] = useState(test.labels.map(({ labelId }) => labelId));
  const [newLabel, setNewLabel] = useState('');
  const [seenAt] = useState(test.updatedAt);
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
        labels,
        seenAt: over ?? seenAt,
        ...ids,
      });
      say('The test was saved.');
      onDone();
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
      setLabels([...new Set([...labels, ...made.map(({ labelId }) => labelId)])]);
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
      onChange={(value) => setIds({ ...ids, [field]: idOf(value) })}
    />
  );
  const named = (values: ReadonlyArray<{ readonly id: number; readonly name: string }>) =>
    values.map(({ id, name: one }) => ({ id: String(id), name: one }));

  return (
    <form
      data-unsaved
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Name" value={name} onChange={setName} maxLength={255} autoFocus />
      <Field
        label="Description"
        note="Markdown"
        value={description}
        onChange={setDescription}
        lines={4}
        maxLength={20_000}
      />
      <Field
        label="Preconditions"
        value={preconditions}
        onChange={setPreconditions}
        lines={2}
        maxLength={20_000}
      />
      <StepsEditor steps={steps} onChange={setSteps} />
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
              onChange={(isOn) => setLabels(isOn ? [...labels, id] : labels.filter((one) => one !== id))}
            >
              {label}
            </Check>
          ))}
        </div>
        <div className="row nowrap">
          <Field label="New label" value={newLabel} onChange={setNewLabel} maxLength={255} />
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
        <Button onPress={onDone}>Cancel</Button>
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
