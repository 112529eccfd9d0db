import { Fault } from '../../../core/base/errors.ts';
import type { ShowProgress } from '../../../core/module/command.ts';
import type { Host } from '../../../core/host/host.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { newWriteMark, withinWrite } from '../../../core/tools/audited-write.ts';
import { identity, movedPerson, organizationsOf } from '../../auth/index.ts';
import { reserveMovedIds } from '../../testmgmt/index.ts';
import { fail } from '../base/errors.ts';
import { importedIds, rememberImported } from './imported-store.ts';
import type { ImportReport } from './import-report.ts';
import { movedName, movedRole } from './moved-row.ts';
import { importProject } from './project-import.ts';
import { sumCounts, noImportCounts, type ImportCounts, type ProjectWork } from './project-work.ts';
import type { CheckmateRow } from './checkmate-table.ts';
import type { Stage } from './stage.ts';

interface Asked {
  readonly source: string;
  readonly orgId: number | undefined;
  readonly isDryRun: boolean;
  readonly isUtc: boolean;
  readonly show: ShowProgress;
}

/** Ends the transaction of a dry run, so that nothing of it is stored. */
class OnlyTried extends Error {}

/** Imports what is staged: first the people, then each project in a transaction of its own. A project that fails is reported. */
export async function importStaged(host: Host, stage: Stage, asked: Asked): Promise<ImportReport> {
  const actor = await identity.local(host, undefined);
  const organizations = await targetsOf(host, stage, asked.orgId);
  const notes = new Map<string, number>();
  const note = (what: string, count = 1) => void notes.set(what, (notes.get(what) ?? 0) + count);
  if (!asked.isUtc) note('dumps that do not say that their times are in UTC: read as UTC');
  const counts = noImportCounts();
  const people = await importPeople(host, stage, { ...asked, organizations, by: actor.userId, counts });
  const projects: Array<ImportReport['projects'][number]> = [];
  const given = [...organizations.keys()].flatMap((orgId) => stage.every('projects', orgId));
  if (!asked.isDryRun) await reserve(host, stage);
  for (const [index, project] of given
    .toSorted((a, b) => (a.projectId ?? 0) - (b.projectId ?? 0))
    .entries()) {
    const checkmateId = project.projectId ?? 0;
    const orgId = organizations.get(project.orgId ?? 0) ?? 0;
    const name = movedName(project.projectName, `Project ${checkmateId}`);
    if (project.status === 'Deleted') {
      note('projects with status Deleted: left out');
      continue;
    }
    const own: Own = { counts: noImportCounts(), notes: new Map() };
    const show = (what: string, done: number) =>
      asked.show(index, given.length, `project "${name}", ${index + 1} of ${given.length}: ${what} ${done}`);
    try {
      const projectId = await importOne(
        host,
        { stage, asked, project, orgId, people, by: actor.userId, show },
        own,
      );
      sumCounts(counts, own.counts);
      for (const [what, count] of own.notes) note(what, count);
      projects.push({ checkmateId, name, orgId, projectId });
    } catch (error) {
      const sentence = sentenceOf(error);
      if (sentence === undefined) throw error;
      projects.push({ checkmateId, name, orgId, projectId: null, error: sentence });
    }
  }
  return {
    source: asked.source,
    dryRun: asked.isDryRun,
    counts,
    notes: [...notes]
      .map(([what, count]) => ({ what, count }))
      .toSorted((a, b) => a.what.localeCompare(b.what, 'en')),
    projects,
  };
}

/** The sentence of a failure that concerns one project; undefined for one that ends the import. */
const sentenceOf = (error: unknown): string | undefined =>
  error instanceof Fault && !['DATABASE_BUSY', 'STORAGE_FAILED'].includes(error.code)
    ? [error.message, error.tip].filter(Boolean).join(' ')
    : undefined;

/**
 * The organization here of each one there.
 * @throws Fault INVALID_REQUEST when it is not clear.
 */
async function targetsOf(
  host: Host,
  stage: Stage,
  orgId: number | undefined,
): Promise<ReadonlyMap<number, number>> {
  const { roles } = await identity.local(host, undefined);
  const ours = await organizationsOf(host.db.q, roles);
  const list = ours.map(({ id, name }) => `${id} (${name})`).join(', ');
  const target = (there: CheckmateRow<'organisations'>): number => {
    if (orgId !== undefined) {
      if (ours.some(({ id }) => id === orgId)) return orgId;
      throw fail.INVALID_REQUEST(`--org: you are in no organization ${orgId}.`, {
        tip: `Yours are ${list}.`,
      });
    }
    const named = ours.find(({ name }) => nameKey(name) === nameKey(there.orgName ?? ''));
    const found = named ?? (ours.length === 1 ? ours[0] : undefined);
    if (found) return found.id;
    throw fail.INVALID_REQUEST(`Which organization gets the projects of "${there.orgName ?? ''}"?`, {
      tip: `Name it: --org ID. Yours are ${list}.`,
    });
  };
  return new Map(stage.every('organisations', null).map((row) => [row.orgId ?? 0, target(row)]));
}

