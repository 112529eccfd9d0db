import { oneLine } from './letter-text.ts';

/** How an attempt to send a letter failed. */
export interface SendFailure {
  /** A stable word without personal data, e.g. `550` or `ETIMEDOUT`: the message of the server may quote the address. */
  readonly word: string;
  /**
   * `letter`: the server refuses this letter, now and later. `later`: it refuses it for now. `server`: nothing can be sent at the moment, or
   * not with these settings.
   */
  readonly about: 'letter' | 'later' | 'server';
  /** What the server answered, in one line: for whoever tries it by hand, never for a log. */
  readonly said?: string;
}

/** What a library for SMTP throws, as far as it decides. */
export interface SmtpProblem {
  readonly code?: unknown;
  /** Of the system or of TLS, e.g. `ECONNREFUSED`: `code` is then the library's own. */
  readonly originalCode?: unknown;
  readonly responseCode?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
}

/** Commands that are about one letter. A refused sender (MAIL FROM) is a matter of the settings. */
const ofLetter: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA']);

/** RFC 5321 §4.2.1: 4yz may succeed later, 5yz will not. */
export function sendFailureOf({
  originalCode,
  responseCode,
  command,
  response,
  ...problem
}: SmtpProblem): SendFailure {
  const said = typeof response === 'string' && response !== '' && { said: oneLine(response) };
  const code = originalCode ?? problem.code;
  const reply = typeof responseCode === 'number' && responseCode >= 400 ? responseCode : undefined;
  const name = typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,39}$/.test(code) ? code : 'failed';
  // The reply to a command that was not in its place says nothing of the reason.
  const word = reply === undefined || name === 'ETLS' ? name : String(reply);
  // 421: the server closes the connection, whatever the command was.
  if (reply === undefined || reply === 421 || !ofLetter.has(command))
    return { word, about: 'server', ...said };
  return { word, about: reply >= 500 ? 'letter' : 'later', ...said };
}

const minuteMs = 60_000;
export const longestPauseMs = 60 * minuteMs;

/** A letter that could not be sent for as long is given up. */
export const givenUpMs = 24 * 60 * minuteMs;

/** The pause after a failed attempt: a minute, then twice as long each time, at most an hour; with jitter in its second half. */
export function letterPauseMs(attempts: number, chance: number): number {
  const full = Math.min(longestPauseMs, minuteMs * 2 ** (attempts - 1));
  return Math.round(full / 2 + (full / 2) * chance);
}

/** What becomes of a letter after an attempt. */
export type AfterAttempt =
  | { readonly status: 'sent' }
  | { readonly status: 'failed'; readonly failure: string }
  | { readonly status: 'waiting'; readonly failure: string; readonly dueAt: number };

export function afterAttempt(
  failure: SendFailure | null,
  letter: { readonly attempts: number; readonly createdAt: number },
  { now, chance }: { readonly now: number; readonly chance: number },
): AfterAttempt {
  if (failure === null) return { status: 'sent' };
  const dueAt = now + letterPauseMs(letter.attempts, chance);
  if (failure.about === 'letter' || dueAt - letter.createdAt > givenUpMs)
    return { status: 'failed', failure: failure.word };
  return { status: 'waiting', failure: failure.word, dueAt };
}
