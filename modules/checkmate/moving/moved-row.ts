import { textHead } from '../../../core/text/text-head.ts';
import { nameOfTitle, withExtras } from '../words/extra-field.ts';
import { commentOf, readStatus, type StatusWord } from '../words/status-word.ts';
import { stepsFromTexts } from '../words/steps-text.ts';
import type { CheckmateRow } from './checkmate-table.ts';

/*
 * What rows of Checkmate are here: pure rules. `note` gets a sentence for everything that has no equivalent or is changed; the report counts
 * equal ones.
 */

export type Note = (what: string) => void;

/** The most characters of a description and of preconditions that tools take; longer ones are stored whole. */
const longestText = 20_000;
const longestComment = 10_000;
const longestName = 255;

/** A name is never blank, and has at most 255 characters. */
export function movedName(name: string | null, instead: string): string {
  const trimmed = (name ?? '').trim();
  return trimmed === '' ? instead : textHead(trimmed, longestName).trim();
}

const written = (title: string, value: string | null): string[] =>
  value === null || value.trim() === '' ? [] : [`${title}: ${value.trim()}`];

/** The texts of a test. Fields without a column are lines of the description, as the API of Checkmate stores them. */
export function movedTest(row: CheckmateRow<'tests'>, note: Note) {
  const { testName, fullTitle } = nameOfTitle(movedTitle(row));
  if (fullTitle !== undefined) note('titles above 255 characters: cut, and whole in the description');
  const more = [
    ...written('Reference', row.reference),
    ...written('Attachments', row.attachments),
    ...written('Custom 1', row.custom1),
    ...written('Custom 2', row.custom2),
    ...written('Custom 3', row.custom3),
    ...written('Custom 4', row.custom4),
  ];
  if (row.assignedTo !== null) note('assignees of tests: not stored (runs have assignees here)');
  if (row.attachments !== null && row.attachments.trim() !== '')
    note('attachments of tests: their text is in the description');
  const { jiraTicket, defects, automationId, additionalGroups } = row;
  const extras = Object.fromEntries(
    Object.entries({ jiraTicket, defects, automationId, additionalGroups, fullTitle: fullTitle ?? null })
      .filter(([, value]) => value !== null)
      .map(([field, value]) => [field, value ?? '']),
  );
  const description = withExtras(
    [...written('', row.description).map((text) => text.slice(2)), ...more].join('\n\n'),
    extras,
  );
  const preconditions = row.preConditions?.trim() ?? '';
  if (description.length > longestText || preconditions.length > longestText)
    note('texts of tests above 20,000 characters: stored whole; shorten them before you change them');
  return { name: testName, description, preconditions, steps: stepsFromTexts(row.steps, row.expectedResult) };
}

const movedTitle = ({ title, testId }: CheckmateRow<'tests'>): string =>
  title === null || title.trim() === '' ? `Test ${testId ?? ''}` : title;

/** Whether a test is deleted here: it keeps its results, and `restore-tests` brings it back. */
export function isMovedDeleted({ status }: CheckmateRow<'tests'>, note: Note): boolean {
  if (status === null || status === 'Active') return false;
  note(
    `tests with status ${shownWord(status)}: stored as deleted, with their results; restore-tests brings them back`,
  );
  return true;
}

/** Whether a run comes over, and whether it takes changes. */
export function movedRunState(
  { status }: CheckmateRow<'runs'>,
  note: Note,
): 'active' | 'locked' | 'left out' {
  if (status === 'Deleted') {
    note('runs with status Deleted: left out, with their results');
    return 'left out';
  }
  if (status === 'Archived') note('runs with status Archived: locked');
  return status === 'Locked' || status === 'Archived' ? 'locked' : 'active';
}

export const movedRunTexts = (row: CheckmateRow<'runs'>) => ({
  name: movedName(row.runName, `Run ${row.runId ?? ''}`),
  description: [
    ...written('', row.runDescription).map((text) => text.slice(2)),
    ...written('Reference', row.refrence),
  ].join('\n\n'),
});

/** A status of a test in a run, and its comment. A word without an equivalent stays in the comment. */
export function movedStatus(
  status: string | null,
  comment: string | null,
  note: Note,
): { readonly status: StatusWord; readonly comment: string | null } {
  const text = comment === null || comment.trim() === '' ? undefined : comment.trim();
  if (text !== undefined && text.length > longestComment)
    note('comments above 10,000 characters: stored whole');
  const read = readStatus(status ?? '');
  const word = 'unknown' in read ? shownWord(status ?? '') || '(none)' : read.word;
  if (word !== undefined) note(`results with status ${word}: untested, with the word in the comment`);
  return { status: 'unknown' in read ? 'untested' : read.status, comment: commentOf(text, word) ?? null };
}

const shownWord = (word: string): string => word.trim().slice(0, 25);

/** The role of a person here. Administrators are made here. */
export const movedRole = ({ role, status }: CheckmateRow<'users'>): 'reader' | 'member' | null =>
  status === 'archive' || status === 'delete' ? null : role === 'reader' ? 'reader' : 'member';
