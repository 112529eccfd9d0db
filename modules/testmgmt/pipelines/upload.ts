import type { Query } from '../../../core/db/db.ts';
import type { Context } from '../../../core/host.ts';
import { statusesInRun } from '../insights/run-comparison-store.ts';
import { fail } from '../errors.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import type { ReadResultFile } from '../result-files/reported-case.ts';
import type { TestStatus } from '../rules/test-status.ts';
import { addTests } from '../runs/run-case-store.ts';
import { recordResults } from '../runs/result-store.ts';
import { countInRun, runToChange } from '../runs/run-store.ts';
import { changesByStatus } from '../written-changes.ts';
import { hasKeys } from './automation-key-store.ts';
import { createTests } from './case-creation.ts';
import { foundBy, matchCases, type MatchedCases } from './case-match.ts';
import { settleNames } from './name-contest.ts';
import { acceptRenames, type AcceptedRename } from './rename-acceptance.ts';
import { findRenames, type FoundRename } from './rename-search.ts';
import { attemptsOf, storeReported, type ReportedResult } from './reported-result-store.ts';
import { comparedRun, runForKey, runOfKey, type BuildSource } from './run-source-store.ts';
import { groupsInChunks, resultOfGroup, type CaseGroup, type GroupResult } from './upload-group.ts';

/** Tests whose results one transaction stores: about 100 ms on SQLite, for which other writers wait. */
const testsAtOnce = 1_000;

export interface Upload {
  readonly projectId: number;
  readonly runKey: string;
  readonly runName: string;
  /** Unless given: a project without automation keys creates, others do not. */
  readonly create: boolean | undefined;
  readonly dryRun: boolean;
  readonly acceptRenames: boolean;
  /** What tells jobs of one build apart; empty when unknown. */
  readonly job: string;
  readonly source: BuildSource;
  readonly files: ReadonlyArray<{ readonly name: string; readonly read: ReadResultFile }>;
}

/** What became of the cases of one test. */
export interface UploadedTest {
  /** Null: a dry run would create it. */
  readonly testId: number | null;
  /** The position of its first case. */
  readonly at: number;
  readonly result: GroupResult['result'];
}

/** What an upload did, or would do, from which its report is made. */
export interface Uploaded {
  readonly runId: number | null;
  readonly matched: MatchedCases;
  readonly results: readonly UploadedTest[];
  readonly created: number;
  readonly renames: readonly FoundRename[];
  readonly before: { readonly id: number; readonly name: string } | undefined;
  readonly statusesBefore: ReadonlyMap<number, TestStatus>;
  /** The tests of the run, with those of uploads before this one. */
  readonly inRun: ReadonlySet<number>;
  readonly warnings: readonly string[];
}

type Work = Pick<Context, 'db' | 'actor' | 'clock' | 'signal' | 'progress' | 'wrote'>;

/**
 * Stores the results of an upload in the run of its key. It is written in transactions of 1,000 tests: one that is killed in between is
 * completed by the same upload, and everything that is known is not written again.
 * @throws Fault PROJECT_NOT_FOUND, FORBIDDEN, PROJECT_INACTIVE, RUN_LOCKED.
 */
export async function uploadResults(upload: Upload, work: Work): Promise<Uploaded> {
  const { projectId, source, dryRun } = upload;
  const { db, actor, signal } = work;
  await projectFor(db.q, actor, projectId, 'write');
  const run = await runOfKey(db.q, projectId, upload.runKey);
  if (run && run.lockedAt !== null)
    throw fail.RUN_LOCKED(`Run ${run.id}, which has this run key, is locked and takes no results.`, {
      cause: 'runKey',
      tip: 'Use another runKey for a new run, or ask an administrator to use unlock-run.',
    });
  const create = upload.create ?? !(await hasKeys(db.q, projectId));
  const cases = upload.files.flatMap(({ read }) => read.cases);
  const { matched, warnings } = await matchCases(db.q, projectId, cases, signal);

  const before = await comparedRun(db.q, projectId, source, run?.id);
  const settled = await settleNames(db.q, matched, { runId: run?.id, before: before?.id, signal });
  const statusesBefore = before
    ? await statusesInRun(db.q, before.id, signal)
    : new Map<number, TestStatus>();
  const inRun = new Set(run ? (await statusesInRun(db.q, run.id, signal)).keys() : []);
  for (const testId of matched.testIds) if (testId !== 0) inRun.add(testId);
  const accept = upload.acceptRenames;
  const renames = await findRenames(db.q, matched, {
    runId: before?.id,
    job: upload.job,
    before: statusesBefore.keys(),
    seen: inRun,
    accept,
    signal,
  });
  for (const { testId, at, accepted } of renames) {
    if (!accepted) continue;
    matched.match(at, testId, foundBy.key);
    inRun.add(testId);
  }

  const options = { create, size: testsAtOnce };
  const done = dryRun
    ? await foreseen(upload, matched, { runId: run?.id, options, work })
    : await written(upload, matched, {
        renames: [...settled, ...acceptedOf(renames, matched)],
        options,
        work,
      });
  for (const { testId } of done.results) if (testId !== null) inRun.add(testId);
  const full = done.withoutSections
    ? ['The project has no room for more sections: some tests were created without one.']
    : [];
  return {
    ...done,
    matched,
    renames,
    before,
    statusesBefore,
    inRun,
    warnings: [...warnings, ...full],
  };
}

interface Done extends Pick<Uploaded, 'runId' | 'results' | 'created'> {
  readonly withoutSections: boolean;
}

