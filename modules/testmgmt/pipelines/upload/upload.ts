import { Fault } from '../../../../core/base/errors.ts';
import type { Context } from '../../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import { RepeatWhole } from '../../../../core/db/query/db.ts';
import { fail } from '../../base/errors.ts';
import { noteForFollowers } from '../../following/run-notice-store.ts';
import { projectFor, projectToChange } from '../../projects/project-store.ts';
import { quarantinedTests } from '../../quarantine/quarantine-store.ts';
import { hasKeys } from '../matching/automation-key-store.ts';
import { foundBy, matchCases, type MatchedCases, type Matching } from '../matching/case-match.ts';
import { settleNames } from '../matching/name-contest.ts';
import { acceptRenames, type AcceptedRename } from '../matching/rename-acceptance.ts';
import { withOpenOffers } from '../matching/rename-offers.ts';
import { findRenames, type FoundRename } from '../matching/rename-search.ts';
import { attemptsOf } from '../rows/reported-result-store.ts';
import { seeDeleted, testsOfRun, type RunTests } from '../rows/run-tests-store.ts';
import type { BuildSource } from '../rows/run-baseline.ts';
import { baselineOfBuild } from '../rows/run-baseline-store.ts';
import { addReported } from '../rows/result-recording.ts';
import { isFirstRun, runForKey, runOfKey } from '../rows/run-source-store.ts';
import { joinUnmatched, resultsOfUnmatched } from './unmatched-results.ts';
import { unmatchedStatuses } from '../../runs/unmatched-result-store.ts';
import { UploadCases, sumOf, type CaseTotals, type UploadFile } from '../rows/upload-cases.ts';
import { storeChunk } from './upload-chunk.ts';
import { storedInPart } from './stored-in-part.ts';
import { groupsInChunks, resultOfGroup } from '../matching/upload-group.ts';
import { UploadTally } from './upload-tally.ts';

/** Tests whose results one transaction stores: about 100 ms on SQLite, during which other writers wait. */
const testsAtOnce = 1_000;

/** How many times an upload repeats the search for its tests. */
const matchedAgain = 3;

export interface Upload {
  readonly projectId: number;
  readonly runKey: string;
  readonly runName: string;
  /** By default, the first run of a project creates tests and later runs do not. */
  readonly create: boolean | undefined;
  readonly dryRun: boolean;
  /** Accept unambiguous renames. */
  readonly acceptRenames: boolean;
  /** Distinguishes the jobs of one build; empty when unknown. */
  readonly job: string;
  readonly source: BuildSource;
  readonly files: readonly UploadFile[];
}

/** What an upload changed, or would change; its report is made from this. */
export interface Uploaded extends Pick<Matching, 'matched' | 'totals'> {
  readonly runId: number | null;
  readonly tally: UploadTally;
  readonly created: number;
  /** The number of cases whose tests existed in the project. */
  readonly known: number;
  readonly renames: readonly FoundRename[];
  readonly before: { readonly id: number; readonly name: string } | undefined;
  /** The tests of the compared run; unseen are those in neither this upload nor its run. */
  readonly testsBefore: RunTests;
  readonly warnings: readonly string[];
}

type Work = Pick<Context, 'db' | 'actor' | 'clock' | 'config' | 'signal' | 'progress' | 'wrote'>;

/**
 * Stores the results of an upload in the run of its key, in transactions of about 1,000 tests. If it is killed in between, the same upload
 * completes it, and known results are not written again.
 * @throws Fault PROJECT_NOT_FOUND, FORBIDDEN, PROJECT_INACTIVE, RUN_LOCKED.
 */
export async function uploadResults(upload: Upload, work: Work): Promise<Uploaded> {
  for (let left = matchedAgain; ; left--)
    try {
      return await uploadOnce(upload, work);
    } catch (error) {
      // A test was merged or deleted after its case had found it.
      if (left === 0 || !(error instanceof Fault && error.code === 'NOT_IN_PROJECT')) throw error;
      if (work.db.isPart) throw new RepeatWhole(error);
    }
}

async function uploadOnce(upload: Upload, work: Work): Promise<Uploaded> {
  const { projectId, job, acceptRenames: accept } = upload;
  const { db, actor, clock, signal } = work;
  await projectFor(db.q, actor, projectId, 'write');
  // Checked before the run: a concurrent upload stores its run first, then its keys.
  const isNew = !(await hasKeys(db.q, projectId));
  const run = await runOfKey(db.q, projectId, upload.runKey);
  if (run && run.lockedAt !== null)
    throw fail.RUN_LOCKED(`Run ${run.id}, which has this run key, is locked and takes no results.`, {
      cause: 'runKey',
      tip: 'Use another runKey for a new run, or ask an administrator to use unlock-run.',
    });
  // Not only for the first upload: another shard of the first build, or a repetition of a killed upload, has the other half of the tests.
  const create = upload.create ?? (isNew || (run !== undefined && (await isFirstRun(db.q, run))));
  const cases = new UploadCases(upload.files);
  const { matched, totals, warnings } = await matchCases(db.q, projectId, cases, signal);

  const before = await baselineOfBuild(db.q, projectId, upload.source, {
    before: run?.id,
    otherThan: upload.runKey,
  });
  const settled = await settleNames(db.q, projectId, matched, {
    runId: run?.id,
    before: before?.id,
    signal,
  });
  const testsBefore = await testsOfRun(db.q, before?.id, signal);
  await testsBefore.seeAll((await testsOfRun(db.q, run?.id, signal)).ids(), signal);
  await testsBefore.seeAll(matched.testIds, signal);
  await seeDeleted(db.q, projectId, testsBefore, signal);
  const found = await findRenames(db.q, cases, matched, {
    runId: before?.id,
    job,
    before: testsBefore,
    accept,
    signal,
  });
  const offering = { projectId, runId: run?.id, accept, signal };
  const renames = await withOpenOffers(db.q, cases, matched, found, offering);
  for (const { testId, at, accepted } of renames) {
    if (!accepted) continue;
    matched.match(at, testId, foundBy.key);
    testsBefore.see(testId);
  }
  const inQuarantine = await quarantinedTests(db.q, projectId, clock.now(), signal);
  const statuses = await unmatchedStatuses(db.q, before?.id);
  const tally = new UploadTally(matched, testsBefore, statuses, inQuarantine);
  const storing = { upload, cases, matched, tally, create, work };
  const done = upload.dryRun
    ? await foreseen(storing, run?.id)
    : await written(storing, { settled, renames, totals });
  const full = done.withoutSections
    ? ['The project has no room for more sections: some tests were created without one.']
    : [];
  return {
    ...done,
    matched,
    totals,
    tally,
    known: matched.foundCount(),
    renames: renames.map((one) => (done.refused.has(one.at) ? { ...one, accepted: false } : one)),
    before,
    testsBefore,
    warnings: [...warnings, ...full],
  };
}

