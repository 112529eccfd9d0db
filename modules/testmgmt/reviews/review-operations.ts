import { Type, type Static } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import { Fault } from '../../../core/base/errors.ts';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { projectId, testId } from '../base/parameters.ts';
import { changesOfOne, testRecords } from '../base/written-changes.ts';
import { changedTestFields } from '../cases/case-parameters.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { idsIn, requireReferences } from '../cases/case-references.ts';
import { requireShortSteps } from '../cases/case-steps.ts';
import { testEverIn, testFor, type ChangedFields, type Test } from '../cases/case-store.ts';
import { changesOfTest, valuesOfTest } from '../cases/case-values.ts';
import { changeTests, deleteTests, insertTest } from '../cases/case-write-store.ts';
import { requireFieldValues } from '../fields/field-value-store.ts';
import { membersOfProject, requireMembers } from '../projects/project-people.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { reviewStates, verdicts, type ProposedFields } from '../rules/review-mode.ts';
import { testInVersion } from '../versions/version-read-store.ts';
import { mergeProposal } from './review-merge.ts';
import { shownChanges } from './review-changes.ts';
import { reviewDetails, reviewRecord, reviewRecordOf, verdictRecordOf } from './review-record.ts';
import { isClosed, proposalHash, refusalOfVerdict, stateOf } from '../proposals/review-rule.ts';
import {
  changeReview,
  insertReview,
  insertVerdict,
  pageOfReviews,
  requireReviewRoom,
  reviewToChange,
  testsOfReviews,
  verdictsOf,
  visibleReview,
  type Review,
} from '../proposals/review-store.ts';

const { section: _section, addLabels: _add, removeLabels: _remove, ...proposedFields } = changedTestFields;
const proposed = closedObject(proposedFields, {
  minProperties: 1,
  description: 'The fields, as in update-test; a new test needs a testName.',
});
const reviewId = recordId('From list-reviews.');
const comment = Type.Optional(Type.String({ maxLength: 2_000, description: 'Why.' }));
const hashText = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'From get-review: what you saw.' });
const stateWord = words(reviewStates, { description: 'open: nobody has decided yet.' });

const reviewRecords = (id: number) => ({ kind: 'review', ids: [id] });

/** @throws Fault STEPS_TOO_LONG, NOT_IN_PROJECT, and those of the values of own fields. */
async function requireProposable(
  q: Query,
  id: number,
  set: ChangedFields,
  { isNew, path }: { readonly isNew: boolean; readonly path: string },
): Promise<void> {
  const pathOf = () => path;
  requireShortSteps([set], pathOf);
  const known = await loadReferences(q, id, idsIn([set], { fields: isNew }));
  requireReferences(id, [set], known, { pathOf });
  await requireFieldValues(q, [set], { projectId: id, known: known.fields, isNew, pathOf });
}

/** @throws Fault as {@link requireProposable}: what was there when it was proposed may be gone, and whoever merges gave none of it. */
async function requireMergeable(
  q: Query,
  { id, projectId: project }: Pick<Review, 'id' | 'projectId'>,
  set: ChangedFields,
  isNew: boolean,
): Promise<void> {
  try {
    await requireProposable(q, project, set, { isNew, path: '' });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, error, `Proposal ${id} no longer fits: ${error.message}`, {
      ...(error.causeWord === undefined ? {} : { cause: error.causeWord }),
      tip: `Its author uses propose-test-change with reviewId ${id} and without what is gone; or decline it with review-test-change.`,
    });
  }
}

/** The fields of a new test. @throws Fault INVALID_REQUEST. */
function newTest(set: ChangedFields) {
  const { testName, ...others } = set;
  if (testName === undefined)
    throw fail.INVALID_REQUEST('A new test needs set.testName.', {
      cause: 'set',
      tip: 'Give propose-test-change a testId to change a test, or set.testName for a new one.',
    });
  return { testName, ...others };
}

/** @throws Fault INVALID_REQUEST unless it is fields, or the deletion of a test. */
function requireOneWish(given: {
  readonly testId?: number;
  readonly set?: ChangedFields;
  readonly delete?: true;
}): void {
  const deletes = given.delete === true;
  if ((given.set !== undefined) === deletes)
    throw fail.INVALID_REQUEST('Give set or delete: true.', {
      cause: 'set',
      tip: 'propose-test-change takes the fields to change as set, or delete: true with a testId.',
    });
  if (deletes && given.testId === undefined)
    throw fail.INVALID_REQUEST('A deletion needs a testId.', { cause: 'testId' });
}

