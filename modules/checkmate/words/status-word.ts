/** The status of a test in a run, in the words of both. */
const words = {
  passed: 'Passed',
  failed: 'Failed',
  untested: 'Untested',
  blocked: 'Blocked',
  retest: 'Retest',
} as const;

export type StatusWord = keyof typeof words;
const statuses = Object.keys(words) as readonly StatusWord[];

export const shownStatus = (status: StatusWord): string => words[status];

/** What a status of Checkmate is here. `word` remains in the comment: it has no equivalent. */
type ReadStatus = { readonly status: StatusWord; readonly word?: string } | { readonly unknown: string };

/** Statuses of Checkmate without an equivalent: a test that was skipped or is being run has no result yet. */
const withoutEquivalent = ['Skipped', 'InProgress'] as const;

/** Reads a status of a client, whatever the case. MCP agents write free text. */
export function readStatus(given: string): ReadStatus {
  const key = given.trim().toLowerCase();
  const status = statuses.find((one) => one === key);
  if (status) return { status };
  const word = withoutEquivalent.find((one) => one.toLowerCase() === key.replaceAll(/[\s_-]/g, ''));
  if (word) return { status: 'untested', word };
  return {
    unknown: `"${given.slice(0, 40)}" is no status of a result: use ${statuses.map(shownStatus).join(', ')} or ${withoutEquivalent.join(', ')}.`,
  };
}

/** The comment of a result whose status has no equivalent. */
export const commentOf = (comment: string | undefined, word: string | undefined): string | undefined =>
  word === undefined ? comment : comment ? `${word}: ${comment}` : word;

interface Counts extends Readonly<Record<StatusWord, number>> {
  readonly total: number;
}

/** The nine counts of Checkmate. What does not exist here is 0. */
export const shownCounts = ({ total, passed, failed, untested, blocked, retest }: Counts) => ({
  total,
  passed,
  failed,
  untested,
  blocked,
  retest,
  archived: 0,
  skipped: 0,
  inprogress: 0,
});
