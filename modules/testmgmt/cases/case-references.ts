import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/db.ts';
import { firstFaults, refuse } from '../errors.ts';
import { partsInTurns } from '../../../core/turns.ts';
import { everyRow, idsPerQuery, rowsPerRead } from '../statement-sizes.ts';
import { labels, options, sections, squads, type OptionKind } from '../schema.ts';

/** What tests of one project refer to, by id. */
export interface References {
  readonly options: ReadonlyMap<number, { readonly kind: OptionKind; readonly name: string }>;
  readonly sections: ReadonlyMap<number, SectionNode>;
  readonly squads: ReadonlyMap<number, string>;
  readonly labels: ReadonlyMap<number, string>;
}

interface SectionNode {
  readonly name: string;
  readonly parentId: number | null;
  readonly deletedAt: number | null;
}

/** The ids by which a test refers to something: as callers give them, or as they are stored. */
export interface ReferringIds {
  readonly sectionId?: number | null;
  readonly priorityId?: number | null;
  readonly typeId?: number | null;
  readonly automationStatusId?: number | null;
  readonly platformId?: number | null;
  readonly testCoveredById?: number | null;
  readonly squadId?: number | null;
  readonly labels?: readonly number[];
}

const optionFields = [
  ['priorityId', 'priority', 'get-priority'],
  ['typeId', 'type', 'get-type'],
  ['automationStatusId', 'automationStatus', 'get-automation-status'],
  ['platformId', 'platform', 'get-platforms'],
  ['testCoveredById', 'testCoveredBy', 'get-test-covered-by'],
] as const satisfies ReadonlyArray<readonly [keyof ReferringIds, OptionKind, string]>;

/** An id that is not of the project: where it stands in the test, and the tool that lists the right ones. */
export interface ForeignReference {
  readonly path: string;
  readonly field: keyof ReferringIds;
  readonly listedBy: string;
}

/** Every id of a test that is not of its project. A deleted section is of no project any more. Pure. */
export function foreignReferences(given: ReferringIds, known: References): readonly ForeignReference[] {
  const found: ForeignReference[] = [];
  for (const [field, kind, listedBy] of optionFields) {
    const id = given[field] ?? undefined;
    if (id !== undefined && known.options.get(id)?.kind !== kind)
      found.push({ path: field, field, listedBy });
  }
  const sectionId = given.sectionId ?? undefined;
  if (sectionId !== undefined && known.sections.get(sectionId)?.deletedAt !== null) {
    found.push({ path: 'sectionId', field: 'sectionId', listedBy: 'get-sections' });
  }
  const squadId = given.squadId ?? undefined;
  if (squadId !== undefined && !known.squads.has(squadId)) {
    found.push({ path: 'squadId', field: 'squadId', listedBy: 'get-squads' });
  }
  for (const [index, label] of (given.labels ?? []).entries()) {
    if (!known.labels.has(label)) {
      found.push({ path: `labels[${index}]`, field: 'labels', listedBy: 'get-labels' });
    }
  }
  return found;
}

interface Refusal {
  /** Where a test stands in the call, e.g. `tests[3].`; empty for the only one. */
  readonly pathOf?: (index: number) => string;
  /** What the refusal of the call means: empty where nothing would have been written. */
  readonly outcome?: string;
}

/**
 * Checks the ids by which a list is filtered. An id that is unknown or of another project is a mistake, which `total: 0` would
 * hide.
 * @throws Fault NOT_IN_PROJECT.
 */
export async function requireFilter(q: Query, projectId: number, filter: ReferringIds): Promise<void> {
  const { sectionId, priorityId, automationStatusId } = filter;
  if ([sectionId, priorityId, automationStatusId].every((id) => id === undefined)) return;
  requireReferences(projectId, [filter], await loadReferences(q, projectId, idsIn([filter])), {
    outcome: '',
  });
}

/** 5,000 tests may have 500,000 wrong labels; twenty are named, and it is enough to know that there are many. */
const countedFaults = 1_000;

/**
 * Checks the ids of some tests of one project.
 * @throws Fault NOT_IN_PROJECT naming every faulty field, with the tools that list the right ids.
 */
