import { and, eq } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { fail } from '../base/errors.ts';
import { valuesOf } from '../metadata/classification-store.ts';
import type { NameAuthor, WrittenName } from '../metadata/label-store.ts';
import { requireRoom } from '../projects/project-limits.ts';
import type { Classification } from '../rules/classification.ts';
import { classificationValues, labels, squads } from '../base/schema.ts';
import { listedBy, type MetadataKind } from './metadata-kind.ts';

/** A name of a list: `id` is unique within its kind. */
interface Place {
  readonly projectId: number;
  readonly kind: MetadataKind;
}

const tableOf = (kind: 'label' | 'squad') => (kind === 'label' ? labels : squads) as typeof labels;

/** @throws Fault NOT_IN_PROJECT that names the tool that lists the ids of the project. */
export async function nameFor(
  q: Query,
  { projectId, kind }: Place,
  id: number,
  cause: string,
): Promise<WrittenName> {
  const [row] =
    kind === 'label' || kind === 'squad'
      ? await q
          .select()
          .from(tableOf(kind))
          .where(and(eq(tableOf(kind).id, id), eq(tableOf(kind).projectId, projectId)))
      : await q
          .select()
          .from(classificationValues)
          .where(
            and(
              eq(classificationValues.id, id),
              eq(classificationValues.projectId, projectId),
              eq(classificationValues.kind, kind),
            ),
          );
  if (row) return row;
  throw fail.NOT_IN_PROJECT(`${cause} is no ${kind} of project ${projectId}. Nothing was written.`, {
    cause,
    tip: `Use ${listedBy(kind)} to see the ids of this project.`,
  });
}

/** The name in the list with the same key, if there is one. */
async function namesake(
  q: Query,
  { projectId, kind }: Place,
  name: string,
): Promise<WrittenName | undefined> {
  const key = nameKey(name);
  if (kind !== 'label' && kind !== 'squad')
    return (await valuesOf(q, projectId, kind)).find((value) => nameKey(value.name) === key);
  const table = tableOf(kind);
  const [row] = await q
    .select()
    .from(table)
    .where(and(eq(table.projectId, projectId), eq(table.nameKey, key)));
  return row;
}

/** Renames a name, in a transaction that locks the project. @throws Fault METADATA_EXISTS that names the other. */
export async function renameTo(
  q: Query,
  place: Place,
  { id, name }: { readonly id: number; readonly name: string },
  { by, now }: NameAuthor,
): Promise<WrittenName> {
  const taken = await namesake(q, place, name);
  if (taken && taken.id !== id)
    throw fail.METADATA_EXISTS(`The ${place.kind} ${taken.id} has this name already.`, {
      cause: 'name',
      tip: `Use merge-metadata with intoId ${taken.id}, or another name; ${listedBy(place.kind)} lists them.`,
    });
  const change = { updatedBy: by, updatedAt: now };
  if (place.kind === 'label' || place.kind === 'squad') {
    const table = tableOf(place.kind);
    await q
      .update(table)
      .set({ name, nameKey: nameKey(name), ...change })
      .where(eq(table.id, id));
  } else
    await q
      .update(classificationValues)
      .set({ name, ...change })
      .where(eq(classificationValues.id, id));
  return { id, name, ...change };
}

/** Removes a name that no test uses any more. */
export async function removeName(q: Query, kind: MetadataKind, id: number): Promise<void> {
  if (kind === 'label' || kind === 'squad') await q.delete(tableOf(kind)).where(eq(tableOf(kind).id, id));
  else await q.delete(classificationValues).where(eq(classificationValues.id, id));
}

/**
 * Adds values to a classification, in a transaction that locks the project. Existing names are reused, regardless of case.
 * @returns the stored value for each given name, in order.
 * @throws Fault PROJECT_FULL.
 */
export async function addValues(
  q: Query,
  { projectId, kind }: { readonly projectId: number; readonly kind: Classification },
  given: readonly string[],
  { by, now }: NameAuthor,
): Promise<readonly WrittenName[]> {
  const known = new Map<string, WrittenName>();
  let position = 0;
  for (const value of await valuesOf(q, projectId, kind)) {
    known.set(nameKey(value.name), value);
    position = Math.max(position, value.position + 1);
  }
  const missing = new Map<string, string>();
  for (const name of given) {
    const key = nameKey(name);
    if (!known.has(key) && !missing.has(key)) missing.set(key, name.trim());
  }
  requireRoom('options', known.size + missing.size);
  const rows = [...missing.values()].map((name, at) => ({
    projectId,
    kind,
    name,
    position: position + at,
    updatedBy: by,
    updatedAt: now,
  }));
  if (rows.length > 0)
    for (const row of await q.insert(classificationValues).values(rows).returning())
      known.set(nameKey(row.name), row);
  return given.map((name) => {
    const row = known.get(nameKey(name));
    if (!row) throw new Error('a name was not stored');
    return row;
  });
}
