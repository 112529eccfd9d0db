import { storedText, storeText } from '../../../api/browser-store.ts';
import type { FieldValue } from '../../../../../testmgmt/rules/field-value.ts';
import type { StepResult } from '../../../../../testmgmt/rules/step-result.ts';
import { statuses, type TestStatus } from '../../../design/status.tsx';

/*
 * Results that the server has not answered for, because it was out of reach, the session had ended or the page ended first: they wait in
 * this browser, also after a reload and a sign-in. They are those of one person: whoever signs in to the same browser next does not send
 * them. One that was stored before its answer was lost is sent again, which changes nothing.
 */

/** What a person says besides the status. */
export interface ResultNote {
  readonly comment?: string;
  readonly stepResults?: StepResult[];
  /** Values of own fields; null clears one. */
  readonly fields?: Record<string, FieldValue | null>;
}

/** A result that waits, with the time of the version that the person saw. */
export interface WaitingResult {
  /** Finds it again when the server has answered for it. */
  readonly id: string;
  readonly testId: number;
  readonly status: TestStatus;
  readonly said: ResultNote;
  readonly seenAt: string | null;
}

/** The results of one person in one run. */
export interface Outbox {
  readonly userId: number;
  readonly runId: number;
}

const keyOf = ({ userId, runId }: Outbox): string => `trivet-results:${userId}:${runId}`;

/** The stored list, in the order of the person's work; what is no result of a test is left out. */
export function waitingResults(text: string | null): readonly WaitingResult[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(stored)
    ? stored.filter(isWaiting).map((one) => ({ ...one, id: one.id ?? formerId(one) }))
    : [];
}

type StoredResult = Omit<WaitingResult, 'id'> & Partial<Pick<WaitingResult, 'id'>>;

/** Of one that an earlier version of the console has stored: it kept one for each test. */
const formerId = ({ testId, status, said }: StoredResult): string => JSON.stringify([testId, status, said]);

function isWaiting(value: unknown): value is StoredResult {
  const { testId, status, said, seenAt } = (value ?? {}) as Partial<Record<keyof WaitingResult, unknown>>;
  return (
    Number.isSafeInteger(testId) &&
    statuses.some((one) => one === status) &&
    typeof said === 'object' &&
    said !== null &&
    (seenAt === null || typeof seenAt === 'string')
  );
}

export const waitingOf = (outbox: Outbox): readonly WaitingResult[] =>
  waitingResults(storedText(keyOf(outbox)));

/** Those of a test before it stay: each may have a comment, values of fields or results of steps of its own. */
export function keepResult(outbox: Outbox, { id, testId, status, said, seenAt }: WaitingResult): void {
  const kept = withResult(waitingOf(outbox), { id, testId, status, said, seenAt });
  storeText(keyOf(outbox), JSON.stringify(kept));
}

/** One that waits already stays at its place. */
export const withResult = (all: readonly WaitingResult[], result: WaitingResult): readonly WaitingResult[] =>
  all.some(({ id }) => id === result.id)
    ? all.map((one) => (one.id === result.id ? result : one))
    : [...all, result];

/** A result that the server has stored or refused. */
type AnsweredResult = Pick<WaitingResult, 'id' | 'testId'>;

/**
 * What still waits after the server has answered for a result: later ones of the same test stay, and were made on what is stored now.
 * @param storedAt the time of the test in the run by now; undefined if nothing of this person is stored, or it is not known.
 */
export function leftAfter(
  all: readonly WaitingResult[],
  answered: AnsweredResult,
  storedAt: string | null | undefined,
): readonly WaitingResult[] {
  return all
    .filter(({ id }) => id !== answered.id)
    .map((one) =>
      storedAt === undefined || one.testId !== answered.testId ? one : { ...one, seenAt: storedAt },
    );
}

/** The server has answered for this result ({@link leftAfter}). */
export function dropResult(outbox: Outbox, answered: AnsweredResult, storedAt?: string | null): void {
  const left = leftAfter(waitingOf(outbox), answered, storedAt);
  storeText(keyOf(outbox), left.length > 0 ? JSON.stringify(left) : null);
}

/** How long to wait before the server is asked again. The browser says when it is online, but not when the server is back. */
const againMs = 2_000;

export const reachableAgain = (): Promise<void> =>
  new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      removeEventListener('online', over);
      resolve();
    };
    const timer = setTimeout(over, againMs);
    addEventListener('online', over);
  });