export function requireReferences(
  projectId: number,
  items: readonly ReferringIds[],
  known: References,
  { pathOf = () => '', outcome = ' Nothing was written.' }: Refusal = {},
): void {
  const foreign: ForeignReference[] = [];
  for (const [index, item] of items.entries()) {
    for (const one of foreignReferences(item, known))
      foreign.push({ ...one, path: pathOf(index) + one.path });
    if (foreign.length >= countedFaults) break;
  }
  const [first] = foreign;
  if (!first) return;
  const faults = foreign.map(({ path }) => `${path} is not of project ${projectId}`);
  const tools = [...new Set(foreign.map(({ listedBy }) => listedBy))];
  throw refuse.NOT_IN_PROJECT(`${firstFaults(faults)}.${outcome}`, {
    cause: /^[^.[]+/.exec(first.path)?.[0] ?? first.field,
    tip: `Use ${tools.join(', ')} to see the ids of this project.`,
  });
}

export interface ReferredIds {
  readonly options: ReadonlySet<number>;
  readonly sections: ReadonlySet<number>;
  readonly squads: ReadonlySet<number>;
  readonly labels: ReadonlySet<number>;
}

/** The ids that some tests refer to, each once. Pure. */
export function idsIn(items: readonly ReferringIds[]): ReferredIds {
  const ids = {
    options: new Set<number>(),
    sections: new Set<number>(),
    squads: new Set<number>(),
    labels: new Set<number>(),
  };
  const note = (set: Set<number>, id: number | null | undefined) => {
    if (id !== null && id !== undefined) set.add(id);
  };
  for (const item of items) {
    for (const [field] of optionFields) note(ids.options, item[field]);
    note(ids.sections, item.sectionId);
    note(ids.squads, item.squadId);
    for (const label of item.labels ?? []) ids.labels.add(label);
  }
  return ids;
}

/**
 * Looks up what tests of a project refer to, and no more: a project may have thousands of sections and labels. Sections
 * come with those above them. An id of another project is not in the answer.
 */
export async function loadReferences(q: Query, projectId: number, ids: ReferredIds): Promise<References> {
  const ofProject = <T extends typeof options | typeof squads | typeof labels>(table: T, part: number[]) =>
    and(inArray(table.id, part), eq(table.projectId, projectId));
  // Side by side: on PostgreSQL each query is a journey of its own.
  const [optionRows, squadRows, labelRows, sectionRows] = await Promise.all([
    inParts(ids.options, (part) => q.select().from(options).where(ofProject(options, part))),
    inParts(ids.squads, (part) => q.select().from(squads).where(ofProject(squads, part))),
    inParts(ids.labels, (part) => q.select().from(labels).where(ofProject(labels, part))),
    loadSections(q, projectId, ids.sections),
  ]);
  return {
    options: new Map(optionRows.map((row) => [row.id, row])),
    squads: new Map(squadRows.map(({ id, name }) => [id, name])),
    labels: new Map(labelRows.map(({ id, name }) => [id, name])),
    sections: sectionRows,
  };
}

/** All rows that a query finds for ids, which are given to it in parts; no query for none. */
async function inParts<T>(
  ids: ReadonlySet<number>,
  query: (part: number[]) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for await (const part of partsInTurns([...ids], idsPerQuery)) {
    for (const row of await query([...part])) rows.push(row);
  }
  return rows;
}

/** Sections and those above them: one query for each level of the tree, upwards. */
async function loadSections(q: Query, projectId: number, ids: ReadonlySet<number>) {
  const found = new Map<number, SectionNode>();
  for (let level = ids; level.size > 0;) {
    const rows = await inParts(level, (part) =>
      q
        .select()
        .from(sections)
        .where(and(inArray(sections.id, part), eq(sections.projectId, projectId))),
    );
    for (const row of rows) found.set(row.id, row);
    level = new Set(
      rows.flatMap(({ parentId }) => (parentId === null || found.has(parentId) ? [] : [parentId])),
    );
  }
  return found;
}

/** Everything of a project that its tests can refer to: for exports and imports of all of them. */
export async function referencesOf(q: Query, projectId: number): Promise<References> {
  const all = <T extends typeof options | typeof squads | typeof labels>(table: T) =>
    everyRow((after) =>
      q
        .select()
        .from(table as typeof options)
        .where(and(eq(table.projectId, projectId), gt(table.id, after)))
        .orderBy(asc(table.id))
        .limit(rowsPerRead),
    ) as Promise<Array<T['$inferSelect']>>;
  const sectionRows = await everyRow((after) =>
    q
      .select()
      .from(sections)
      .where(and(eq(sections.projectId, projectId), gt(sections.id, after)))
      .orderBy(asc(sections.id))
      .limit(rowsPerRead),
  );
  return {
    options: new Map((await all(options)).map((row) => [row.id, row])),
    sections: new Map(sectionRows.map((row) => [row.id, row])),
    squads: new Map((await all(squads)).map((row) => [row.id, row.name])),
    labels: new Map((await all(labels)).map((row) => [row.id, row.name])),
  };
}
