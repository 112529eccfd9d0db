import { and, eq, or, sql, type SQL } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nameKey } from '../../../core/base/name-key.ts';
import { maxDepth } from '../rules/section-tree.ts';
import { configurationValues, milestones, plans } from '../base/planning-schema.ts';
import { classificationValues, labels, squads } from '../base/schema.ts';
import { equalsText } from './query-text-store.ts';
import type { Named, NamedList } from './field-kinds/field-value.ts';

/** Separates the names in a section's path. */
const pathSeparator = />/;

/** The names of a path from the top down, e.g. of "Checkout > Payment". */
const namesOfPath = (path: string): readonly string[] =>
  path
    .split(pathSeparator)
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Tables with a key of the name. */
const keyed = { label: labels, squad: squads, milestone: milestones, configuration: configurationValues };

/** A select of the ids of the records that a value refers to: by id, name, or path of a section. */
export function recordIds(q: Query, list: Exclude<NamedList, 'run'>, { text, id }: Named, projectId: number) {
  if (list === 'label' || list === 'squad' || list === 'milestone' || list === 'configuration') {
    const table = keyed[list];
    const named = eq(table.nameKey, nameKey(text));
    return q
      .select({ id: table.id })
      .from(table as typeof labels)
      .where(and(eq(table.projectId, projectId), id === null ? named : or(named, eq(table.id, id))));
  }
  if (list === 'plan') {
    const called = equalsText(sql`${plans.name}`, text);
    return q
      .select({ id: plans.id })
      .from(plans)
      .where(and(eq(plans.projectId, projectId), id === null ? called : or(called, eq(plans.id, id))));
  }
  if (list === 'section') return sectionIds(text, id, projectId);
  const named = equalsText(sql`${classificationValues.name}`, text);
  return q
    .select({ id: classificationValues.id })
    .from(classificationValues)
    .where(
      and(
        eq(classificationValues.projectId, projectId),
        eq(classificationValues.kind, list),
        id === null ? named : or(named, eq(classificationValues.id, id)),
      ),
    );
}

const sectionIds = (path: string, id: number | null, projectId: number): SQL => sql`(
  select s0.id from testmgmt_sections s0 where s0.project_id = ${projectId} and s0.deleted_at is null
    and (${hasPath(namesOfPath(path).toReversed(), 0)}${id === null ? sql`` : sql` or s0.id = ${id}`}))`;

/** Whether a section has the first of these names, its parent the second, and so on. */
function hasPath([name, ...above]: readonly string[], up: number): SQL {
  if (name === undefined || up >= maxDepth) return sql`false`;
  const [here, parent] = [sql.raw(`s${up}`), sql.raw(`s${up + 1}`)];
  const fits = equalsText(sql`${here}.name`, name);
  if (above.length === 0) return fits;
  return sql`(${fits} and exists (select 1 from testmgmt_sections ${parent}
    where ${parent}.id = ${here}.parent_id and ${hasPath(above, up + 1)}))`;
}

/** These sections and all their subsections. */
export const sectionsBelow = (ids: { getSQL(): SQL }): SQL =>
  sql`with recursive below(id) as (
    select id from testmgmt_sections where id in (${ids})
    union select s.id from testmgmt_sections s join below on s.parent_id = below.id and s.deleted_at is null
  ) select id from below`;