const uploadedTest = ({ testId, cases }: CaseGroup, { result }: GroupResult): UploadedTest => ({
  testId: testId === 0 ? null : testId,
  at: cases[0] ?? 0,
  result,
});

interface Chunks {
  readonly options: { readonly create: boolean; readonly size: number };
  readonly work: Work;
}

/** What an upload would do. */
async function foreseen(
  upload: Upload,
  matched: MatchedCases,
  { runId, options, work: { db, clock, signal } }: Chunks & { readonly runId: number | undefined },
): Promise<Done> {
  const results: UploadedTest[] = [];
  const by = { job: upload.job, now: clock.now() };
  for (const chunk of groupsInChunks(matched, options)) {
    const ids = chunk.flatMap(({ testId }) => (testId === 0 ? [] : [testId]));
    const known = runId === undefined ? new Map() : await attemptsOf(db.q, runId, ids, signal);
    for (const group of chunk)
      results.push(uploadedTest(group, resultOfGroup(matched, group, known.get(group.testId) ?? [], by)));
  }
  const created = results.filter(({ testId }) => testId === null).length;
  return { runId: runId ?? null, results, created, withoutSections: false };
}

async function written(
  upload: Upload,
  matched: MatchedCases,
  { renames, options, work }: Chunks & { readonly renames: readonly AcceptedRename[] },
): Promise<Done> {
  const { projectId, runKey, runName, source } = upload;
  const { db, actor, clock, signal, progress, wrote } = work;
  const [by, now] = [actor.userId, clock.now()];
  const changes = changesByStatus(matched.cases);
  const { id: runId } = await db.tx(async (q) => {
    await projectToChange(q, actor, projectId);
    const run = await runForKey(q, { projectId, runKey, runName, source, by, now, signal });
    await acceptRenames(q, renames, { projectId, by, now, signal });
    wrote({ projectId, runId: run.id, changes });
    return run;
  });

  const results: UploadedTest[] = [];
  let created = 0;
  let withoutSections = false;
  let stored = 0;
  for (const chunk of groupsInChunks(matched, options)) {
    const part = await db.tx((q) => storeChunk(q, chunk, { upload, matched, runId, work, now }));
    // After the commit: PostgreSQL may run the transaction again.
    for (const { group, result } of part.results) {
      for (const at of group.cases)
        if (matched.testIds[at] === 0) matched.match(at, group.testId, foundBy.nothing);
      results.push(uploadedTest(group, result));
    }
    created += part.created;
    withoutSections ||= part.withoutSections;
    stored += chunk.reduce((sum, { cases }) => sum + cases.length, 0);
    progress(stored, matched.cases.length);
  }
  return { runId, results, created, withoutSections };
}

interface Chunk {
  readonly upload: Upload;
  readonly matched: MatchedCases;
  readonly runId: number;
  readonly work: Work;
  readonly now: number;
}

/** Stores the results of some tests in one transaction. */
async function storeChunk(
  q: Query,
  chunk: readonly CaseGroup[],
  { upload: { projectId, job }, matched, runId, work: { actor, signal }, now }: Chunk,
) {
  const by = actor.userId;
  const cases = chunk.flatMap(({ testId, cases: [at = 0] }) => (testId === 0 ? [at] : []));
  const run = await runToChange(q, actor, { projectId, runId }, { counts: cases.length > 0 });
  const creation = { projectId, cases, by, now, signal };
  const { testIds, created, withoutSections } =
    cases.length === 0
      ? { testIds: new Map<number, number>(), created: 0, withoutSections: false }
      : await createTests(q, matched, creation);
  const groups = chunk.map((group) =>
    group.testId === 0 ? { ...group, testId: testIds.get(group.cases[0] ?? 0) ?? 0 } : group,
  );

  const ids = groups.map(({ testId }) => testId);
  const known = await attemptsOf(q, runId, ids, signal);
  const results = groups.map((group) => {
    const before = known.get(group.testId) ?? [];
    return { group, before, result: resultOfGroup(matched, group, before, { job, now }) };
  });
  const news = results.filter(({ result }) => result.isNews);
  const added = news.map(({ group }) => group.testId);
  const count = added.length === 0 ? 0 : await addTests(q, run, added, signal);
  const change = { passed: 0, failed: 0, blocked: 0, retest: 0, untested: count };
  const counted = await countInRun(q, run, change, { by, now, changed: count });

  const reported = news.map(({ group, result }): ReportedResult => ({ ...result, testId: group.testId }));
  await storeReported(q, runId, reported, signal);
  const said = news.flatMap(({ group, before, result: { result } }) => {
    // A skipped test stays as it is: nobody found out anything.
    if (result.status === 'skipped') return [];
    const reason = result.status === 'failed' ? result.deciding.message : undefined;
    // The reason of an earlier failure would stand beside another result.
    const stale = before.some(({ message }) => message !== undefined);
    const comment = reason === undefined ? (stale ? { comment: '' } : {}) : { comment: reason };
    return [{ testId: group.testId, status: result.status, ...comment }];
  });
  await recordResults(q, counted, said, { by, now, signal });
  return { results, created, withoutSections };
}

const acceptedOf = (renames: readonly FoundRename[], matched: MatchedCases): readonly AcceptedRename[] =>
  renames.flatMap(({ accepted, testId, at, from, to }) =>
    accepted ? [{ testId, from, to, file: matched.cases[at]?.file }] : [],
  );
