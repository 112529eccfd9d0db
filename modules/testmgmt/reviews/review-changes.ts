import type { Query } from '../../../core/db/query/db.ts';
import type { Step } from '../base/schema.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { idsIn, type References } from '../cases/case-references.ts';
import type { ChangedFields } from '../cases/case-store.ts';
import type { Review } from '../proposals/review-store.ts';
import { everyClassification, idFieldOf } from '../rules/classification.ts';
import { fieldValueAt } from '../rules/field-value.ts';
import type { ProposedFields } from '../rules/review-mode.ts';
import { differenceOfSteps } from '../versions/step-difference.ts';

/** What an id, or a list of ids, of a field stands for today; undefined: it has none, or they are gone. */
function nameOf(field: string, value: unknown, known: References): string | undefined {
  if (field === 'labels')
    return (
      (Array.isArray(value) ? value : [])
        .map((id) => known.labels.get(Number(id)) ?? `deleted (${Number(id)})`)
        .join(', ') || undefined
    );
  if (typeof value !== 'number') return undefined;
  if (field === 'sectionId') return sectionPath(known.sections, value).join(' > ') || undefined;
  if (field === 'squadId') return known.squads.get(value);
  return everyClassification.some((kind) => idFieldOf[kind] === field)
    ? known.classifications.get(value)?.name
    : undefined;
}

/** The values before of the own fields that are set. */
const ownBefore = (values: ChangedFields['fieldValues'], set: unknown) =>
  Object.fromEntries(Object.keys(set as object).map((key) => [key, fieldValueAt(values, key) ?? null]));

const stepsOf = (value: unknown): readonly Step[] => (Array.isArray(value) ? (value as Step[]) : []);

/**
 * What a proposal changes, with the names of what ids stand for, and its steps as added, removed or changed.
 * @param base the values of the version that it started from; empty for a new test.
 */
export async function shownChanges(q: Query, { projectId, set, deletes }: Review, base: ProposedFields) {
  if (deletes) return { changes: [{ field: 'deleted', from: false, to: true }], steps: [] };
  const known = await loadReferences(q, projectId, idsIn([base as ChangedFields, set as ChangedFields]));
  const changes = Object.entries(set).map(([field, to]) => {
    const from: unknown =
      field === 'fields' ? ownBefore((base as ChangedFields).fieldValues, to) : (base[field] ?? null);
    const [fromName, toName] = [nameOf(field, from, known), nameOf(field, to, known)];
    return {
      field,
      from,
      to,
      ...(fromName === undefined ? {} : { fromName }),
      ...(toName === undefined ? {} : { toName }),
    };
  });
  const steps = 'steps' in set ? differenceOfSteps(stepsOf(base['steps']), stepsOf(set['steps'])) : [];
  return { changes, steps: [...steps] };
}
