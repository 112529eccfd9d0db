import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { forUpdate } from '../../../core/db/query/columns.ts';
import { countedPage, countOf, type Page } from '../../../core/db/query/counted-page.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { customFields } from '../base/field-schema.ts';
import { requireRoom } from '../projects/project-limits.ts';
import type { FieldDefinition, FieldOwner } from '../rules/field-value.ts';

export type StoredField = typeof customFields.$inferSelect;

const fieldsByOwner = prepared<{ projectId: number; owner: FieldOwner }, StoredField>(
  (q) =>
    q
      .select()
      .from(customFields)
      .where(
        and(
          eq(customFields.projectId, sql.placeholder('projectId')),
          eq(customFields.owner, sql.placeholder('owner')),
          isNull(customFields.deletedAt),
        ),
      )
      .orderBy(asc(customFields.id)),
  'testmgmt_fields_by_owner',
);

/** The fields of the tests, or of the results, of a project, by key, oldest first. */
export async function ownFieldsOf(
  q: Query,
  projectId: number,
  owner: FieldOwner,
): Promise<ReadonlyMap<string, FieldDefinition & { readonly name: string }>> {
  const rows = await fieldsByOwner(q, { projectId, owner });
  return new Map(rows.map((field) => [field.key, field]));
}

/** One page of the fields of a project, oldest first. */
export async function pageOfFields(q: Query, projectId: number, page: Page) {
  const where = and(eq(customFields.projectId, projectId), isNull(customFields.deletedAt));
  const { total, rows } = await countedPage(
    q,
    customFields,
    { where, orderBy: [asc(customFields.id)] },
    page,
  );
  return { total, fields: rows };
}

async function fieldEverWith(q: Query, projectId: number, key: string): Promise<StoredField | undefined> {
  const [field] = await forUpdate(
    q
      .select()
      .from(customFields)
      .where(and(eq(customFields.projectId, projectId), eq(customFields.key, key))),
  );
  return field;
}

/** @throws Fault FIELD_NOT_FOUND. */
export async function fieldToChange(q: Query, projectId: number, key: string): Promise<StoredField> {
  const field = await fieldEverWith(q, projectId, key);
  if (field && field.deletedAt === null) return field;
  throw fail.FIELD_NOT_FOUND(`Project ${projectId} has no field "${key}".`, { cause: 'key' });
}

interface NewField extends FieldDefinition {
  readonly name: string;
  readonly owner: FieldOwner;
}

interface Author {
  readonly by: number;
  readonly now: number;
}

/**
 * Stores a field, in a transaction that has locked its project. A deleted field of the same kind comes back, with the values that are still
 * there.
 * @throws Fault FIELD_EXISTS, PROJECT_FULL.
 */
export async function insertField(
  q: Query,
  projectId: number,
  given: NewField,
  { by, now }: Author,
): Promise<StoredField> {
  const known = await fieldEverWith(q, projectId, given.key);
  if (known && known.deletedAt === null)
    throw fail.FIELD_EXISTS(`Project ${projectId} has a field "${given.key}" already.`, { cause: 'key' });
  if (known && (known.kind !== given.kind || known.owner !== given.owner))
    throw fail.FIELD_EXISTS(
      `A deleted field "${given.key}" of project ${projectId} was a ${known.kind} of a ${known.owner}, and its values are kept.`,
      { cause: 'key', tip: `Choose another key, or create it as ${known.kind} of a ${known.owner}.` },
    );
  const isLive = and(eq(customFields.projectId, projectId), isNull(customFields.deletedAt));
  requireRoom('fields', 1 + (await countOf(q, customFields, isLive)));
  const written = { updatedBy: by, updatedAt: now, deletedAt: null };
  const [made] = known
    ? await q
        .update(customFields)
        .set({ name: given.name, options: [...given.options], required: given.required, ...written })
        .where(eq(customFields.id, known.id))
        .returning()
    : await q
        .insert(customFields)
        .values({
          projectId,
          ...given,
          options: [...given.options],
          createdBy: by,
          createdAt: now,
          ...written,
        })
        .returning();
  if (!made) throw new Error('the field was not stored');
  return made;
}

/** Changes a field that the transaction has locked. */
export async function changeField(
  q: Query,
  { id }: StoredField,
  changes: Partial<Pick<StoredField, 'name' | 'options' | 'required' | 'deletedAt'>>,
  { by, now }: Author,
): Promise<StoredField> {
  const [changed] = await q
    .update(customFields)
    .set({ ...changes, updatedBy: by, updatedAt: now })
    .where(eq(customFields.id, id))
    .returning();
  if (!changed) throw new Error('the field is gone');
  return changed;
}
