import type { Query } from '../../../core/db/db.ts';
import { inTurns, partsInTurns } from '../../../core/turns.ts';
import { nameKey } from '../../../core/name-key.ts';
import { addNames, everyName } from '../metadata/label-store.ts';
import { valuesOf, type ClassificationValue } from '../metadata/classification-store.ts';
import { rowsPerInsert } from '../statement-sizes.ts';
import { requireRoom } from '../projects/project-limits.ts';
import { byIdField, byName, everyClassification, type Classification } from '../rules/classification.ts';
import { classificationValues, labels, sections, squads } from '../schema.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { sectionsOf, type Section } from '../sections/section-store.ts';
import type { ImportedTest } from './import-file.ts';
import { joined } from './case-cells.ts';
import type { TestFields } from '../cases/case-store.ts';

/*
 * Imported tests name what they belong to; stored ones have ids. What a project does not have yet is added to it. Names are
 * the same without regard to case.
 */

/** What a project has, by name: the ids. */
export interface Places {
  /** By {@link pathKey}. */
  readonly sections: ReadonlyMap<string, number>;
  /** By {@link valueKey}. */
  readonly values: ReadonlyMap<string, number>;
  /** By name key. */
  readonly labels: ReadonlyMap<string, number>;
  readonly squads: ReadonlyMap<string, number>;
  /** The names as people write them, for hints. */
  readonly names: {
    readonly sections: readonly string[];
    readonly values: Readonly<Record<Classification, readonly string[]>>;
    readonly labels: readonly string[];
    readonly squads: readonly string[];
  };
}

/** What some tests name and a project does not have. */
export interface Missing {
  /** Parents before children. */
  readonly sections: readonly (readonly string[])[];
  readonly values: readonly { readonly kind: Classification; readonly name: string }[];
  readonly labels: readonly string[];
  readonly squads: readonly string[];
}

export const pathKey = (path: readonly string[]): string => path.map(nameKey).join('\u0001');
export const valueKey = (kind: Classification, name: string): string => `${kind} ${nameKey(name)}`;

export const pathText = (path: readonly string[]): string => joined(path, '>');

export async function placesOf(q: Query, projectId: number, signal: AbortSignal): Promise<Places> {
  const sectionRows = await sectionsOf(q, projectId);
  const labelRows = await everyName(q, labels, projectId);
  const squadRows = await everyName(q, squads, projectId);
  const valueRows = await valuesOf(q, projectId);
  return inTurns(placesIn({ sectionRows, labelRows, squadRows, valueRows }), signal);
}

interface Rows {
  readonly sectionRows: readonly Section[];
  readonly labelRows: Awaited<ReturnType<typeof everyName>>;
  readonly squadRows: Awaited<ReturnType<typeof everyName>>;
  readonly valueRows: readonly ClassificationValue[];
}

/** Yields where it may be interrupted. */
function* placesIn({ sectionRows, labelRows, squadRows, valueRows }: Rows): Generator<void, Places> {
  const byId = new Map(sectionRows.map((section) => [section.id, section]));
  const sectionIds = new Map<string, number>();
  const paths: string[] = [];
  for (const { id } of sectionRows) {
    const path = sectionPath(byId, id);
    sectionIds.set(pathKey(path), id);
    paths.push(pathText(path));
    yield;
  }
  return {
    sections: sectionIds,
    values: new Map(valueRows.map(({ kind, name, id }) => [valueKey(kind, name), id])),
    labels: new Map(labelRows.map((label) => [label.nameKey, label.id])),
    squads: new Map(squadRows.map((squad) => [squad.nameKey, squad.id])),
    names: {
      sections: paths,
      values: byName((kind) => valueRows.filter((value) => value.kind === kind).map(({ name }) => name)),
      labels: labelRows.map(({ name }) => name),
      squads: squadRows.map(({ name }) => name),
    },
  };
}

/**
 * What has to be added before the tests can be placed, each once, in the order in which the tests name it. Yields where it may be
 * interrupted.
 * @throws Fault PROJECT_FULL.
 */
