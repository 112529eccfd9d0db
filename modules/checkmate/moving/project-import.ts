import { nameKey } from '../../../core/text/name-key.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import {
  addMovedNames,
  addMovedProject,
  addMovedRuns,
  addMovedSections,
  addMovedTests,
  addMovedValues,
  everyClassification,
  inMovedOrder,
  movedProject,
  movedRuns,
  movedSections,
  type Classification,
} from '../../testmgmt/index.ts';
import { fail } from '../base/errors.ts';
import { importedIds, rememberImported } from './imported-store.ts';
import { isMovedDeleted, movedName, movedRunState, movedRunTexts, movedTest } from './moved-row.ts';
import { authorOf, importOnce, type ProjectWork } from './project-work.ts';
import { importResults, type MovedRun } from './result-import.ts';
import type { AnyCheckmateRow, CheckmateRow } from './checkmate-table.ts';

/** Tests that are read and stored at once. */
const testsAtOnce = 100;

/**
 * Imports what is new of a project, in the transaction of the caller.
 * @returns its id here; null if it takes no changes here.
 * @throws Fault CONFLICT when the project was imported from another database under the same source; PROJECT_FULL.
 */
export async function importProject(work: ProjectWork): Promise<number | null> {
  const place = await placeOf(work);
  if (place === null) return null;
  const { projectId } = place;
  const { ids: values, added } = await addMovedValues(work.q, projectId, valuesOf(work), work);
  work.counts.values.imported += added;
  const squads = await importNames(work, projectId, 'squad');
  const labels = await importNames(work, projectId, 'label');
  const sections = await importSections(work, projectId);
  const tests = await importTests(work, projectId, {
    sections,
    squads,
    labels,
    valueIds: valueIdsOf(work, values),
  });
  const runs = await importRuns(work, projectId);
  await importResults(work, projectId, runs, tests);
  return projectId;
}

/** The project here: the one that an earlier import made, or a new one. */
async function placeOf(work: ProjectWork): Promise<{ readonly projectId: number } | null> {
  const { q, source, project, orgId, now: at, note, counts } = work;
  const foreignId = project.projectId ?? 0;
  const known = (await importedIds(q, source, 'project', [foreignId])).get(foreignId);
  const author = authorOf(work, project);
  if (known === undefined) {
    if (project.status === 'Archived') note('projects with status Archived: inactive');
    const projectId = await addMovedProject(q, {
      wantedId: foreignId,
      row: {
        orgId,
        name: movedName(project.projectName, `Project ${foreignId}`),
        description: project.projectDescription?.trim() ?? '',
        isActive: project.status !== 'Archived',
        ...author,
      },
    });
    await rememberImported(q, { source, kind: 'project', at }, [{ foreignId, ourId: projectId }]);
    counts.projects.imported++;
    if (projectId !== foreignId) counts.projects.otherId++;
    return { projectId };
  }
  counts.projects.known++;
  const ours = await movedProject(q, known);
  if (ours && project.createdOn !== null && ours.createdAt !== project.createdOn)
    throw fail.CONFLICT(
      `Project ${foreignId} of this Checkmate is another one than project ${known}, which was imported as its project ${foreignId}.`,
      { tip: 'Is this another Checkmate? Give it a name of its own: --source NAME.' },
    );
  if (ours && (ours.isActive || project.status === 'Archived')) return { projectId: known };
  note('projects that are inactive here: left as they are');
  return null;
}

const rowsOfValues = (
  work: ProjectWork,
  kind: Classification,
): ReadonlyArray<{ readonly id: number; readonly name: string }> =>
  (work.stage.every(kind, work.project.orgId ?? 0) as readonly AnyCheckmateRow[]).flatMap((row) => {
    const [id, name, ofProject] = [row[`${kind}Id`], row[`${kind}Name`], row['projectId'] ?? null];
    const isOurs = ofProject === null || ofProject === work.project.projectId;
    return typeof id === 'number' && isOurs ? [{ id, name: movedName(String(name ?? ''), '(no name)') }] : [];
  });