/** Users of one transaction. */
const usersAtOnce = 200;

/** @returns our users by their ids there. In a dry run new ones are only counted. */
async function importPeople(
  host: Host,
  stage: Stage,
  given: Asked & {
    readonly organizations: ReadonlyMap<number, number>;
    readonly by: number;
    readonly counts: ImportCounts;
  },
): Promise<ReadonlyMap<number, number>> {
  const { source, counts } = given;
  const people = new Map<number, number>();
  const orgIds = [...new Set(given.organizations.values())];
  for (let after = 0; ;) {
    const rows = stage.rows('users', null, after, usersAtOnce);
    const foreignIds = rows.map(({ userId }) => userId ?? 0);
    const known = await importedIds(host.db.q, source, 'user', foreignIds);
    const missing = rows.filter(({ userId }) => !known.has(userId ?? 0));
    for (const [foreignId, ourId] of known) people.set(foreignId, ourId);
    counts.users.known += known.size;
    const made = given.isDryRun
      ? missing.map((row) => ({ foreignId: row.userId ?? 0, ourId: given.by, isNew: true }))
      : await storePeople(host, missing, source, orgIds);
    for (const { foreignId, ourId, isNew } of made) {
      people.set(foreignId, ourId);
      counts.users[isNew ? 'imported' : 'known']++;
    }
    const last = foreignIds.at(-1);
    if (last === undefined || rows.length < usersAtOnce) return people;
    after = last;
  }
}

const storePeople = (
  { db, clock }: Host,
  rows: ReadonlyArray<CheckmateRow<'users'>>,
  source: string,
  orgIds: readonly number[],
) =>
  db.tx(
    async (q) => {
      const now = clock.now();
      const made = [];
      for (const row of rows) {
        const foreignId = row.userId ?? 0;
        const email = movedName(row.email, `user-${foreignId}@checkmate.invalid`);
        const person = { email, name: movedName(row.userName, email), role: movedRole(row), orgIds };
        const { userId, isNew } = await movedPerson(q, person, now);
        made.push({ foreignId, ourId: userId, isNew });
      }
      const records = made.map(({ foreignId, ourId }) => ({ foreignId, ourId }));
      await rememberImported(q, { source, kind: 'user', at: now }, records);
      return made;
    },
    { serializable: 'one local user for one e-mail address' },
  );

const reserve = ({ db }: Host, stage: Stage): Promise<void> =>
  db.tx((q) =>
    reserveMovedIds(q, {
      project: stage.lastId('projects'),
      section: stage.lastId('sections'),
      squad: stage.lastId('squads'),
      label: stage.lastId('labels'),
      test: stage.lastId('tests'),
      run: stage.lastId('runs'),
    }),
  );

interface Own {
  counts: ImportCounts;
  notes: Map<string, number>;
}

type Given = Pick<ProjectWork, 'stage' | 'project' | 'orgId' | 'people' | 'by' | 'show'> & {
  readonly asked: Asked;
};

/** @returns the id of the project here; null if it takes no changes, or in a dry run. */
async function importOne(host: Host, { asked, ...given }: Given, own: Own): Promise<number | null> {
  const mark = newWriteMark(host.random);
  try {
    return await host.db.tx((q) =>
      withinWrite(q, mark, async () => {
        // PostgreSQL may run the transaction again.
        own.counts = noImportCounts();
        own.notes = new Map();
        const now = host.clock.now();
        const note = (what: string) => void own.notes.set(what, (own.notes.get(what) ?? 0) + 1);
        const projectId = await importProject({
          ...given,
          q,
          source: asked.source,
          now,
          note,
          counts: own.counts,
        });
        if (asked.isDryRun) throw new OnlyTried();
        const stored = Object.values(own.counts).reduce((sum, { imported }) => sum + imported, 0);
        if (projectId !== null && stored > 0)
          await host.recordWrite(q, {
            at: now,
            actorId: given.by,
            operation: 'import-checkmate',
            ids: { projectId },
            surface: 'cli',
            credential: 'local',
            writeId: mark.used(),
            subject: { projectId, records: { kind: 'project', ids: [projectId] } },
          });
        return projectId;
      }),
    );
  } catch (error) {
    if (error instanceof OnlyTried) return null;
    throw error;
  }
}