/** @throws Fault REVIEW_CLOSED. */
function requireLive({ id, state }: Review): void {
  if (isClosed(state)) throw fail.REVIEW_CLOSED(`Proposal ${id} is ${state}.`, { cause: state });
}

/** Those of the reviewers who can still decide: they are active and not readers. */
async function presentReviewers(q: Query, { projectId, reviewers }: Review): Promise<readonly number[]> {
  const known = await membersOfProject(q, projectId, reviewers);
  return reviewers.filter((id) => {
    const member = known.get(id);
    return member?.status === 'active' && member.role !== 'reader';
  });
}

/** The proposal that a call changes. @throws Fault REVIEW_CLOSED, REVIEW_VERDICT_REFUSED, INVALID_REQUEST for another test. */
function requireOwn(
  review: Review,
  userId: number,
  given: { readonly projectId: number; readonly testId?: number },
) {
  requireLive(review);
  if (review.authorId !== userId)
    throw fail.REVIEW_VERDICT_REFUSED(`Proposal ${review.id} is of user ${review.authorId}.`, {
      cause: 'reviewId',
      tip: 'Use review-test-change with request-changes, or propose-test-change without reviewId.',
    });
  if (review.projectId !== given.projectId || review.testId !== (given.testId ?? null))
    throw fail.INVALID_REQUEST(`Proposal ${review.id} is about another test.`, {
      cause: 'testId',
      tip: 'Give propose-test-change the projectId and testId of the proposal, as get-review returns them.',
    });
}

export const proposeTestChange = extraOperation({
  name: 'propose-test-change',
  title: 'Propose a change of a test',
  description:
    'Proposes fields of a test, a new test (without `testId`) or a deletion; nothing of it holds until merge-test-change. With `reviewId` it replaces ' +
    'your own open proposal, whose approvals end. `reviewers` are the only ones who may decide.',
  input: closedObject({
    projectId,
    testId: Type.Optional(testId),
    set: Type.Optional(proposed),
    delete: Type.Optional(Type.Literal(true, { description: 'Instead of set: the test is to be deleted.' })),
    reviewers: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
        maxItems: 20,
        description: 'From get-all-users.',
      }),
    ),
    comment,
    reviewId: Type.Optional(recordId('Your proposal to replace.')),
  }),
  output: closedObject({
    reviewId: Type.Integer(),
    baseVersion: Type.Integer({ description: '0: a new test.' }),
    hash: Type.String(),
    state: stateWord,
  }),
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, surface, client, db, clock, wrote }) =>
    db.tx(async (q) => {
      const { projectId: id, set = {}, delete: deletes = false } = input;
      requireOneWish(input);
      await projectToChange(q, actor, id);
      const known = input.reviewId === undefined ? null : await reviewToChange(q, actor, input.reviewId);
      if (known) requireOwn(known, actor.userId, input);
      const test = input.testId === undefined ? null : await testFor(q, actor, id, input.testId);
      if (!test) newTest(set);
      if (!deletes) await requireProposable(q, id, set, { isNew: !test, path: 'set.' });
      const asked = input.reviewers ?? (known ? await presentReviewers(q, known) : []);
      const reviewers = [...new Set(asked)].filter((userId) => userId !== actor.userId);
      await requireMembers(q, id, reviewers, 'reviewers');
      const proposal = { testId: test?.id ?? null, baseVersion: test?.version ?? 0, set, deletes };
      const hash = proposalHash(proposal);
      const now = clock.now();
      const written = { ...proposal, hash, reviewers, surface, client, updatedAt: now };
      const text = input.comment?.trim();
      let review: Review;
      if (known) {
        const said = (await verdictsOf(q, [known.id])).get(known.id) ?? [];
        const state = stateOf({ hash, authorId: known.authorId, reviewers }, said);
        review = await changeReview(q, known.id, { ...written, state, comment: text ?? known.comment });
      } else {
        await requireReviewRoom(q, id);
        review = await insertReview(q, {
          ...written,
          projectId: id,
          state: 'open',
          comment: text ?? '',
          authorId: actor.userId,
          createdAt: now,
        });
      }
      wrote({
        projectId: id,
        records: reviewRecords(review.id),
        changes: changesOfOne({}, { testId: proposal.testId ?? undefined, hash, state: review.state }),
      });
      return { reviewId: review.id, baseVersion: proposal.baseVersion, hash, state: review.state };
    }),
});

