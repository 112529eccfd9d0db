import { and, asc, eq, gt, isNull, notExists, or, sql, type SQL } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { split } from '../rules/name-list.ts';
import { maxDepth, pathText } from '../rules/section-tree.ts';
import { configurationValues, milestones, plans } from '../base/planning-schema.ts';
import { classificationValues, labels, sections, squads } from '../base/schema.ts';
import { everyRow, rowsPerRead } from '../base/statement-sizes.ts';
import { sectionPlacesAsOf } from '../versions/as-of-store.ts';
import { anyOf, nameOfSection, type SectionsThen, type SectionThen } from './query-place-store.ts';
import { textEquals } from '../../../core/text/letter-case.ts';
import { equalsText } from '../../../core/db/query/text-match.ts';
import type { Named, NamedList } from './field-kinds/field-value.ts';

const namesIn = (path: string, separator: RegExp): readonly string[] =>
  path
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== '');

/**
 * The names of a path from the top down, e.g. of "Checkout > Payment", in each way in which it can be meant: a name may contain the sign
 * itself, as "Cart -> Checkout" does, also behind a backslash, as tools write and take it.
 */
function pathsIn(text: string): readonly (readonly string[])[] {
  const paths = [split(text, '>'), namesIn(text, />/), namesIn(text, / > /), text === '' ? [] : [text]];
  const byNames = new Map(paths.map((path) => [pathText(path), path]));
  return [...byNames.values()].filter((path) => path.length > 0);
}

/** Tables with a key of the name. */
const keyed = { label: labels, squad: squads, milestone: milestones, configuration: configurationValues };

/** A select of the ids of the records that a value refers to: by id, name, or path of a section. */
export function recordIds(q: Query, list: Exclude<NamedList, 'run'>, value: Named, projectId: number) {
  if (list === 'section') return sectionIds(value, projectId);
  const among = (table: typeof labels, where: SQL | undefined) =>
    q.select({ id: table.id }).from(table).where(where);
  const chosen = (table: typeof labels, named: SQL, ofKind?: SQL) => {
    const inList = and(eq(table.projectId, projectId), ofKind);
    if (value.id === null) return among(table, and(inList, named));
    const [first, second] = inTurn(value, named, eq(table.id, value.id));
    return among(table, and(inList, or(first, and(second, notExists(among(table, and(inList, first)))))));
  };
  if (list === 'label' || list === 'squad' || list === 'milestone' || list === 'configuration') {
    const table = keyed[list] as typeof labels;
    return chosen(table, eq(table.nameKey, nameKey(value.text)));
  }
  if (list === 'plan') return chosen(plans as never, equalsText(sql`${plans.name}`, value.text));
  return chosen(
    classificationValues as never,
    equalsText(sql`${classificationValues.name}`, value.text),
    eq(classificationValues.kind, list),
  );
}

/**
 * What a number means first, and what it means if there is no such record. Whoever has an id, e.g. the filters of Checkmate, would otherwise
 * get the label with that id and another one that is called like the number.
 */
const inTurn = ({ quoted }: Named, named: SQL, isId: SQL): readonly [SQL, SQL] =>
  quoted ? [named, isId] : [isId, named];

export function sectionIds(value: Named, projectId: number): SQL {
  const there = sql`from testmgmt_sections s0 where s0.project_id = ${projectId} and s0.deleted_at is null`;
  const named = anyOf(pathsIn(value.text).map((path) => hasPath(path.toReversed(), 0)));
  if (value.id === null) return sql`(select s0.id ${there} and ${named})`;
  const [first, second] = inTurn(value, named, sql`s0.id = ${value.id}`);
  return sql`(select s0.id ${there} and (${first} or (${second} and not exists (select 1 ${there} and ${first}))))`;
}

/** Whether a section has the first of these names, its parent the second, and so on. */
function hasPath([name, ...above]: readonly string[], up: number): SQL {
  if (name === undefined || up >= maxDepth) return sql`false`;
  const [here, parent] = [sql.raw(`s${up}`), sql.raw(`s${up + 1}`)];
  const fits = equalsText(sql`${here}.name`, name);
  if (above.length === 0) return fits;
  return sql`(${fits} and exists (select 1 from testmgmt_sections ${parent}
    where ${parent}.id = ${here}.parent_id and ${hasPath(above, up + 1)}))`;
}

/** These sections and all their subsections. The `cross join` keeps SQLite from reading all sections for each of them. */
export const sectionsBelow = (ids: SQL, projectId: number): SQL =>
  sql`with recursive below(id) as (
    select id from testmgmt_sections where id in (${ids})
    union select s.id from below cross join testmgmt_sections s
      where s.project_id = ${projectId} and s.parent_id = below.id and s.deleted_at is null
  ) select id from below`;

/**
 * Looks up the sections that a query as of a time names. Once, and not within its statements: on SQLite it has many, and no index has the
 * parents of then. By the rules of {@link sectionIds}, for which a statement would read all sections for each name. Yields to other requests.
 */
export async function sectionsThen(
  q: Query,
  names: readonly Named[],
  projectId: number,
  asOf: number,
): Promise<SectionsThen> {
  const found = new Map<string, SectionThen>();
  if (names.length === 0) return found;
  const from = sectionPlacesAsOf(projectId, asOf);
  const live = await everyRow((after) =>
    q
      .select({ id: sections.id, parentId: sections.parentId, name: sections.name })
      .from(from)
      .where(and(isNull(sections.deletedAt), gt(sections.id, after)))
      .orderBy(asc(sections.id))
      .limit(rowsPerRead),
  );
  const byId = new Map(live.map((section) => [section.id, section]));
  const byParent = Map.groupBy(live, ({ parentId }) => parentId);
  for (const name of names) {
    if (turnIsOver()) await nextTurn();
    const itself = chosenSections(live, byId, name).map(({ id }) => id);
    const below = new Set(itself);
    for (const id of below) for (const child of byParent.get(id) ?? []) below.add(child.id);
    found.set(nameOfSection(name), { itself, below: [...below] });
  }
  return found;
}

interface PlacedSection {
  readonly id: number;
  readonly parentId: number | null;
  readonly name: string;
}

function chosenSections(
  live: readonly PlacedSection[],
  byId: ReadonlyMap<number, PlacedSection>,
  value: Named,
): readonly PlacedSection[] {
  const paths = pathsIn(value.text).map((path) => path.map(textEquals).toReversed());
  const hasNames = (section: PlacedSection, path: (typeof paths)[number]) => {
    let at: PlacedSection | undefined = section;
    for (const equals of path) {
      if (!at || !equals(at.name)) return false;
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
    return path.length <= maxDepth;
  };
  const isNamed = (section: PlacedSection) => paths.some((path) => hasNames(section, path));
  const one = value.id === null ? undefined : byId.get(value.id);
  const ofId = one ? [one] : [];
  if (!value.quoted && ofId.length > 0) return ofId;
  const named = live.filter(isNamed);
  return named.length > 0 ? named : ofId;
}
