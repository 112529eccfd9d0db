import type { Output } from '../../api/calls.ts';
import { t } from '../../texts/text.ts';

type Review = Output<'list-reviews'>['reviews'][number];
type State = Review['state'];

export const stateTitles: Readonly<Record<State, string>> = {
  open: t('Open'),
  approved: t('Approved'),
  'changes-requested': t('Changes requested'),
  merged: t('Merged'),
  declined: t('Declined'),
};

/** The filter of the list: a state, or all of them. The open ones are shown first. */
export const stateOptions = [
  ...Object.entries(stateTitles).map(([id, name]) => ({ id, name })),
  { id: 'all', name: t('All') },
];

/** The state that an address names. */
export const stateInAddress = (text: string | null): State | 'all' =>
  text === 'all' || (text !== null && Object.hasOwn(stateTitles, text)) ? (text as State | 'all') : 'open';

/** What a proposal is about: a change, a new test or a deletion. */
export function kindOf({
  fields,
  baseVersion,
}: Pick<Review, 'fields' | 'baseVersion'>): 'delete' | 'create' | 'change' {
  if (fields.includes('deleted')) return 'delete';
  return baseVersion === 0 ? 'create' : 'change';
}

export type Decision = 'approve' | 'request-changes' | 'decline' | 'merge';

/** What each button does, for whoever presses it. */
export const decisionTexts: Readonly<Record<Decision, { readonly name: string; readonly does: string }>> = {
  approve: {
    name: t('Approve'),
    does: t('It may be merged. A later change of the proposal needs a new approval.'),
  },
  'request-changes': {
    name: t('Request changes'),
    does: t('It cannot be merged until you approve, or the author changes it.'),
  },
  decline: { name: t('Decline'), does: t('It ends, and cannot be merged any more.') },
  merge: { name: t('Merge'), does: t('It is written to the test, as a new version.') },
};

/** What somebody said, as a phrase after their name. */
export const verdictTexts = {
  approve: t('approved'),
  'request-changes': t('requested changes'),
  decline: t('declined'),
} as const;

const live: ReadonlySet<State> = new Set(['open', 'approved', 'changes-requested']);

/** Whether a person can put another change in the place of this proposal: it is theirs, and of a test that there is. */
export const isOwnChange = (
  review: Pick<Review, 'state' | 'authorId' | 'fields' | 'baseVersion'>,
  userId: number | undefined,
): boolean => live.has(review.state) && review.authorId === userId && kindOf(review) === 'change';

/** The buttons for a person, and why others are missing. The server decides in the end. */
export function decisionsFor(
  review: Pick<Review, 'state' | 'authorId' | 'reviewers' | 'fields' | 'baseVersion'>,
  { userId, mayWrite }: { readonly userId: number | undefined; readonly mayWrite: boolean },
): { readonly decisions: readonly Decision[]; readonly note: string | null } {
  const { state, authorId, reviewers } = review;
  if (!live.has(state) || !mayWrite) return { decisions: [], note: null };
  const merge: readonly Decision[] = state === 'approved' ? ['merge'] : [];
  if (userId === authorId)
    return {
      decisions: [...merge, 'decline'],
      note:
        state === 'changes-requested'
          ? isOwnChange(review, userId)
            ? t('Changes were requested. Change the proposal, or decline it to take it back.')
            : t('Changes were requested. Decline it to take it back, and propose something else.')
          : t('You proposed it, so somebody else approves it. Declining takes it back.'),
    };
  if (reviewers.length > 0 && (userId === undefined || !reviewers.includes(userId)))
    return { decisions: merge, note: t('Only the reviewers who were asked decide on it.') };
  return { decisions: [...merge, 'approve', 'request-changes', 'decline'], note: null };
}