export function* missingOf(places: Places, tests: readonly ImportedTest[]): Generator<void, Missing> {
  const paths = new Map<string, readonly string[]>();
  const named = new Map<string, { kind: Classification; name: string }>();
  const newLabels = new Map<string, string>();
  const newSquads = new Map<string, string>();
  const note = (found: Map<string, string>, existing: ReadonlyMap<string, number>, name: string) => {
    const key = nameKey(name);
    if (!existing.has(key) && !found.has(key)) found.set(key, name.trim());
  };
  for (const test of tests) {
    yield;
    const path = (test.sectionPath ?? []).map((name) => name.trim());
    for (let depth = path.length; depth > 0; depth--) {
      const above = path.slice(0, depth);
      const key = pathKey(above);
      // What is above a known section is known, too.
      if (places.sections.has(key) || paths.has(key)) break;
      paths.set(key, above);
    }
    for (const kind of everyClassification) {
      const name = test[kind]?.trim();
      if (name === undefined || places.values.has(valueKey(kind, name))) continue;
      if (!named.has(valueKey(kind, name))) named.set(valueKey(kind, name), { kind, name });
    }
    for (const label of test.labels ?? []) note(newLabels, places.labels, label);
    if (test.squad !== undefined) note(newSquads, places.squads, test.squad);
    requireRoom('sections', places.sections.size + paths.size);
    requireRoom('options', named.size);
    requireRoom('labels', places.labels.size + newLabels.size);
    requireRoom('squads', places.squads.size + newSquads.size);
  }
  const sectionsInOrder = [...paths.values()].toSorted((a, b) => a.length - b.length);
  return {
    sections: sectionsInOrder,
    values: [...named.values()],
    labels: [...newLabels.values()],
    squads: [...newSquads.values()],
  };
}

interface Additions {
  readonly places: Places;
  readonly missing: Missing;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Adds what is missing. @returns the places with it. */
export async function addMissing(
  q: Query,
  projectId: number,
  { places, missing, now, signal }: Additions,
): Promise<Places> {
  const sectionIds = new Map(places.sections);
  for (const [, level] of Map.groupBy(missing.sections, (path) => path.length)) {
    for await (const part of partsInTurns(level, rowsPerInsert, signal)) {
      const rows = part.map((path) => ({
        projectId,
        name: path.at(-1) ?? '',
        parentId: sectionIds.get(pathKey(path.slice(0, -1))) ?? null,
        createdAt: now,
      }));
      const stored = await q.insert(sections).values(rows).returning({ id: sections.id });
      // Both engines give out ids in the order of VALUES; the order of RETURNING is promised by neither.
      const ids = stored.map(({ id }) => id).toSorted((a, b) => a - b);
      for (const [index, path] of part.entries()) sectionIds.set(pathKey(path), ids[index] ?? 0);
    }
  }

  const valueIds = new Map(places.values);
  const next = new Map(
    everyClassification.map((kind) => [
      kind,
      [...places.values.keys()].filter((key) => key.startsWith(`${kind} `)).length,
    ]),
  );
  const rows = missing.values.map(({ kind, name }) => {
    const position = next.get(kind) ?? 0;
    next.set(kind, position + 1);
    return { projectId, kind, name, position };
  });
  for await (const part of partsInTurns(rows, rowsPerInsert, signal)) {
    for (const { kind, name, id } of await q
      .insert(classificationValues)
      .values([...part])
      .returning())
      valueIds.set(valueKey(kind, name), id);
  }

  return {
    sections: sectionIds,
    values: valueIds,
    labels: await withNames(q, labels, projectId, { known: places.labels, names: missing.labels, signal }),
    squads: await withNames(q, squads, projectId, { known: places.squads, names: missing.squads, signal }),
    names: places.names,
  };
}

async function withNames(
  q: Query,
  table: typeof labels | typeof squads,
  projectId: number,
  {
    known,
    names,
    signal,
  }: {
    readonly known: ReadonlyMap<string, number>;
    readonly names: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map(known);
  for await (const part of partsInTurns(names, rowsPerInsert, signal)) {
    for (const { id, name } of await addNames(q, table, projectId, part)) ids.set(nameKey(name), id);
  }
  return ids;
}

/** The tests as they are stored, with the ids of what they name, made one by one while they are stored. */
export function* placed(places: Places, tests: readonly ImportedTest[]): Generator<TestFields, void> {
  for (const test of tests) yield placedTest(places, test);
}

function placedTest(places: Places, test: ImportedTest): TestFields {
  const { testName, testDescription, preconditions, steps, squad, sectionPath: path } = test;
  const valueId = (kind: Classification) => {
    const name = test[kind];
    return name === undefined ? undefined : places.values.get(valueKey(kind, name));
  };
  const given = {
    testDescription,
    preconditions,
    steps,
    sectionId: path === undefined ? undefined : places.sections.get(pathKey(path)),
    ...byIdField(valueId),
    squadId: squad === undefined ? undefined : places.squads.get(nameKey(squad)),
  };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const labelIds = (test.labels ?? []).flatMap((label) => places.labels.get(nameKey(label)) ?? []);
  return { testName, ...(fields as Partial<TestFields>), labels: labelIds };
}