/** The values of the organization become those of each of its projects. */
const valuesOf = (work: ProjectWork) =>
  Object.fromEntries(
    everyClassification.map((kind) => [kind, rowsOfValues(work, kind).map(({ name }) => name)]),
  ) as unknown as Record<Classification, readonly string[]>;

type ValueIds = (kind: Classification, foreignId: number | null) => number | null;

function valueIdsOf(
  work: ProjectWork,
  ids: Readonly<Record<Classification, ReadonlyMap<string, number>>>,
): ValueIds {
  const byId = new Map(
    everyClassification.map((kind) => [
      kind,
      new Map(rowsOfValues(work, kind).map(({ id, name }) => [id, ids[kind].get(nameKey(name)) ?? null])),
    ]),
  );
  return (kind, foreignId) => (foreignId === null ? null : (byId.get(kind)?.get(foreignId) ?? null));
}

async function importNames(work: ProjectWork, projectId: number, kind: 'label' | 'squad') {
  const rows =
    kind === 'label'
      ? work.stage
          .every('labels', work.project.projectId)
          .map((row) => ({ ...row, id: row.labelId, name: row.labelName }))
      : work.stage
          .every('squads', work.project.projectId)
          .map((row) => ({ ...row, id: row.squadId, name: row.squadName }));
  const given = rows.map((row) => ({ id: row.id ?? 0, row }));
  const { ids } = await importOnce(work, { kind, counted: `${kind}s` }, given, (news) => {
    const names = news.map(({ id, row }) => {
      const { updatedBy, updatedAt } = authorOf(work, row);
      return { wantedId: id, row: { name: movedName(row.name, '(no name)'), updatedBy, updatedAt } };
    });
    return addMovedNames(work.q, kind, projectId, names);
  });
  return ids;
}

async function importSections(work: ProjectWork, projectId: number): Promise<ReadonlyMap<number, number>> {
  const rows = work.stage.every('sections', work.project.projectId);
  const nodes = rows.map((row) => ({ id: row.sectionId ?? 0, parentId: row.parentId, row }));
  const { levels, raised } = inMovedOrder(nodes);
  const stored = await movedSections(work.q, projectId);
  const live = new Set(stored.map(({ id }) => id));
  let count = stored.length;
  const keyOf = (parentId: number | null, name: string) => `${parentId ?? 0} ${nameKey(name)}`;
  const byName = new Map(stored.map(({ id, name, parentId }) => [keyOf(parentId, name), id]));
  const ids = new Map<number, number>();
  for (const level of levels) {
    const given = level.map((node) => ({ id: node.id, row: node }));
    const imported = await importOnce(work, { kind: 'section', counted: 'sections' }, given, async (news) => {
      const missing: Array<Parameters<typeof addMovedSections>[2][number]> = [];
      const keys = news.map(({ id, row: { row, parentId } }) => {
        const name = movedName(row.sectionName, '(no name)');
        const parent = parentId === null || raised.has(id) ? null : (ids.get(parentId) ?? null);
        if (raised.has(id) || (parentId !== null && parent === null))
          work.note('sections without a place in the tree: at the top');
        if (row.sectionDescription !== null && row.sectionDescription.trim() !== '')
          work.note('descriptions of sections: not stored');
        const key = keyOf(parent, name);
        if (byName.has(key)) work.note('sections with the name of another one beside them: joined');
        else {
          const { createdAt, updatedBy, updatedAt } = authorOf(work, row);
          missing.push({ wantedId: id, row: { name, parentId: parent, createdAt, updatedBy, updatedAt } });
          byName.set(key, -missing.length);
        }
        return key;
      });
      const made = await addMovedSections(work.q, projectId, missing, count);
      count += made.length;
      for (const id of made) live.add(id);
      return keys.map((key) => {
        const id = byName.get(key) ?? 0;
        const ours = id < 0 ? (made[-id - 1] ?? 0) : id;
        return ours;
      });
    });
    // One that was deleted here takes nothing new.
    for (const [foreignId, ourId] of imported.ids) if (live.has(ourId)) ids.set(foreignId, ourId);
    // Names of this level are no parents of a later name: their marks are not needed any more.
    for (const [key, id] of byName) if (id < 0) byName.delete(key);
  }
  return ids;
}

