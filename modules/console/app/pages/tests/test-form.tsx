import { useEffect, useRef, useState } from 'react';
import { everyClassification, idFieldOf } from '../../../../testmgmt/rules/classification.ts';
import type { Output } from '../../api/calls.ts';
import { useMe, useTool } from '../../api/queries.ts';
import type { Named, useMetadata } from '../../api/metadata.ts';
import { useTyped, type Typed } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { Check, Choice, Field, type Option } from '../../design/fields.tsx';
import { Alert, Answer, Left } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { FieldInputs, useProjectFields, type OwnValues } from '../fields/field-inputs.tsx';
import { classificationTitle } from '../../api/classification-title.ts';
import { useSectionOptions } from './section-options.ts';
import { proposedSet, type ProposedSet } from '../reviews/test-proposal.ts';
import { OwnProposals } from '../reviews/own-proposals.tsx';
import type { Step } from './steps/step-list.ts';
import { StepsEditor } from './steps/steps-editor.tsx';
import { estimateText, secondsOfEstimate } from '../planning/estimate-words.ts';
import { PeopleChoice } from '../planning/people-choice.tsx';
import { TestConflict } from './test-conflict.tsx';
import { typedTestOf, useNewLabel, useTestStorage, type TypedTest } from './test-storage.ts';
import { ownUndo } from '../versions/test-undo.ts';
import { t } from '../../texts/text.ts';

type Test = Output<'get-test-details'>;

interface TestFormProps {
  readonly test: Test;
  readonly metadata: ReturnType<typeof useMetadata>;
  readonly onDone: () => void;
  /** Opens the form again, with what was typed. */
  readonly onReopen: () => void;
  /** Pasted before the form was opened: after the steps that the test has. */
  readonly pasted?: readonly Step[];
  /** The proposal in whose place this one is to be, with what it has in the form. */
  readonly proposal?: { readonly reviewId: number; readonly typed: Partial<TypedTest> } | undefined;
}

/** The key for the unsaved input of a test's form. */
export const draftOfTest = (testId: number): string => `test:${testId}`;

/** Whether nobody has typed into the form: it has what is stored, or what was proposed. */
const isUntouched =
  (proposal: TestFormProps['proposal']) =>
  (typed: TypedTest, base: TypedTest): boolean =>
    [base, { ...base, ...proposal?.typed }].some((one) => JSON.stringify(one) === JSON.stringify(typed));

