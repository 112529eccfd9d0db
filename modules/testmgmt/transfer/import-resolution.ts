import { nameKey } from '../../../core/text/name-key.ts';
import type { TestFields } from '../cases/case-store.ts';
import { type ClassificationValue } from '../metadata/classification-store.ts';
import type { everyName } from '../metadata/label-store.ts';
import { requireRoom } from '../projects/project-limits.ts';
import { byIdField, byName, everyClassification, type Classification } from '../rules/classification.ts';
import { noteMissing, parentsFirst, pathIndexOf, pathKey } from '../rules/section-tree.ts';
import { type Section } from '../sections/section-store.ts';
import type { ImportedTest } from '../import-files/text/imported-test.ts';

/* Imported tests contain names; stored tests contain ids. Names that a project lacks are added to it. Names are compared ignoring case. */

/** The ids of a project's records, by name. */
export interface NameIndex {
  /** By {@link pathKey}. */
  readonly sections: ReadonlyMap<string, number>;
  /** By {@link valueKey}. */
  readonly values: ReadonlyMap<string, number>;
  /** By name key. */
  readonly labels: ReadonlyMap<string, number>;
  readonly squads: ReadonlyMap<string, number>;
  /** The names as stored, for suggestions. */
  readonly names: {
    readonly sections: readonly string[];
    readonly values: Readonly<Record<Classification, readonly string[]>>;
    readonly labels: readonly string[];
    readonly squads: readonly string[];
  };
}

/** Names in tests that a project lacks. */
export interface Missing {
  /** Parents before children. */
  readonly sections: readonly (readonly string[])[];
  readonly values: readonly { readonly kind: Classification; readonly name: string }[];
  readonly labels: readonly string[];
  readonly squads: readonly string[];
}

export const valueKey = (kind: Classification, name: string): string => `${kind} ${nameKey(name)}`;

interface Rows {
  readonly sectionRows: readonly Section[];
  readonly labelRows: Awaited<ReturnType<typeof everyName>>;
  readonly squadRows: Awaited<ReturnType<typeof everyName>>;
  readonly valueRows: readonly ClassificationValue[];
}

/** Yields where it may be interrupted. */
export function* nameIndexOf(rows: Rows): Generator<void, NameIndex> {
  const { sectionRows, labelRows, squadRows, valueRows } = rows;
  const { ids, texts } = yield* pathIndexOf(sectionRows);
  return {
    sections: ids,
    values: new Map(valueRows.map(({ kind, name, id }) => [valueKey(kind, name), id])),
    labels: new Map(labelRows.map((label) => [label.nameKey, label.id])),
    squads: new Map(squadRows.map((squad) => [squad.nameKey, squad.id])),
    names: {
      sections: texts,
      values: byName((kind) => valueRows.filter((value) => value.kind === kind).map(({ name }) => name)),
      labels: labelRows.map(({ name }) => name),
      squads: squadRows.map(({ name }) => name),
    },
  };
}

/**
 * The names that must be added before {@link resolvedTests}, without repetition, in the order of the tests. Yields where it may be
 * interrupted.
 * @throws Fault PROJECT_FULL.
 */
export function* missingOf(index: NameIndex, tests: readonly ImportedTest[]): Generator<void, Missing> {
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
    noteMissing(path, index.sections, paths);
    for (const kind of everyClassification) {
      const name = test[kind]?.trim();
      if (name === undefined || index.values.has(valueKey(kind, name))) continue;
      if (!named.has(valueKey(kind, name))) named.set(valueKey(kind, name), { kind, name });
    }
    for (const label of test.labels ?? []) note(newLabels, index.labels, label);
    if (test.squad !== undefined) note(newSquads, index.squads, test.squad);
    requireRoom('sections', index.sections.size + paths.size);
    requireRoom('options', named.size);
    requireRoom('labels', index.labels.size + newLabels.size);
    requireRoom('squads', index.squads.size + newSquads.size);
  }
  return {
    sections: parentsFirst(paths),
    values: [...named.values()],
    labels: [...newLabels.values()],
    squads: [...newSquads.values()],
  };
}

/**
 * An index that has an invented id for every missing name, for a dry run: a name that does not exist yet differs from every other.
 */
export function withInvented(index: NameIndex, missing: Missing): NameIndex {
  let id = 0;
  const added = <T>(ids: ReadonlyMap<string, number>, names: readonly T[], keyOf: (name: T) => string) =>
    new Map([...ids, ...names.map((name) => [keyOf(name), --id] as const)]);
  return {
    sections: added(index.sections, missing.sections, pathKey),
    values: added(index.values, missing.values, ({ kind, name }) => valueKey(kind, name)),
    labels: added(index.labels, missing.labels, nameKey),
    squads: added(index.squads, missing.squads, nameKey),
    names: index.names,
  };
}

/** A test with ids instead of names. */
export function resolvedTest(index: NameIndex, test: ImportedTest): TestFields {
  const { testName, testDescription, preconditions, steps, squad, sectionPath: path } = test;
  const valueId = (kind: Classification) => {
    const name = test[kind];
    return name === undefined ? undefined : index.values.get(valueKey(kind, name));
  };
  const given = {
    testDescription,
    preconditions,
    steps,
    sectionId: path === undefined ? undefined : index.sections.get(pathKey(path)),
    ...byIdField(valueId),
    estimateSeconds: test.estimateSeconds,
    fields: test.fields,
    squadId: squad === undefined ? undefined : index.squads.get(nameKey(squad)),
  };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const labelIds = (test.labels ?? []).flatMap((label) => index.labels.get(nameKey(label)) ?? []);
  return { testName, ...(fields as Partial<TestFields>), labels: labelIds };
}