interface TestPlaces {
  readonly sections: ReadonlyMap<number, number>;
  readonly squads: ReadonlyMap<number, number>;
  readonly labels: ReadonlyMap<number, number>;
  readonly valueIds: ValueIds;
}

/** @returns our ids of all tests, by their ids there. */
async function importTests(work: ProjectWork, projectId: number, places: TestPlaces) {
  const ids = new Map<number, number>();
  for (let after = 0; ;) {
    const rows = work.stage.rows('tests', work.project.projectId, after, testsAtOnce);
    const given = rows.map((row) => ({ id: row.testId ?? 0, row }));
    const imported = await importOnce(work, { kind: 'test', counted: 'tests' }, given, (news) => {
      const labels = Map.groupBy(work.stage.labelsOf(news.map(({ id }) => id)), ([testId]) => testId);
      return addMovedTests(
        work.q,
        projectId,
        news.map(({ id, row }) => ({
          wantedId: id,
          row: {
            ...testRow(work, row, places),
            labelIds: (labels.get(id) ?? []).flatMap(([, labelId]) => places.labels.get(labelId) ?? []),
          },
        })),
      );
    });
    for (const [foreignId, ourId] of imported.ids) ids.set(foreignId, ourId);
    work.show('stored tests', ids.size);
    const last = rows.at(-1)?.testId;
    if (typeof last !== 'number' || rows.length < testsAtOnce) return ids;
    after = last;
    if (turnIsOver()) await nextTurn();
  }
}

function testRow(work: ProjectWork, row: CheckmateRow<'tests'>, { sections, squads, valueIds }: TestPlaces) {
  const author = authorOf(work, row);
  const sectionId = sections.get(row.sectionId ?? 0) ?? null;
  if (sectionId === null && (row.sectionId ?? 0) > 0)
    work.note('tests of sections that are not there: in no section');
  return {
    ...movedTest(row, work.note),
    sectionId,
    squadId: squads.get(row.squadId ?? 0) ?? null,
    priorityId: valueIds('priority', row.priorityId),
    typeId: valueIds('type', row.typeId),
    automationStatusId: valueIds('automationStatus', row.automationStatusId),
    platformId: valueIds('platform', row.platformId),
    testCoveredById: valueIds('testCoveredBy', row.testCoveredById),
    ...author,
    deletedAt: isMovedDeleted(row, work.note) ? author.updatedAt : null,
  };
}

async function importRuns(work: ProjectWork, projectId: number): Promise<readonly MovedRun[]> {
  const there = work.stage
    .every('runs', work.project.projectId)
    .map((row) => ({ id: row.runId ?? 0, row, state: movedRunState(row, work.note) }));
  const given = there.filter(({ state }) => state !== 'left out');
  const { ids, news } = await importOnce(work, { kind: 'run', counted: 'runs' }, given, (missing) =>
    addMovedRuns(
      work.q,
      projectId,
      missing.map(({ id, row }) => ({ wantedId: id, row: runRow(work, row) })),
    ),
  );
  const ours = new Map((await movedRuns(work.q, projectId)).map((run) => [run.id, run]));
  return given.flatMap(({ id }) => {
    const runId = ids.get(id) ?? 0;
    const run = ours.get(runId);
    const isOpen = run !== undefined && run.lockedAt === null && run.deletedAt === null;
    return [{ foreignId: id, runId, isNew: news.has(id), takesChanges: news.has(id) || isOpen }];
  });
}

function runRow(work: ProjectWork, row: CheckmateRow<'runs'>) {
  const author = authorOf(work, row);
  const isLocked = movedRunState(row, () => {}) === 'locked';
  return {
    ...movedRunTexts(row),
    ...author,
    lockedBy: isLocked ? (work.people.get(row.lockedBy ?? 0) ?? author.updatedBy) : null,
    lockedAt: isLocked ? (row.lockedOn ?? author.updatedAt) : null,
  };
}