/** All fields of a test. It is stored only if nobody else has stored another version meanwhile. */
export function TestForm({ test, metadata, onDone, onReopen, pasted, proposal }: TestFormProps) {
  const key = proposal === undefined ? draftOfTest(test.testId) : `proposal:${proposal.reviewId}`;
  const form = useTyped(key, () => typedTestOf(test), isUntouched(proposal));
  const { type } = form;
  const { name, steps, ids, own, seenAt } = form.typed;
  const fields = useProjectFields(test.projectId, 'test');
  const [wasPasted] = useState(pasted);
  useEffect(() => {
    if (wasPasted !== undefined && wasPasted.length > 0) type({ steps: [...test.steps, ...wasPasted] });
    if (proposal !== undefined && !form.wasLeft) type(proposal.typed);
    // Once, when the form is opened.
  }, [wasPasted]);
  const storage = useTestStorage({ test, instead: proposal?.reviewId, onDone }, form);
  const { problem, isBusy, mustPropose } = storage;
  const isWrongEstimate = secondsOfEstimate(form.typed.estimate) === undefined;
  const isIncomplete = name.trim() === '' || isWrongEstimate;
  const problemPlace = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A key saves from anywhere in the form, and what became of it stands at its end. The button that was pressed is not there meanwhile.
    if (problem === null) return;
    problemPlace.current?.scrollIntoView({ block: 'nearest' });
    problemPlace.current?.focus({ preventScroll: true });
  }, [problem]);
  const cancel = () => {
    const bringBack = form.discard();
    onDone();
    if (!form.isDirty) return;
    const run = () => {
      bringBack();
      onReopen();
    };
    say(t('Your changes were discarded.'), { name: t('Undo'), run });
  };
  const submit = () => {
    // By a key from anywhere in the form, too, where no disabled button is in the way.
    if (isIncomplete) return;
    void (mustPropose ? storage.propose() : storage.save());
  };
  return (
    <form
      className="stack"
      {...ownUndo}
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey)) return;
        if (event.key === 'Enter') submit();
        else if (event.key === 's' && !isIncomplete && !isBusy)
          void (mustPropose ? storage.propose() : storage.saveAndStay());
        else return;
        event.preventDefault();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {form.wasLeft && <Left />}
      {proposal === undefined && <OwnProposals projectId={test.projectId} testId={test.testId} />}
      <Field label={t('Name')} {...form.field('name')} maxLength={255} autoFocus />
      <Field
        label={t('Description')}
        note={t('Markdown')}
        {...form.field('description')}
        lines={4}
        maxLength={20_000}
      />
      <Field
        label={t('Preconditions')}
        note={t('Markdown')}
        {...form.field('preconditions')}
        lines={2}
        maxLength={20_000}
      />
      <StepsEditor steps={steps} onChange={(list) => type({ steps: list })} />
      <Field
        label={t('Estimate')}
        {...form.field('estimate')}
        note={t('The working time of one run, e.g. 5 m or 1 h 30 m.')}
        error={isWrongEstimate ? t('Write a time such as 5 m or 1 h 30 m.') : undefined}
        maxLength={60}
      />
      <Choices test={test} metadata={metadata} ids={ids} onChange={(chosen) => type({ ids: chosen })} />
      <FieldInputs
        projectId={test.projectId}
        fields={fields}
        values={{ ...test.fields, ...own }}
        onChange={(key, value) => type({ own: { ...own, [key]: value } })}
      />
      <Labels projectId={test.projectId} offered={metadata.labels} form={form} onError={storage.refuse} />
      {mustPropose && <Why form={form} />}
      {mustPropose && <Ask projectId={test.projectId} form={form} />}
      {problem !== null && (
        <div ref={problemPlace} tabIndex={-1}>
          <Alert kind="error">
            <p>{problem.text}</p>
            {problem.conflict !== undefined && (
              <TestConflict
                test={test}
                seenAt={seenAt}
                isDeleted={problem.conflict === 'deleted'}
                collisionsWith={storage.collisionsWith}
                onSave={(now) => void storage.decide(now)}
              />
            )}
          </Alert>
        </div>
      )}
      <FormButtons
        mustPropose={mustPropose}
        isDisabled={isIncomplete || isBusy}
        onCancel={cancel}
        onPropose={() => void storage.propose()}
      />
    </form>
  );
}

/** A proposal in place of another one keeps what that one said, unless it is changed here. */
const Why = ({ form }: { readonly form: Typed<TypedTest> }) => (
  <Field
    label={t('Why')}
    note={t('For those who decide on the proposal.')}
    {...form.field('why')}
    lines={2}
    maxLength={2_000}
  />
);

interface AskProps {
  readonly projectId: number;
  readonly form: Typed<TypedTest>;
}

/** Who decides on the proposal; nobody is chosen: every member may. */
function Ask({ projectId, form }: AskProps) {
  const me = useMe().data?.userId;
  return (
    <div className="stack tight">
      <span className="label">{t('Ask')}</span>
      <PeopleChoice
        projectId={projectId}
        label={t('Ask')}
        without={me}
        chosen={form.typed.reviewers}
        onChange={(reviewers) => form.type({ reviewers })}
      />
      <span className="note">
        {t('Only those whom you choose decide on the proposal; without a choice, every member may.')}
      </span>
    </div>
  );
}

interface FormButtonsProps {
  readonly mustPropose: boolean;
  readonly isDisabled: boolean;
  readonly onCancel: () => void;
  readonly onPropose: () => void;
}

const FormButtons = ({ mustPropose, isDisabled, onCancel, onPropose }: FormButtonsProps) => (
  <div className="row end">
    <Button onPress={onCancel}>{t('Cancel')}</Button>
    {!mustPropose && (
      <Button isDisabled={isDisabled} onPress={onPropose}>
        {t('Propose instead')}
      </Button>
    )}
    <Button type="submit" kind="primary" isDisabled={isDisabled}>
      {mustPropose ? t('Propose change') : t('Save test')}
    </Button>
  </div>
);

