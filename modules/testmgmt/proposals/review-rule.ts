import { nodeCrypto } from '../../../core/base/late-node.ts';
import type { Surface } from '../../../core/base/write-entry.ts';
import { isAgent, type ProposedFields, type ReviewState, type Verdict } from '../rules/review-mode.ts';

/** What is proposed. A verdict is about exactly one. */
export interface Proposal {
  /** null: a new test. */
  readonly testId: number | null;
  readonly baseVersion: number;
  readonly set: ProposedFields;
  /** The test is to be deleted; `set` is empty. */
  readonly deletes?: boolean;
}

interface GivenVerdict {
  readonly userId: number;
  readonly verdict: Verdict;
  readonly hash: string;
}

interface Reviewed {
  readonly hash: string;
  readonly authorId: number;
  readonly reviewers: readonly number[];
}

/** SHA-256 of a proposal, in hexadecimal digits. The order of its fields does not count. */
export function proposalHash({ testId, baseVersion, set, deletes = false }: Proposal): string {
  const fields = Object.entries(set).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return nodeCrypto()
    .createHash('sha256')
    .update(JSON.stringify([testId, baseVersion, fields, ...(deletes ? ['delete'] : [])], canonical))
    .digest('hex');
}

/** Objects with their keys in order: stored JSON need not keep it. */
const canonical = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The state by the verdicts about the present proposal. The last one of each person counts; the author has no approval to give. */
export function stateOf(
  { hash, authorId, reviewers }: Reviewed,
  given: readonly GivenVerdict[],
): ReviewState {
  const last = new Map<number, Verdict>();
  for (const one of given) if (one.hash === hash) last.set(one.userId, one.verdict);
  const all = [...last];
  if (all.some(([, verdict]) => verdict === 'decline')) return 'declined';
  if (all.some(([, verdict]) => verdict === 'request-changes')) return 'changes-requested';
  const approves = all.some(
    ([userId, verdict]) =>
      verdict === 'approve' && userId !== authorId && (reviewers.length === 0 || reviewers.includes(userId)),
  );
  return approves ? 'approved' : 'open';
}

export const isClosed = (state: ReviewState): boolean => state === 'merged' || state === 'declined';

/** Why this verdict is refused, in a sentence, or undefined. The author may only decline: so a proposal is withdrawn. */
export function refusalOfVerdict(
  { authorId, reviewers }: Pick<Reviewed, 'authorId' | 'reviewers'>,
  given: { readonly userId: number; readonly verdict: Verdict; readonly surface: Surface },
): string | undefined {
  if (given.verdict === 'approve' && given.userId === authorId)
    return 'The author of a proposal does not approve it.';
  if (given.verdict === 'approve' && isAgent(given.surface))
    return 'A proposal is not approved over MCP: a person does that.';
  if (given.userId !== authorId && reviewers.length > 0 && !reviewers.includes(given.userId))
    return `Only the reviewers who were asked decide: ${reviewers.join(', ')}.`;
  return undefined;
}
