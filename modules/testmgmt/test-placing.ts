import { eq } from 'drizzle-orm';
import type { Query } from '../../core/db/db.ts';
import { nameKey } from './name-key.ts';
import { addNames } from './names.ts';
import { optionsOf } from './options.ts';
import { parts, rowsPerInsert } from './parts.ts';
import { labels, options, sections, squads, type OptionKind } from './schema.ts';
import { sectionPath } from './section-tree.ts';
import { sectionsOf } from './sections.ts';
import type { ImportedTest } from './test-import.ts';
import type { TestFields } from './tests.ts';

/*
 * Imported tests name what they belong to; stored ones have ids. What a project does not have yet is added to it. Names are
 * the same without regard to case.
 */

/** What a project has, by name: the ids. */
export interface Places {
  /** By {@link pathKey}. */
  readonly sections: ReadonlyMap<string, number>;
  /** By {@link optionKey}. */
  readonly options: ReadonlyMap<string, number>;
  /** By name key. */
  readonly labels: ReadonlyMap<string, number>;
  readonly squads: ReadonlyMap<string, number>;
}

/** What some tests name and a project does not have. */
export interface Missing {
  /** Parents before children. */
  readonly sections: readonly (readonly string[])[];
  readonly options: readonly { readonly kind: OptionKind; readonly name: string }[];
  readonly labels: readonly string[];
  readonly squads: readonly string[];
}

const kinds = [
  'priority',
  'type',
  'automationStatus',
  'platform',
  'testCoveredBy',
] as const satisfies readonly OptionKind[];

export const pathKey = (path: readonly string[]): string => path.map(nameKey).join('\u0001');
export const optionKey = (kind: OptionKind, name: string): string => `${kind} ${nameKey(name)}`;

export async function placesOf(q: Query, projectId: number): Promise<Places> {
  const sectionRows = await sectionsOf(q, projectId);
  const byId = new Map(sectionRows.map((section) => [section.id, section]));
  const labelRows = await q.select().from(labels).where(eq(labels.projectId, projectId));
  const squadRows = await q.select().from(squads).where(eq(squads.projectId, projectId));
  return {
    sections: new Map(sectionRows.map(({ id }) => [pathKey(sectionPath(byId, id)), id])),
    options: new Map(
      (await optionsOf(q, projectId)).map(({ kind, name, id }) => [optionKey(kind, name), id]),
    ),
    labels: new Map(labelRows.map((label) => [label.nameKey, label.id])),
    squads: new Map(squadRows.map((squad) => [squad.nameKey, squad.id])),
  };
}

/** What has to be added before the tests can be placed, each once, in the order in which the tests name it. Pure. */
export function missingOf(places: Places, tests: readonly ImportedTest[]): Missing {
  const paths = new Map<string, readonly string[]>();
  const named = new Map<string, { kind: OptionKind; name: string }>();
  for (const test of tests) {
    const path = (test.sectionPath ?? []).map((name) => name.trim());
    for (let depth = 1; depth <= path.length; depth++) {
      const above = path.slice(0, depth);
      if (!places.sections.has(pathKey(above)) && !paths.has(pathKey(above)))
        paths.set(pathKey(above), above);
    }
    for (const kind of kinds) {
      const name = test[kind]?.trim();
      if (name === undefined || places.options.has(optionKey(kind, name))) continue;
      if (!named.has(optionKey(kind, name))) named.set(optionKey(kind, name), { kind, name });
    }
  }
  return {
    sections: [...paths.values()].toSorted((a, b) => a.length - b.length),
    options: [...named.values()],
    labels: newNames(
      places.labels,
      tests.flatMap((test) => test.labels ?? []),
    ),
    squads: newNames(
      places.squads,
      tests.flatMap((test) => test.squad ?? []),
    ),
  };
}

function newNames(known: ReadonlyMap<string, number>, names: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const name of names) {
    const key = nameKey(name);
    if (!known.has(key) && !found.has(key)) found.set(key, name.trim());
  }
  return [...found.values()];
}

/** Adds what is missing. @returns the places with it. */
export async function addMissing(
  q: Query,
  projectId: number,
  { places, missing, now }: { readonly places: Places; readonly missing: Missing; readonly now: number },
): Promise<Places> {
  const sectionIds = new Map(places.sections);
  for (const [, level] of Map.groupBy(missing.sections, (path) => path.length)) {
    for (const part of parts(level, rowsPerInsert)) {
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

  const optionIds = new Map(places.options);
  const next = new Map(
    kinds.map((kind) => [
      kind,
      [...places.options.keys()].filter((key) => key.startsWith(`${kind} `)).length,
    ]),
  );
  const rows = missing.options.map(({ kind, name }) => {
    const position = next.get(kind) ?? 0;
    next.set(kind, position + 1);
    return { projectId, kind, name, position };
  });
  for (const part of parts(rows, rowsPerInsert)) {
    for (const { kind, name, id } of await q.insert(options).values(part).returning())
      optionIds.set(optionKey(kind, name), id);
  }

  return {
    sections: sectionIds,
    options: optionIds,
    labels: await withNames(q, labels, projectId, places.labels, missing.labels),
    squads: await withNames(q, squads, projectId, places.squads, missing.squads),
  };
}

async function withNames(
  q: Query,
  table: typeof labels | typeof squads,
  projectId: number,
  known: ReadonlyMap<string, number>,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map(known);
  for (const part of parts(names, rowsPerInsert)) {
    for (const { id, name } of await addNames(q, table, projectId, part)) ids.set(nameKey(name), id);
  }
  return ids;
}

/** The tests as they are stored: with the ids of what they name. Pure. */
export function placed(places: Places, tests: readonly ImportedTest[]): readonly TestFields[] {
  return tests.map((test) => {
    const { testName, testDescription, preconditions, steps, squad, sectionPath: path } = test;
    const optionId = (kind: (typeof kinds)[number]) => {
      const name = test[kind];
      return name === undefined ? undefined : places.options.get(optionKey(kind, name));
    };
    const given = {
      testDescription,
      preconditions,
      steps,
      sectionId: path === undefined ? undefined : places.sections.get(pathKey(path)),
      priorityId: optionId('priority'),
      typeId: optionId('type'),
      automationStatusId: optionId('automationStatus'),
      platformId: optionId('platform'),
      testCoveredById: optionId('testCoveredBy'),
      squadId: squad === undefined ? undefined : places.squads.get(nameKey(squad)),
    };
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const labelIds = (test.labels ?? []).flatMap((label) => places.labels.get(nameKey(label)) ?? []);
    return { testName, ...(fields as Partial<TestFields>), labels: labelIds };
  });
}