const none = { id: 'none', name: t('(none)') };
const idText = (id: number | null): string => (id === null ? none.id : String(id));
const idOf = (text: string): number | null => (text === none.id ? null : Number(text));
const optionsOf = (values: readonly Named[]): readonly Option[] =>
  values.map(({ id, name }) => ({ id: String(id), name }));

interface ChoicesProps extends Pick<TestFormProps, 'test' | 'metadata'> {
  readonly ids: TypedTest['ids'];
  readonly onChange: (ids: TypedTest['ids']) => void;
}

/** Section, classifications and squad. */
function Choices({ test, metadata, ids, onChange }: ChoicesProps) {
  const sections = useSectionOptions(test.projectId);
  const choices = [
    { field: 'sectionId', label: t('Section'), options: sections },
    ...everyClassification.map((kind) => ({
      field: idFieldOf[kind],
      label: classificationTitle(kind),
      options: optionsOf(metadata.ofKind(kind)),
    })),
    { field: 'squadId', label: t('Squad'), options: optionsOf(metadata.squads) },
  ] as const;
  return choices.map(({ field, label, options }) => (
    <Choice
      key={field}
      label={label}
      options={[none, ...options]}
      value={idText(ids[field] === undefined ? test[field] : ids[field])}
      onChange={(value) => onChange({ ...ids, [field]: idOf(value) })}
    />
  ));
}

interface LabelsProps {
  readonly projectId: number;
  readonly offered: readonly Named[];
  readonly form: Typed<TypedTest>;
  readonly onError: (error: unknown) => void;
}

/** The labels of the project to tick, and a field for a new one. */
function Labels({ projectId, offered, form, onError }: LabelsProps) {
  const { typed, type, field } = form;
  const { labels, newLabel } = typed;
  const isNamed = newLabel.trim() !== '';
  const add = useNewLabel(projectId, form);
  const create = () => add().catch(onError);
  return (
    <fieldset className="card stack tight">
      <legend>{t('Labels')}</legend>
      <div className="row">
        {offered.map(({ id, name }) => (
          <Check
            key={id}
            isSelected={labels.includes(id)}
            onChange={(isOn) => type({ labels: isOn ? [...labels, id] : labels.filter((one) => one !== id) })}
          >
            {name}
          </Check>
        ))}
      </div>
      <div className="row nowrap">
        <Field
          label={t('New label')}
          {...field('newLabel')}
          maxLength={255}
          onKeyDown={(event) => {
            // Enter belongs to this field, not to the form.
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) event.continuePropagation();
            else {
              event.preventDefault();
              if (isNamed) void create();
            }
          }}
        />
        <Button isDisabled={!isNamed} onPress={() => void create()}>
          {t('Add label')}
        </Button>
      </div>
    </fieldset>
  );
}

const idFields = ['sectionId', 'squadId', ...everyClassification.map((kind) => idFieldOf[kind])] as const;

/** What was proposed, as it stands in the form of a test. */
function typedIn(set: ProposedSet): Partial<TypedTest> {
  const { testName, testDescription, preconditions, steps, labels, fields, estimateSeconds } = set;
  const ids = Object.fromEntries(
    idFields.flatMap((field) => (set[field] === undefined ? [] : [[field, set[field]]])),
  );
  return {
    ids,
    ...(testName !== undefined && { name: testName }),
    ...(testDescription !== undefined && { description: testDescription ?? '' }),
    ...(preconditions !== undefined && { preconditions: preconditions ?? '' }),
    ...(steps && { steps }),
    ...(labels && { labels }),
    ...(fields && { own: fields as OwnValues }),
    ...(estimateSeconds !== undefined && { estimate: estimateText(estimateSeconds) }),
  };
}

/** The form of a test with what its author has proposed. What is proposed now takes its place. */
export const ProposalForm = ({
  reviewId,
  ...form
}: Omit<TestFormProps, 'proposal' | 'pasted'> & { readonly reviewId: number }) => (
  <Answer of={useTool('get-review', { reviewId })}>
    {({ changes, comment, reviewers }) => (
      <TestForm
        {...form}
        proposal={{ reviewId, typed: { ...typedIn(proposedSet(changes)), why: comment, reviewers } }}
      />
    )}
  </Answer>
);
