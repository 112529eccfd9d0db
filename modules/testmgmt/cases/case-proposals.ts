import { Fault } from '../../../core/base/errors.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Context } from '../../../core/host/host.ts';
import { fail } from '../base/errors.ts';
import { requireFieldValues } from '../fields/field-value-store.ts';
import type { Proposal } from '../proposals/review-rule.ts';
import type { ProposedFields } from '../rules/review-mode.ts';
import type { MakingPaths } from '../sections/section-path-store.ts';
import { maxLabels, requireFewLabels } from './case-label-changes.ts';
import { withSectionIds } from './case-placement-store.ts';
import { labelsOf } from './case-record-store.ts';
import { loadReferences } from './case-reference-store.ts';
import { idsIn, requireReferences } from './case-references.ts';
import { testFor, type ChangedFields } from './case-store.ts';
import { valuesOfTest } from './case-values.ts';

/* What an agent writes where changes of tests need a review: the same checks as those of the write, then proposals. */

interface Given<T> {
  readonly projectId: number;
  readonly items: readonly T[];
  readonly create: boolean;
  readonly signal: AbortSignal;
  /** The path of an item in the call, e.g. `tests[3].`. */
  readonly pathOf?: (index: number) => string;
}

/** The section of a test may be its path. */
type GivenFields = ChangedFields & { readonly section?: string | null };

type Author = Pick<Context, 'actor' | 'clock'>;

/**
 * The fields with ids in the place of paths, checked. A proposal creates no section.
 * @throws Fault SECTION_NOT_FOUND, NOT_IN_PROJECT, INVALID_REQUEST.
 */
async function checkedFields(
  q: Query,
  {
    projectId,
    items,
    create,
    signal,
    isNew = false,
    pathOf = () => '',
  }: Given<GivenFields> & {
    readonly isNew?: boolean;
  },
  { actor, clock }: Author,
): Promise<readonly ChangedFields[]> {
  const making: MakingPaths = { create: false, by: actor.userId, now: clock.now(), signal };
  try {
    const placed = await withSectionIds(q, projectId, items, { ...making, pathOf });
    const known = await loadReferences(q, projectId, idsIn(placed, { fields: isNew }));
    requireReferences(projectId, placed, known, { pathOf });
    await requireFieldValues(q, placed, { projectId, known: known.fields, isNew, pathOf });
    return placed;
  } catch (error) {
    if (!create || !(error instanceof Fault) || error.code !== 'SECTION_NOT_FOUND') throw error;
    throw fail.SECTION_NOT_FOUND(`${error.message} A proposal creates no section.`, {
      cause: 'section',
      tip: 'Create it with add-section, then send the call again without create.',
    });
  }
}

/** @throws Fault as {@link checkedFields}. */
export async function proposalsOfNew(
  q: Query,
  given: Given<GivenFields & { readonly testName: string }>,
  author: Author,
): Promise<readonly Proposal[]> {
  const placed = await checkedFields(q, { ...given, isNew: true }, author);
  return placed.map((fields) => ({
    testId: null,
    baseVersion: 0,
    set: { ...fields, testName: fields.testName?.trim() },
  }));
}

/** The fields that a change would set to another value than the present one. */
function differingFields(
  present: ReturnType<typeof valuesOfTest>,
  { addLabels = [], removeLabels = [], fields: own, ...fields }: ChangedFields,
): ProposedFields {
  const ids = [...new Set([...(fields.labels ?? present.labels), ...addLabels])];
  const labels = ids.filter((id) => !removeLabels.includes(id)).toSorted((a, b) => a - b);
  const wanted: ProposedFields = { ...fields, labels };
  const compared = (field: string, value: unknown): string => {
    if (field === 'testDescription' || field === 'preconditions') return JSON.stringify(value ?? '');
    if (field === 'testName') return JSON.stringify(String(value).trim());
    return JSON.stringify(value ?? (field === 'steps' ? [] : null));
  };
  const stored: Readonly<Record<string, unknown>> = present.fieldValues ?? {};
  const changedOwn = Object.entries(own ?? {}).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(stored[key] ?? null),
  );
  const sortedLabels = { ...present, labels: present.labels.toSorted((a, b) => a - b) };
  const differing = Object.entries(wanted).filter(
    ([field, value]) => compared(field, value) !== compared(field, Reflect.get(sortedLabels, field)),
  );
  return {
    ...Object.fromEntries(differing),
    ...(changedOwn.length > 0 ? { fields: Object.fromEntries(changedOwn) } : {}),
  };
}

/** Changes of tests that exist. One that leaves its test as it is makes no proposal. @throws Fault as {@link checkedFields}. */
export async function proposalsOfChanges(
  q: Query,
  given: Given<GivenFields> & { readonly testIds: readonly number[] },
  author: Author,
): Promise<readonly Proposal[]> {
  const placed = await checkedFields(q, given, author);
  const labels = await labelsOf(q, given.testIds);
  const proposals: Proposal[] = [];
  for (const [index, testId] of given.testIds.entries()) {
    const test = await testFor(q, author.actor, given.projectId, testId);
    const ids = (labels.get(testId) ?? []).map(({ labelId }) => labelId);
    const set = differingFields(valuesOfTest(test, ids), placed[index] ?? {});
    const { labels: wanted } = set as { readonly labels?: readonly number[] };
    if (wanted && wanted.length > maxLabels) requireFewLabels([testId]);
    if (Object.keys(set).length > 0) proposals.push({ testId, baseVersion: test.version, set });
  }
  return proposals;
}

/** @throws Fault TEST_NOT_FOUND, NOT_IN_PROJECT. */
export async function proposalsOfDeletion(
  q: Query,
  actor: Author['actor'],
  projectId: number,
  testIds: readonly number[],
): Promise<readonly Proposal[]> {
  const proposals: Proposal[] = [];
  for (const testId of testIds) {
    const { version } = await testFor(q, actor, projectId, testId);
    proposals.push({ testId, baseVersion: version, set: {}, deletes: true });
  }
  return proposals;
}
