import { mergeSequences } from '../../../../testmgmt/case-files/sequence-merge.ts';
import { changedSince } from '../reviews/test-proposal.ts';
import type { Step } from './steps/step-list.ts';

/** What a form has of a test, besides what is chosen from lists. */
export interface FormContent {
  readonly testName: string;
  readonly testDescription: string | null;
  readonly preconditions: string | null;
  readonly steps: readonly Step[];
  readonly labels: readonly number[];
  readonly estimateSeconds: number | null;
}

/** What both changed, each differently: a field, or the number of a step. */
export type TestCollision = Exclude<keyof FormContent, 'labels'> | number;

interface Merged {
  /** The fields to store. */
  readonly given: Partial<FormContent>;
  readonly collisions: readonly TestCollision[];
}

/**
 * What to store of a form whose test somebody else has changed meanwhile (three-way): only what the person changed, single steps and labels
 * included. What both changed is as the person has it.
 */
export function mergedContent(base: FormContent, typed: FormContent, now: FormContent): Merged {
  const { steps, labels, ...texts } = changedSince<FormContent>(base, typed);
  const theirs = changedSince<FormContent>(base, now);
  const collisions = (Object.keys(texts) as Array<keyof typeof texts>).filter(
    (field) => field in theirs && texts[field] !== now[field],
  );
  const merged = steps && mergedSteps(base.steps, steps, now.steps);
  return {
    given: {
      ...texts,
      ...(merged && { steps: merged.steps }),
      ...(labels && { labels: mergedLabels(base.labels, labels, now.labels) }),
    },
    collisions: [...collisions, ...(merged?.collisions ?? [])],
  };
}

/** Those of the server without what was taken away, and with what was added. */
function mergedLabels(base: readonly number[], mine: readonly number[], now: readonly number[]): number[] {
  const kept = now.filter((id) => mine.includes(id) || !base.includes(id));
  return [...kept, ...mine.filter((id) => !base.includes(id) && !kept.includes(id))];
}

interface MergedSteps {
  readonly steps: readonly Step[];
  readonly collisions: readonly TestCollision[];
}

function mergedSteps(base: readonly Step[], mine: readonly Step[], now: readonly Step[]): MergedSteps {
  // Nobody added or removed one: each is merged by its fields. Neighbours would be one conflict for a merge of sequences.
  if (base.length === mine.length && base.length === now.length) {
    const merged = mine.map((step, index) => mergedStep(base[index], step, now[index]));
    return {
      steps: merged.map(({ step }) => step),
      collisions: merged.flatMap(({ collides }, index) => (collides ? [index + 1] : [])),
    };
  }
  const lines = (steps: readonly Step[]) => steps.map((step) => JSON.stringify(fieldsOf(step)));
  const parts = mergeSequences(lines(base), lines(mine), lines(now));
  return {
    steps: parts
      .flatMap(({ items, conflict }) => items ?? conflict.ours)
      .map((line) => JSON.parse(line) as Step),
    collisions: parts.some(({ conflict }) => conflict !== undefined) ? ['steps'] : [],
  };
}

const parts = ['action', 'data', 'expected'] as const;

/** In one order of the fields, so that equal steps are equal texts. */
const fieldsOf = (step: Step | undefined): Step => ({
  action: step?.action ?? '',
  ...Object.fromEntries(
    parts.flatMap((part) => (part === 'action' || !step?.[part] ? [] : [[part, step[part]]])),
  ),
});

function mergedStep(base: Step | undefined, mine: Step, now: Step | undefined) {
  let collides = false;
  const chosen = parts.map((part) => {
    const [before, ours, theirs] = [base?.[part] ?? '', mine[part] ?? '', now?.[part] ?? ''];
    if (ours === before) return [part, theirs] as const;
    if (theirs !== before && theirs !== ours) collides = true;
    return [part, ours] as const;
  });
  return { step: fieldsOf(Object.fromEntries(chosen) as unknown as Step), collides };
}