export const reviewTestChange = extraOperation({
  name: 'review-test-change',
  title: 'Decide on a proposed change',
  description:
    'Approves a proposal, requests changes or declines it. It counts for exactly the proposal with `seenHash`. The author may only ' +
    'decline (withdraw); an approval is not taken over MCP.',
  input: closedObject({
    reviewId,
    verdict: words(verdicts, { description: 'decline is final.' }),
    comment,
    seenHash: hashText,
  }),
  output: closedObject({ reviewId: Type.Integer(), state: stateWord, hash: Type.String() }),
  access: member('write'),
  effect: 'update',
  handler: ({ reviewId: id, verdict, comment: text, seenHash }, { actor, surface, db, clock, wrote }) =>
    db.tx(async (q) => {
      const review = await reviewToChange(q, actor, id);
      requireLive(review);
      const { userId } = actor;
      // If nobody who was asked is left, everybody decides: otherwise nobody ever could.
      const left = await presentReviewers(q, review);
      const reviewers = left.length === 0 ? [] : review.reviewers;
      const asked = { ...review, reviewers };
      const refusal = refusalOfVerdict(asked, { userId, verdict, surface });
      if (refusal !== undefined) throw fail.REVIEW_VERDICT_REFUSED(refusal, { cause: 'verdict' });
      if (seenHash !== review.hash)
        throw fail.REVIEW_CHANGED(`Proposal ${id} changed after you read it.`, { cause: 'seenHash' });
      const now = clock.now();
      const said = { reviewId: id, userId, verdict, comment: text?.trim() ?? '', hash: seenHash, at: now };
      await insertVerdict(q, said);
      const state = stateOf(asked, (await verdictsOf(q, [id])).get(id) ?? []);
      const closed = isClosed(state) ? { closedBy: userId, closedAt: now } : {};
      await changeReview(q, id, { state, reviewers, updatedAt: now, ...closed });
      wrote({
        projectId: review.projectId,
        records: reviewRecords(id),
        changes: changesOfOne({ state: review.state }, { verdict, hash: seenHash, state }),
      });
      return { reviewId: id, state, hash: seenHash };
    }),
});

type ProposedTest = Static<typeof proposed>;

/** A proposal as it merges into its test now. */
async function mergeOf(q: Query, test: Test, { baseVersion, set }: Review) {
  const now = await testInVersion(q, test, test.version);
  const then = baseVersion === test.version ? now : await testInVersion(q, test, baseVersion);
  const base: ProposedFields = valuesOfTest(then.test, then.labels);
  const present = valuesOfTest(now.test, now.labels);
  return { base, present, ...mergeProposal({ base, present, set }) };
}

export const mergeTestChange = extraOperation({
  name: 'merge-test-change',
  title: 'Merge an approved change',
  description:
    'Writes an approved proposal to its test, or creates its new test. If the test changed since, both are merged field by field; ' +
    'TEST_CHANGED where both set the same field differently.',
  input: closedObject({ reviewId }),
  output: closedObject({
    reviewId: Type.Integer(),
    testId: Type.Integer(),
    version: Type.Integer(),
    fields: Type.Array(Type.String(), { description: 'Those that it changed.' }),
  }),
  access: member('write'),
  effect: 'update',
  handler: ({ reviewId: id }, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const review = await reviewToChange(q, actor, id);
      requireLive(review);
      const said = (await verdictsOf(q, [id])).get(id) ?? [];
      if (stateOf(review, said) !== 'approved')
        throw fail.REVIEW_NOT_APPROVED(`Proposal ${id} is not approved.`, { cause: 'reviewId' });
      const { projectId: project } = review;
      const now = clock.now();
      const author = { by: actor.userId, now };
      // It was checked as input when it was proposed.
      const set = review.set as ProposedTest;
      const merged =
        review.testId === null
          ? await createdBy(q, review, { set, ...author })
          : await (review.deletes ? deletedBy : changedBy)(
              q,
              await testFor(q, actor, project, review.testId),
              review,
              {
                ...author,
                actor,
                signal,
              },
            );
      await changeReview(q, id, {
        state: 'merged',
        testId: merged.test.id,
        updatedAt: now,
        closedBy: actor.userId,
        closedAt: now,
      });
      wrote({ projectId: project, records: testRecords([merged.test.id]), changes: merged.changes });
      const { fields, test } = merged;
      return { reviewId: id, testId: test.id, version: test.version, fields: [...fields] };
    }),
});

async function createdBy(
  q: Query,
  review: Review,
  { set, ...author }: { readonly set: ProposedTest; readonly by: number; readonly now: number },
) {
  await requireMergeable(q, review, set, true);
  const test = await insertTest(q, { projectId: review.projectId, fields: newTest(set), ...author });
  return { test, fields: Object.keys(set), changes: changesOfOne({}, { testName: test.name }) };
}

