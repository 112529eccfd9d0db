import { mergeSequences } from '../case-files/sequence-merge.ts';
import type { ProposedFields } from '../rules/review-mode.ts';

interface MergedProposal {
  /** The fields to write. */
  readonly fields: ProposedFields;
  /** Fields that the proposal and a later change of the test set differently. */
  readonly conflicts: readonly string[];
}

const texts: ReadonlySet<string> = new Set(['testDescription', 'preconditions']);

/** A value as it is compared: what is not set is empty, labels have no order. */
function compared(field: string, value: unknown): unknown {
  if (texts.has(field)) return value ?? '';
  if (field === 'labels') return ids(value).toSorted((a, b) => a - b);
  return field === 'testName' && typeof value === 'string' ? value.trim() : (value ?? null);
}

const ids = (value: unknown): readonly number[] => [
  ...new Set(Array.isArray(value) ? value.map(Number) : []),
];

const textOf = (field: string, value: unknown): string => JSON.stringify(compared(field, value));

/**
 * Merges a proposal into a test by fields: a field that only one side changed since the base is that side's. Texts are merged by line, steps
 * by step, labels as a set.
 * @param base the values of the version that the proposal started from.
 * @param present the values of the test now.
 */
export function mergeProposal(given: {
  readonly base: ProposedFields;
  readonly present: ProposedFields;
  readonly set: ProposedFields;
}): MergedProposal {
  const { base, present, set } = given;
  const fields: Record<string, unknown> = {};
  const conflicts: string[] = [];
  for (const [field, wanted] of Object.entries(set)) {
    if (field === 'fields') {
      const own = mergedOwn(base['fieldValues'], present['fieldValues'], wanted);
      if (own === undefined) conflicts.push(field);
      else if (Object.keys(own).length > 0) fields[field] = own;
      continue;
    }
    const [before, now, next] = [base, present, set].map((side) => textOf(field, side[field]));
    if (next === now || next === before) continue;
    if (now === before) {
      fields[field] = wanted;
      continue;
    }
    const merged = mergedValue(field, { base: base[field], present: present[field], wanted });
    if (merged === undefined) conflicts.push(field);
    else fields[field] = merged;
  }
  return { fields, conflicts };
}

const valuesIn = (values: unknown): Readonly<Record<string, unknown>> =>
  typeof values === 'object' && values !== null ? { ...values } : {};

/** Values of the project's own fields, each by itself; null clears one. Undefined: a conflict. */
function mergedOwn(base: unknown, present: unknown, wanted: unknown): ProposedFields | undefined {
  const [before, now] = [valuesIn(base), valuesIn(present)];
  const text = (value: unknown) => JSON.stringify(value ?? null);
  const news = Object.entries(valuesIn(wanted)).filter(
    ([key, value]) => text(value) !== text(now[key]) && text(value) !== text(before[key]),
  );
  return news.some(([key]) => text(now[key]) !== text(before[key])) ? undefined : Object.fromEntries(news);
}

interface Sides {
  readonly base: unknown;
  readonly present: unknown;
  readonly wanted: unknown;
}

/** The value of a field that both changed; undefined: a conflict. */
function mergedValue(field: string, { base, present, wanted }: Sides): unknown {
  if (field === 'labels') {
    const [before, here, there] = [base, wanted, present].map((side) => new Set(ids(side)));
    return [...new Set([...ids(base), ...ids(present), ...ids(wanted)])].filter((id) =>
      before?.has(id) ? here?.has(id) && there?.has(id) : true,
    );
  }
  if (texts.has(field)) {
    const lines = (side: unknown) => (typeof side === 'string' ? side : '').split('\n');
    return mergedItems(lines(base), lines(wanted), lines(present))?.join('\n');
  }
  if (field !== 'steps') return undefined;
  const steps = (side: unknown) => (Array.isArray(side) ? side.map(stepText) : []);
  return mergedItems(steps(base), steps(wanted), steps(present))?.map((step): unknown => JSON.parse(step));
}

/** A step with its parts in one order. */
const stepText = (step: unknown): string => {
  const { action, data, expected } = step as Readonly<Record<string, unknown>>;
  return JSON.stringify({ action, data, expected });
};

function mergedItems(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): readonly string[] | undefined {
  const parts = mergeSequences(base, ours, theirs);
  return parts.every(({ conflict }) => !conflict) ? parts.flatMap(({ items }) => items ?? []) : undefined;
}
