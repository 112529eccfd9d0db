import { and, asc, eq, inArray } from 'drizzle-orm';
import { nameKey } from '../../../core/text/name-key.ts';
import { forUpdate, inValues } from '../../../core/db/query/columns.ts';
import { countedPage, countOf, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { configurationGroups, configurationValues, runConfigurations } from '../base/planning-schema.ts';
import { requireRoom } from '../projects/project-limits.ts';

/** The most values of one group. */
export const maxValues = 100;

/** A value of a group, by the names that people see. */
export interface ConfigurationValue {
  readonly valueId: number;
  readonly groupId: number;
  readonly group: string;
  readonly value: string;
}

/** A group with its values in their order. */
export interface ConfigurationGroup {
  readonly id: number;
  readonly projectId: number;
  readonly name: string;
  readonly values: ReadonlyArray<{ readonly id: number; readonly name: string }>;
}

type GroupRow = typeof configurationGroups.$inferSelect;

async function withValues(q: Query, rows: readonly GroupRow[]): Promise<readonly ConfigurationGroup[]> {
  const ids = rows.map(({ id }) => id);
  const values = await q
    .select()
    .from(configurationValues)
    .where(inValues(configurationValues.groupId, ids))
    .orderBy(asc(configurationValues.position), asc(configurationValues.id));
  const byGroup = Map.groupBy(values, ({ groupId }) => groupId);
  return rows.map(({ id, projectId, name }) => ({
    id,
    projectId,
    name,
    values: (byGroup.get(id) ?? []).map((value) => ({ id: value.id, name: value.name })),
  }));
}

/** One page of the groups of a project, oldest first. */
export async function pageOfGroups(q: Query, projectId: number, page: Page) {
  const where = eq(configurationGroups.projectId, projectId);
  const orderBy = [asc(configurationGroups.id)];
  const { total, rows } = await countedPage(q, configurationGroups, { where, orderBy }, page);
  return { total, groups: await withValues(q, rows) };
}

/** All groups of a project; it has few. */
export async function configurationGroupsOf(
  q: Query,
  projectId: number,
): Promise<readonly ConfigurationGroup[]> {
  const rows = await q
    .select()
    .from(configurationGroups)
    .where(eq(configurationGroups.projectId, projectId))
    .orderBy(asc(configurationGroups.id));
  return withValues(q, rows);
}

/** @throws Fault CONFIGURATION_GROUP_NOT_FOUND. */
export async function groupToChange(
  q: Query,
  projectId: number,
  groupId: number,
): Promise<ConfigurationGroup> {
  const [row] = await forUpdate(
    q
      .select()
      .from(configurationGroups)
      .where(and(eq(configurationGroups.id, groupId), eq(configurationGroups.projectId, projectId))),
  );
  const [group] = row ? await withValues(q, [row]) : [];
  if (group) return group;
  throw fail.CONFIGURATION_GROUP_NOT_FOUND(`There is no configuration group ${groupId} in this project.`, {
    cause: 'groupId',
  });
}

/** @throws Fault CONFIGURATION_GROUP_EXISTS. */
async function requireFreeName(q: Query, projectId: number, name: string, except?: number): Promise<void> {
  const [same] = await q
    .select({ id: configurationGroups.id })
    .from(configurationGroups)
    .where(and(eq(configurationGroups.projectId, projectId), eq(configurationGroups.nameKey, nameKey(name))));
  if (same && same.id !== except)
    throw fail.CONFIGURATION_GROUP_EXISTS(
      `Project ${projectId} has a configuration group "${name}": ${same.id}.`,
      { cause: 'name' },
    );
}

interface Author {
  readonly by: number;
  readonly now: number;
}

/** Stores a group, in a transaction that has locked its project. @throws Fault CONFIGURATION_GROUP_EXISTS, PROJECT_FULL. */
export async function insertGroup(
  q: Query,
  projectId: number,
  { name, values }: { readonly name: string; readonly values: readonly string[] },
  { by, now }: Author,
): Promise<ConfigurationGroup> {
  await requireFreeName(q, projectId, name);
  const count = await countOf(q, configurationGroups, eq(configurationGroups.projectId, projectId));
  requireRoom('configuration groups', 1 + count);
  const author = { createdBy: by, createdAt: now, updatedBy: by, updatedAt: now };
  const [made] = await q
    .insert(configurationGroups)
    .values({ projectId, name, nameKey: nameKey(name), ...author })
    .returning();
  if (!made) throw new Error('the group was not stored');
  await setValues(
    q,
    { id: made.id, projectId, values: [] },
    values.map((one) => ({ name: one })),
  );
  const [group] = await withValues(q, [made]);
  if (!group) throw new Error('the group is gone');
  return group;
}

/** @throws Fault CONFIGURATION_GROUP_EXISTS. */
export async function changeGroup(
  q: Query,
  group: ConfigurationGroup,
  { name, values }: { readonly name?: string; readonly values?: readonly GivenValue[] },
  { by, now }: Author,
): Promise<ConfigurationGroup> {
  if (name !== undefined) await requireFreeName(q, group.projectId, name, group.id);
  const [row] = await q
    .update(configurationGroups)
    .set({ ...(name === undefined ? {} : { name, nameKey: nameKey(name) }), updatedBy: by, updatedAt: now })
    .where(eq(configurationGroups.id, group.id))
    .returning();
  if (values) await setValues(q, group, values);
  const [changed] = row ? await withValues(q, [row]) : [];
  if (!changed) throw new Error('the group is gone');
  return changed;
}

/** A value as given: with the id of one that the group has, or new. */
export interface GivenValue {
  readonly valueId?: number;
  readonly name: string;
}

/** Makes these the values of a group, in this order. Those that are left out are deleted, also from runs. */
async function setValues(
  q: Query,
  { id: groupId, projectId, values: known }: Pick<ConfigurationGroup, 'id' | 'projectId' | 'values'>,
  values: readonly GivenValue[],
): Promise<void> {
  const kept = new Set(values.flatMap(({ valueId }) => valueId ?? []));
  const gone = known.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  if (gone.length > 0) await deleteValues(q, gone);
  // Two values may change their names with each other, which the unique index allows only by way of a third name.
  for (const id of kept)
    await q
      .update(configurationValues)
      .set({ nameKey: `\u0001${id}` })
      .where(eq(configurationValues.id, id));
  for (const [position, { valueId, name }] of values.entries()) {
    const row = { name, nameKey: nameKey(name), position };
    await (valueId === undefined
      ? q.insert(configurationValues).values({ ...row, groupId, projectId })
      : q.update(configurationValues).set(row).where(eq(configurationValues.id, valueId)));
  }
}

async function deleteValues(q: Query, ids: readonly number[]): Promise<void> {
  await q.delete(runConfigurations).where(inArray(runConfigurations.valueId, [...ids]));
  await q.delete(configurationValues).where(inArray(configurationValues.id, [...ids]));
}

/** Deletes a group with its values; runs stay, without them. */
export async function deleteGroup(q: Query, { id, values }: ConfigurationGroup): Promise<void> {
  if (values.length > 0)
    await deleteValues(
      q,
      values.map((value) => value.id),
    );
  await q.delete(configurationGroups).where(eq(configurationGroups.id, id));
}

/** Gives each of some new runs its values. */
export async function addConfigurations(
  q: Query,
  rows: ReadonlyArray<{ readonly runId: number; readonly valueId: number }>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += 500)
    await q.insert(runConfigurations).values(rows.slice(at, at + 500));
}

/** The values of each of some runs, in the order of their groups. */
export async function configurationsOf(
  q: Query,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ConfigurationValue[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await q
    .select({
      runId: runConfigurations.runId,
      valueId: configurationValues.id,
      groupId: configurationGroups.id,
      group: configurationGroups.name,
      value: configurationValues.name,
    })
    .from(runConfigurations)
    .innerJoin(configurationValues, eq(configurationValues.id, runConfigurations.valueId))
    .innerJoin(configurationGroups, eq(configurationGroups.id, configurationValues.groupId))
    .where(inValues(runConfigurations.runId, runIds))
    .orderBy(asc(runConfigurations.runId), asc(configurationGroups.id));
  const byRun = Map.groupBy(rows, ({ runId }) => runId);
  return new Map([...byRun].map(([runId, values]) => [runId, values.map(withoutRun)]));
}

const withoutRun = ({ valueId, groupId, group, value }: ConfigurationValue): ConfigurationValue => ({
  valueId,
  groupId,
  group,
  value,
});