interface Storing {
  readonly upload: Upload;
  readonly cases: UploadCases;
  readonly matched: MatchedCases;
  readonly tally: UploadTally;
  readonly create: boolean;
  readonly work: Work;
}

interface Done extends Pick<Uploaded, 'runId' | 'created'> {
  /** Cases whose renames a concurrent upload made first. */
  readonly refused: ReadonlySet<number>;
  readonly withoutSections: boolean;
}

/** Computes what an upload would change. */
async function foreseen(
  { upload, cases, matched, tally, create, work: { db, clock, signal } }: Storing,
  runId: number | undefined,
): Promise<Done> {
  let created = 0;
  const by = { job: upload.job, now: clock.now() };
  for (const { groups, unmatched } of groupsInChunks(cases, matched, { create, size: testsAtOnce })) {
    const ids = groups.flatMap(({ testId }) => (testId === 0 ? [] : [testId]));
    const known = runId === undefined ? new Map() : await attemptsOf(db.q, runId, ids, signal);
    for (const group of groups) {
      if (group.testId === 0) created++;
      tally.note(group, resultOfGroup(matched, group, known.get(group.testId) ?? [], by));
    }
    const { results } = await resultsOfUnmatched(db.q, unmatched, { runId, matched, signal, ...by });
    for (const { lead, result } of results) tally.noteUnmatched(lead, result);
    if (turnIsOver()) await nextTurn(signal);
  }
  return { runId: runId ?? null, created, withoutSections: false, refused: new Set() };
}

interface Writing extends Pick<Matching, 'totals'> {
  readonly settled: readonly AcceptedRename[];
  readonly renames: readonly FoundRename[];
}

async function written(
  { upload, cases, matched, tally, create, work }: Storing,
  { settled, renames: found, totals }: Writing,
): Promise<Done> {
  const renames = found.filter(({ accepted }) => accepted);
  const offered = new Map(found.flatMap((one) => (one.accepted ? [] : [[one.at, one] as const])));
  const { projectId, runKey, runName, source, job } = upload;
  const { db, actor, clock, signal, progress, wrote } = work;
  const [by, now] = [actor.userId, clock.now()];
  const changes = changesOfTotals(sumOf(totals));
  const { runId, done } = await db.tx(async (q) => {
    await projectToChange(q, actor, projectId);
    const run = await runForKey(q, { projectId, runKey, runName, source, by, now, signal });
    const author = { projectId, by, now, signal };
    await acceptRenames(q, settled, author);
    const accepted = await acceptRenames(q, renames, author);
    // From now on the run contains them: another upload of this build must not take them for its own missing tests.
    const renamed = accepted.map(({ testId }) => testId);
    if (renamed.length > 0) await addReported(q, run, renamed, { by, now, signal });
    await joinUnmatched(q, accepted, { projectId, actor, signal });
    wrote({ projectId, runId: run.id, changes });
    return { runId: run.id, done: new Set(renamed) };
  });
  const refused = new Set(renames.flatMap(({ testId, at }) => (done.has(testId) ? [] : [at])));
  for (const at of refused) matched.unmatch(at);

  let created = 0;
  let withoutSections = false;
  let storedTo = 0;
  const chunks = groupsInChunks(cases, matched, { create, size: testsAtOnce });
  for (const { groups, unmatched, upTo } of chunks) {
    const given = { projectId, runId, matched, offered, actor, job, now, signal };
    const storing = db.tx(async (q) => {
      const chunk = await storeChunk(q, { groups, unmatched }, given);
      await noteForFollowers(q, work, { projectId, runIds: [runId] });
      return chunk;
    });
    const stored = await storing.catch((error: unknown) => {
      // With an idempotency key all of them are one transaction.
      throw db.isPart ? error : storedInPart(error, { runId, stored: storedTo, count: cases.count });
    });
    storedTo = upTo;
    // After the commit: PostgreSQL may run the transaction again.
    for (const { group, result } of stored.results) {
      if (matched.testIds[group.lead.at] === 0) matched.match(group.lead.at, group.testId, foundBy.nothing);
      tally.note(group, result);
    }
    for (const { lead, result } of stored.unmatched) tally.noteUnmatched(lead, result);
    created += stored.created;
    withoutSections ||= stored.withoutSections;
    progress(upTo, cases.count);
  }
  return { runId, created, withoutSections, refused };
}

/** The audit entry of an upload: the number of results per status. */
const changesOfTotals = ({ cases, ...statuses }: CaseTotals) => ({
  count: cases,
  fields: Object.entries(statuses).flatMap(([to, count]) =>
    count > 0 ? [{ field: 'status', to, count }] : [],
  ),
});
