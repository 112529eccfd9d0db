import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import {
  classifications,
  everyClassification,
  idFieldOf,
  type Classification,
  type ClassificationId,
} from '../rules/classification.ts';
import type { FieldDefinition, GivenFieldValues } from '../rules/field-value.ts';

/** The records to which tests of one project refer, by id. */
export interface References {
  /** The project's own fields of tests, by key; empty unless a test has values, or needs some. */
  readonly fields: ReadonlyMap<string, FieldDefinition>;
  readonly classifications: ReadonlyMap<number, { readonly kind: Classification; readonly name: string }>;
  readonly sections: ReadonlyMap<number, SectionNode>;
  readonly squads: ReadonlyMap<number, string>;
  readonly labels: ReadonlyMap<number, string>;
}

interface SectionNode {
  readonly name: string;
  readonly parentId: number | null;
  readonly deletedAt: number | null;
}

/** The ids in a test, as given by callers or as stored. */
export interface ReferringIds extends Readonly<Partial<Record<ClassificationId, number | null>>> {
  readonly sectionId?: number | null;
  readonly squadId?: number | null;
  readonly labels?: readonly number[];
  readonly addLabels?: readonly number[];
  readonly removeLabels?: readonly number[];
  readonly fields?: GivenFieldValues | null;
  readonly fieldValues?: GivenFieldValues | null;
}

const labelFields = ['labels', 'addLabels', 'removeLabels'] as const;

/** An id that is not in the project: its path in the test, and the tool that lists the valid ids. */
interface ForeignReference {
  readonly path: string;
  readonly field: keyof ReferringIds;
  readonly listedBy: string;
}

/** Every id in a test that is not in its project. A deleted section counts as not in the project. */
export function foreignReferences(given: ReferringIds, known: References): readonly ForeignReference[] {
  const found: ForeignReference[] = [];
  for (const kind of everyClassification) {
    const field = idFieldOf[kind];
    const id = given[field] ?? undefined;
    if (id !== undefined && known.classifications.get(id)?.kind !== kind)
      found.push({ path: field, field, listedBy: classifications[kind].tool });
  }
  const sectionId = given.sectionId ?? undefined;
  if (sectionId !== undefined && known.sections.get(sectionId)?.deletedAt !== null) {
    found.push({ path: 'sectionId', field: 'sectionId', listedBy: 'get-sections' });
  }
  const squadId = given.squadId ?? undefined;
  if (squadId !== undefined && !known.squads.has(squadId)) {
    found.push({ path: 'squadId', field: 'squadId', listedBy: 'get-squads' });
  }
  for (const field of labelFields) {
    for (const [index, label] of (given[field] ?? []).entries()) {
      if (!known.labels.has(label)) found.push({ path: `${field}[${index}]`, field, listedBy: 'get-labels' });
    }
  }
  return found;
}

interface CheckOptions {
  /** The path of a test in the call, e.g. `tests[3].`; empty for the only one. */
  readonly pathOf?: (index: number) => string;
  /** The last sentence of the error: empty for a read. */
  readonly outcome?: string;
}

/** 5,000 tests may have 500,000 invalid labels. 20 are named, and the count stops here. */
const maxCounted = 1_000;

/**
 * Checks the ids in tests of one project.
 * @throws Fault NOT_IN_PROJECT that names the invalid fields and the tools that list the valid ids.
 */
export function requireReferences(
  projectId: number,
  items: readonly ReferringIds[],
  known: References,
  { pathOf = () => '', outcome = ' Nothing was written.' }: CheckOptions = {},
): void {
  const foreign: ForeignReference[] = [];
  for (const [index, item] of items.entries()) {
    for (const one of foreignReferences(item, known))
      foreign.push({ ...one, path: pathOf(index) + one.path });
    if (foreign.length >= maxCounted) break;
  }
  const [first] = foreign;
  if (!first) return;
  const problems = foreign.map(({ path }) => `${path} is not of project ${projectId}`);
  const tools = [...new Set(foreign.map(({ listedBy }) => listedBy))];
  throw fail.NOT_IN_PROJECT(`${firstProblems(problems)}.${outcome}`, {
    cause: /^[^.[]+/.exec(first.path)?.[0] ?? first.field,
    tip: `Use ${tools.join(', ')} to see the ids of this project.`,
  });
}

export interface ReferredIds {
  readonly classifications: ReadonlySet<number>;
  readonly sections: ReadonlySet<number>;
  readonly squads: ReadonlySet<number>;
  readonly labels: ReadonlySet<number>;
  /** Whether a test has values of own fields. */
  readonly fields: boolean;
}

/**
 * The ids in tests, without duplicates.
 * @param options `fields`: the own fields of tests are needed, although no test has values: for new tests.
 */
export function idsIn(items: readonly ReferringIds[], { fields = false } = {}): ReferredIds {
  const ids = {
    classifications: new Set<number>(),
    sections: new Set<number>(),
    squads: new Set<number>(),
    labels: new Set<number>(),
    fields,
  };
  const note = (set: Set<number>, id: number | null | undefined) => {
    if (id !== null && id !== undefined) set.add(id);
  };
  for (const item of items) {
    for (const kind of everyClassification) note(ids.classifications, item[idFieldOf[kind]]);
    note(ids.sections, item.sectionId);
    note(ids.squads, item.squadId);
    if (item.fields ?? item.fieldValues) ids.fields = true;
    for (const field of labelFields) for (const label of item[field] ?? []) ids.labels.add(label);
  }
  return ids;
}

/** Labels of a test as records show them: without duplicates, in id order. */
export const namedLabels = (labelIds: readonly number[], known: References) =>
  [...new Set(labelIds)]
    .toSorted((a, b) => a - b)
    .map((labelId) => ({ labelId, labelName: known.labels.get(labelId) ?? '' }));
