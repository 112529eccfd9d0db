import { useRef, useState } from 'react';
import { call, Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { useOneAtATime } from '../../api/one-at-a-time.ts';
import { useTesters } from '../../api/people.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import type { Typed } from '../../api/unsaved.ts';
import { say } from '../../design/toast.tsx';
import { useProjectFields, type OwnValues } from '../fields/field-inputs.tsx';
import { valuesToSend } from '../fields/field-words.ts';
import { estimateText, secondsOfEstimate } from '../planning/estimate-words.ts';
import { changedOf } from '../reviews/test-proposal.ts';
import { useProposal } from '../reviews/use-proposal.ts';
import { useUndo } from '../versions/test-undo.ts';
import { storedSteps, type Step } from './steps/step-list.ts';
import { mergedContent, type FormContent } from './test-merge.ts';
import { isDeletedTest } from './test-restore.tsx';
import { t } from '../../texts/text.ts';

type Test = Output<'get-test-details'>;

/** What stands in the form. */
export interface TypedTest {
  readonly name: string;
  readonly description: string;
  readonly preconditions: string;
  readonly steps: readonly Step[];
  /** Section, squad and classifications that were chosen. */
  readonly ids: Readonly<Record<string, number | null>>;
  /** Own fields that were changed; null: cleared. */
  readonly own: OwnValues;
  readonly labels: readonly number[];
  readonly newLabel: string;
  /** e.g. `90 s` or `1 h 30 m`; empty: none. */
  readonly estimate: string;
  /** What a proposal says to those who decide on it. */
  readonly why: string;
  /** The only ones who may decide on a proposal; empty: every member. */
  readonly reviewers: readonly number[];
  /** The time of the version with which the form began. */
  readonly seenAt: string;
}

export const typedTestOf = (test: Test): TypedTest => ({
  name: test.testName,
  description: test.testDescription,
  preconditions: test.preconditions,
  steps: test.steps,
  ids: {},
  own: {},
  labels: test.labels.map(({ labelId }) => labelId),
  newLabel: '',
  estimate: estimateText(test.estimateSeconds),
  why: '',
  reviewers: [],
  seenAt: test.updatedAt,
});

/** The fields that the form has whole; the others are only there once they were changed. */
const contentOf = ({
  name,
  description,
  preconditions,
  steps,
  labels,
  estimate,
}: TypedTest): FormContent => ({
  testName: name,
  testDescription: description === '' ? null : description,
  preconditions: preconditions === '' ? null : preconditions,
  steps: storedSteps(steps),
  labels: [...labels],
  estimateSeconds: secondsOfEstimate(estimate) ?? null,
});

interface Problem {
  readonly text: string;
  /** Somebody else changed the test, or deleted it. */
  readonly conflict?: 'changed' | 'deleted';
}

const problemOf = (error: unknown): Problem => {
  const text = messageOf(error);
  if (!(error instanceof Refusal)) return { text };
  if (error.code === 'TEST_CHANGED') return { text, conflict: 'changed' };
  return isDeletedTest(error) ? { text, conflict: 'deleted' } : { text };
};

/** Creates the label that somebody typed and did not add, if there is one. @returns the fields with it. */
export function useNewLabel(projectId: number, { typed, type }: Typed<TypedTest>) {
  const add = useChange('add-labels');
  return async (): Promise<TypedTest> => {
    const name = typed.newLabel.trim();
    if (name === '') return typed;
    const made = await add.mutateAsync({ projectId, labels: [name] });
    const labels = [...new Set([...typed.labels, ...made.labels.map(({ labelId }) => labelId)])];
    type({ labels, newLabel: '' });
    return { ...typed, labels, newLabel: '' };
  };
}

/** One write at a time, and why the last one was refused. */
function useAttempts() {
  const [problem, setProblem] = useState<Problem | null>(null);
  const oneAtATime = useOneAtATime();
  const attempt = (work: () => Promise<unknown>) =>
    oneAtATime(async () => {
      setProblem(null);
      try {
        await work();
      } catch (error) {
        setProblem(problemOf(error));
      }
    });
  return { problem, setProblem, attempt };
}

/** What was typed, put onto a version: what this person did not change stays as it is, also where somebody else has changed it meanwhile. */
function useMerged(projectId: number, form: Typed<TypedTest>) {
  const fields = useProjectFields(projectId, 'test');
  const mergedOnto = (now: FormContent, typed = form.typed) =>
    mergedContent(contentOf(form.base), contentOf(typed), now);
  const givenOnto = (now: FormContent, typed: TypedTest) => {
    const { ids, own } = typed;
    const { steps, labels, ...texts } = mergedOnto(now, typed).given;
    return {
      ...texts,
      ...(steps && { steps: [...steps] }),
      ...(labels && { labels: [...labels] }),
      ...ids,
      ...(Object.keys(own).length > 0 && { fields: valuesToSend(fields, own) }),
    };
  };
  return { mergedOnto, givenOnto };
}

/** Leaves out whoever has left since a person chose them as a reviewer: they are not asked, and the proposal is not refused. */
function usePresentReviewers(projectId: number) {
  const testers = useTesters(projectId);
  return (chosen: readonly number[]): readonly number[] =>
    testers.length === 0 ? chosen : chosen.filter((id) => testers.some(({ userId }) => userId === id));
}

interface TestStorageProps {
  readonly test: Test;
  /** The proposal whose place a proposal takes. */
  readonly instead: number | undefined;
  readonly onDone: () => void;
}

/** The ways to store a form: and close it, and stay in it, or as a proposal. A test that somebody else has changed is not overwritten. */
export function useTestStorage({ test, instead, onDone }: TestStorageProps, form: Typed<TypedTest>) {
  const { projectId, testId } = test;
  const update = useChange('update-test');
  const { undoButton } = useUndo(projectId);
  const proposing = useProposal(projectId);
  const { problem, setProblem, attempt } = useAttempts();
  const { mergedOnto, givenOnto } = useMerged(projectId, form);
  const { steps, seenAt } = form.typed;
  const addLabel = useNewLabel(projectId, form);
  const presentReviewers = usePresentReviewers(projectId);
  const mustPropose = proposing.isNeeded || instead !== undefined;
  const done = () => {
    form.forget();
    onDone();
  };
  const store = async (now?: Test) => {
    const typed = await addLabel();
    const given = givenOnto(contentOf(now === undefined ? form.base : typedTestOf(now)), typed);
    if (Object.keys(given).length === 0) return null;
    const over = now?.updatedAt ?? seenAt;
    const stored = await update.mutateAsync({ testId, ...given, seenAt: over });
    say(t('The test was saved.'), undoButton());
    return { stored, typed };
  };
  /** The way that a conflict has stopped, for when it is decided. */
  const way = useRef<'save' | 'propose'>('save');
  /** @param over as for save. */
  const propose = (over?: Test) =>
    attempt(async () => {
      way.current = 'propose';
      const typed = await addLabel();
      // A proposal starts from the present version: without this it would take back what was changed meanwhile, and show no conflict.
      const now = over ?? (await call('get-test-details', { projectId, testId }));
      const onto = contentOf(typedTestOf(now));
      if (over === undefined && mergedOnto(onto, typed).collisions.length > 0)
        return setProblem({
          text: t('Somebody else has changed the same place meanwhile.'),
          conflict: 'changed',
        });
      const reviewers = mustPropose ? presentReviewers(typed.reviewers) : undefined;
      const circumstances = { comment: typed.why.trim(), instead, reviewers };
      await proposing.propose({ testId, set: changedOf(now, givenOnto(onto, typed)) }, circumstances);
      return done();
    });
  /** @param now what somebody else has stored meanwhile, onto which the changes go. */
  const save = (now?: Test) =>
    attempt(async () => {
      way.current = 'save';
      await store(now);
      done();
    });
  return {
    problem,
    done,
    propose,
    mustPropose,
    isBusy: update.isPending || proposing.isPending,
    refuse: (error: unknown) => setProblem({ text: messageOf(error) }),
    collisionsWith: (now: Test) => mergedOnto(contentOf(typedTestOf(now))).collisions,
    save,
    /** Goes on with what was stopped by somebody else's change. */
    decide: (now: Test) => (way.current === 'propose' ? propose(now) : save(now)),
    /** The form stays open, with what is stored now: the next change is another version. */
    saveAndStay: () =>
      attempt(async () => {
        const saved = await store();
        if (saved === null) return;
        const { stored, typed } = saved;
        if (!('updatedAt' in stored)) return done();
        return form.goOn(form.typed, {
          ...typed,
          steps: storedSteps(steps),
          ids: {},
          own: {},
          seenAt: stored.updatedAt,
        });
      }),
  };
}