interface Merging {
  readonly actor: Actor;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** @throws Fault TEST_CHANGED when the test was changed since: who approved did not see what would be deleted. */
async function deletedBy(q: Query, test: Test, { id, baseVersion }: Review, { actor, ...author }: Merging) {
  if (test.version !== baseVersion)
    throw fail.TEST_CHANGED(
      `Test ${test.id} was changed since version ${baseVersion}, which was to be deleted. Nothing was written.`,
      {
        cause: 'deleted',
        tip: `Read the test with get-test-details, then use propose-test-change with reviewId ${id}.`,
      },
    );
  await deleteTests(q, test.projectId, [test.id], author);
  const after = await testEverIn(q, actor, test.projectId, test.id);
  const changes = { count: 1, fields: [{ field: 'deleted', from: false, to: true }] };
  return { test: after, fields: ['deleted'], changes };
}

/** @throws Fault TEST_CHANGED when the test was changed in the same field. */
async function changedBy(q: Query, test: Test, review: Review, author: Merging) {
  const { present, fields, conflicts } = await mergeOf(q, test, review);
  if (conflicts.length > 0)
    throw fail.TEST_CHANGED(
      `Test ${test.id} was changed since version ${review.baseVersion}, too: ${conflicts.join(', ')}. Nothing was written.`,
      {
        cause: conflicts[0] ?? 'reviewId',
        tip: `Read the test with get-test-details, then use propose-test-change with reviewId ${review.id}.`,
      },
    );
  const changed = fields as ChangedFields;
  await requireMergeable(q, review, changed, false);
  const names = Object.keys(fields);
  if (names.length > 0) await changeTests(q, [{ test, fields: changed }], author);
  const after = names.length > 0 ? await testFor(q, author.actor, test.projectId, test.id) : test;
  const values = valuesOfTest(after, changed.labels ?? present.labels);
  const { fields: changes } = changesOfTest(present, values);
  // Never `unchanged`: the proposal is merged.
  return { test: after, fields: names, changes: { count: 1, fields: changes } };
}

export const listReviews = extraOperation({
  name: 'list-reviews',
  title: 'List proposed changes',
  description:
    'Lists the proposed changes of tests of a project, newest first. get-review returns one with its texts.',
  input: closedObject({
    projectId,
    state: Type.Optional(stateWord),
    testId: Type.Optional(testId),
    ...paging,
  }),
  output: page('reviews', reviewRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db }) =>
    db.reads(async (q) => {
      const { projectId: id, state, testId: about } = input;
      await projectFor(q, actor, id, 'read');
      if (about !== undefined) await testEverIn(q, actor, id, about);
      const { limit, offset } = pageOf(input);
      const { total, rows } = await pageOfReviews(
        q,
        { projectId: id, state, testId: about },
        { limit, offset },
      );
      const known = await testsOfReviews(q, rows);
      const found = rows.map((review) => reviewRecordOf(review, known.get(review.testId ?? 0)));
      return { total, limit, offset, reviews: found };
    }),
});

export const getReview = extraOperation({
  name: 'get-review',
  title: 'Read a proposed change',
  description:
    'Returns one proposal: who said what, what it changes (from, to), and the fields that conflict with later changes of the test.',
  input: closedObject({ reviewId }),
  output: reviewDetails,
  access: member('read'),
  effect: 'read',
  handler: ({ reviewId: id }, { actor, db }) =>
    db.reads(async (q) => {
      const review = await visibleReview(q, actor, id);
      const said = (await verdictsOf(q, [id])).get(id) ?? [];
      const test =
        review.testId === null ? undefined : await testEverIn(q, actor, review.projectId, review.testId);
      const isNew = test === undefined || review.baseVersion === 0;
      const merge = isNew || review.deletes ? { base: {}, conflicts: [] } : await mergeOf(q, test, review);
      const isOvertaken = review.deletes && test?.version !== review.baseVersion;
      const conflicts = isOvertaken ? ['deleted'] : [...merge.conflicts];
      const reviewers = isClosed(review.state) ? review.reviewers : await presentReviewers(q, review);
      return {
        ...reviewRecordOf({ ...review, reviewers }, test),
        verdicts: said.map((one) => verdictRecordOf(one, review.hash)),
        ...(await shownChanges(q, review, merge.base)),
        conflicts: isClosed(review.state) ? [] : conflicts,
      };
    }),
});
