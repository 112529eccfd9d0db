import { nameKey } from '../../../core/text/name-key.ts';
import type { Step } from '../base/schema.ts';
import {
  comparedContent,
  contentFields,
  sameField,
  type TestContent,
  type ContentField,
} from './case-content.ts';
import { mergeSequences, mergeWithoutBase, type MergedPart } from './sequence-merge.ts';

/** A field that both sides changed differently, with both values as parts. */
export interface FieldConflict {
  readonly field: ContentField;
  /** For texts and steps: lines, or steps as JSON. */
  readonly parts?: ReadonlyArray<MergedPart<string>>;
}

interface MergedCase {
  /** With the values of the file where there is a conflict. */
  readonly content: TestContent;
  /** Fields in which the result differs from the file. */
  readonly changed: readonly ContentField[];
  readonly conflicts: readonly FieldConflict[];
}

/**
 * Merges field by field what a file and a server made of a test since the state that both knew. Texts are merged by line, steps by step,
 * labels as a set.
 * @param base undefined: nobody knows it any more, so every difference is a conflict.
 */
export function mergeCase(given: {
  readonly base: TestContent | undefined;
  readonly file: TestContent;
  readonly server: TestContent;
}): MergedCase {
  const [file, server] = [comparedContent(given.file), comparedContent(given.server)];
  const base = given.base && comparedContent(given.base);
  const taken: Partial<Record<ContentField, unknown>> = {};
  const conflicts: FieldConflict[] = [];
  for (const field of contentFields) {
    if (sameField(file, server, field) || (base && sameField(base, server, field))) continue;
    if (base && sameField(base, file, field)) {
      taken[field] = server[field];
      continue;
    }
    const both = mergedField(field, { base, file, server });
    if (both.value === undefined) conflicts.push({ field, ...(both.parts && { parts: both.parts }) });
    else taken[field] = both.value;
  }
  const merged = comparedContent({ ...file, ...taken } as TestContent);
  const changed = contentFields.filter((field) => !sameField(file, merged, field));
  return { content: merged, changed, conflicts };
}

interface Sides {
  readonly base: TestContent | undefined;
  readonly file: TestContent;
  readonly server: TestContent;
}

interface MergedField {
  /** undefined: a conflict. */
  readonly value?: unknown;
  readonly parts?: ReadonlyArray<MergedPart<string>>;
}

/** A field that both changed. */
function mergedField(field: ContentField, { base, file, server }: Sides): MergedField {
  if (field === 'labels') return { value: mergedLabels(base?.labels ?? [], file.labels, server.labels) };
  if (field === 'testDescription' || field === 'preconditions') {
    const lines = (side: TestContent) => side[field].split('\n');
    return fromParts(mergedItems(base && lines(base), lines(file), lines(server)), (items) =>
      items.join('\n'),
    );
  }
  if (field !== 'steps') return {};
  const steps = (side: TestContent) => side.steps.map((step) => JSON.stringify(step));
  return fromParts(mergedItems(base && steps(base), steps(file), steps(server)), (items) =>
    items.map((step) => JSON.parse(step) as Step),
  );
}

const mergedItems = (
  base: readonly string[] | undefined,
  ours: readonly string[],
  theirs: readonly string[],
): ReadonlyArray<MergedPart<string>> =>
  base === undefined ? mergeWithoutBase(ours, theirs) : mergeSequences(base, ours, theirs);

function fromParts(
  parts: ReadonlyArray<MergedPart<string>>,
  valueOf: (items: readonly string[]) => unknown,
): MergedField {
  const isClean = parts.every(({ conflict }) => !conflict);
  return isClean ? { value: valueOf(parts.flatMap(({ items }) => items ?? [])), parts } : { parts };
}

/** Labels that one side added, without those that one side took away. */
function mergedLabels(
  base: readonly string[],
  file: readonly string[],
  server: readonly string[],
): readonly string[] {
  const keys = (labels: readonly string[]) => new Set(labels.map(nameKey));
  const [before, here, there] = [keys(base), keys(file), keys(server)];
  const all = new Map([...base, ...server, ...file].map((label) => [nameKey(label), label]));
  return [...all].flatMap(([key, label]) =>
    before.has(key) ? (here.has(key) && there.has(key) ? [label] : []) : [label],
  );
}
