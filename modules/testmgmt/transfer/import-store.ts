import type { Query } from '../../../core/db/query/db.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { inTurns, partsInTurns } from '../../../core/base/turns.ts';
import { valuesOf } from '../metadata/classification-store.ts';
import { addNames, everyName } from '../metadata/label-store.ts';
import { everyClassification } from '../rules/classification.ts';
import { classificationValues, labels, squads } from '../base/schema.ts';
import { insertPaths } from '../sections/section-path-store.ts';
import { sectionsOf } from '../sections/section-store.ts';
import { rowsPerInsert } from '../base/statement-sizes.ts';
import { nameIndexOf, valueKey, type Missing, type NameIndex } from './import-resolution.ts';

export async function loadNameIndex(q: Query, projectId: number, signal: AbortSignal): Promise<NameIndex> {
  const sectionRows = await sectionsOf(q, projectId);
  const labelRows = await everyName(q, labels, projectId);
  const squadRows = await everyName(q, squads, projectId);
  const valueRows = await valuesOf(q, projectId);
  return inTurns(nameIndexOf({ sectionRows, labelRows, squadRows, valueRows }), signal);
}

interface Additions {
  readonly index: NameIndex;
  readonly missing: Missing;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Adds the missing names to the project. @returns the index with their ids. */
export async function addMissing(
  q: Query,
  projectId: number,
  { index, missing, by, now, signal }: Additions,
): Promise<NameIndex> {
  const added = { projectId, paths: missing.sections, known: index.sections, by, now, signal };
  const sectionIds = await insertPaths(q, added);

  const valueIds = new Map(index.values);
  const next = new Map(
    everyClassification.map((kind) => [
      kind,
      [...index.values.keys()].filter((key) => key.startsWith(`${kind} `)).length,
    ]),
  );
  const rows = missing.values.map(({ kind, name }) => {
    const position = next.get(kind) ?? 0;
    next.set(kind, position + 1);
    return { projectId, kind, name, position, updatedBy: by, updatedAt: now };
  });
  for await (const part of partsInTurns(rows, rowsPerInsert, signal)) {
    for (const { kind, name, id } of await q
      .insert(classificationValues)
      .values([...part])
      .returning())
      valueIds.set(valueKey(kind, name), id);
  }

  const withAdded = async (table: typeof labels | typeof squads, kind: 'labels' | 'squads') => {
    const ids = new Map(index[kind]);
    if (missing[kind].length > 0)
      for (const { id, name } of await addNames(q, table, projectId, missing[kind], { by, now, signal }))
        ids.set(nameKey(name), id);
    return ids;
  };
  return {
    sections: sectionIds,
    values: valueIds,
    labels: await withAdded(labels, 'labels'),
    squads: await withAdded(squads, 'squads'),
    names: index.names,
  };
}
