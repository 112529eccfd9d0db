import { isOver } from '../base/clock.ts';
import { perHost, type Addressee, type Host, type LetterKind } from '../host/host.ts';
import { coreMetrics } from '../metrics/core-metrics.ts';
import { coreSettings } from '../settings/settings.ts';
import { afterAttempt, letterPauseMs, longestPauseMs, type SendFailure } from './letter-outcome.ts';
import {
  forgetLetters,
  noteLetter,
  outboxNow,
  refusedKinds,
  renewLease,
  returnLetter,
  takeLetters,
  waitingLetters,
  type LetterRow,
} from './letter-store.ts';
import { openSmtp, sendLimitMs, type OpenSmtp } from './smtp-sender.ts';
import { sendsLetters, smtpOf } from './smtp-settings.ts';

/** How soon a letter is sent. */
export const letterEveryMs = 2_000;

/** Letters of one run of the job, one after the other. */
const batch = 10;

/** Longer than one letter can take: letters whose process was killed are sent by another one after that. Renewed before each letter. */
const leaseMs = 2 * sendLimitMs;

interface State {
  /** Failures of the mail server one after the other; while it is away, letters are not tried one by one. */
  failures: number;
  againAt: number;
  waiting: number;
}

const stateOf = perHost((): State => ({ failures: 0, againAt: -Infinity, waiting: 0 }));

/** Sends the letters that are due. Nothing waits for it, whatever the mail server does. */
export async function sendLetters(host: Host, signal: AbortSignal): Promise<void> {
  const state = stateOf(host);
  const smtp = smtpOf(host.config);
  const now = host.clock.now();
  if (!smtp) return;
  // Also while another process sends them, or the mail server is away: every process shows what waits.
  const { waiting, due } = await outboxNow(host.db.q, now);
  state.waiting = waiting;
  if (due === 0 || !isOver(now, state.againAt, longestPauseMs)) return;
  state.againAt = -Infinity;
  const { 'rate-letters': perHour, 'rate-letters-person': perPersonAndHour } = host.config.read(coreSettings);
  const taking = { now, leaseMs, most: batch, perHour, perPersonAndHour };
  const rows = await host.db.tx((q) => takeLetters(q, taking));
  let left: readonly LetterRow[] = rows;
  const server = rows.length > 0 ? await openSmtp(smtp) : undefined;
  try {
    for (const row of rows) {
      if (!server || signal.aborted || state.againAt > now) break;
      await host.db.write((q) => renewLease(q, left, host.clock.now() + leaseMs));
      left = left.slice(1);
      await sendOne(host, state, { server, row, signal });
    }
  } finally {
    server?.close();
  }
  const dueAt = Math.max(now, state.againAt);
  for (const row of left) await host.db.write((q) => returnLetter(q, row, dueAt));
  state.waiting = await waitingLetters(host.db.q);
}

async function sendOne(
  host: Host,
  state: State,
  {
    server,
    row,
    signal,
  }: { readonly server: OpenSmtp; readonly row: LetterRow; readonly signal: AbortSignal },
): Promise<void> {
  const { clock, db, metrics } = host;
  const ended = async (after: Parameters<typeof noteLetter>[2]) => {
    await db.write((q) => noteLetter(q, row, after, clock.now()));
    metrics.count(coreMetrics.letters, [row.kind, after.status === 'waiting' ? 'retried' : after.status]);
  };
  const kind = host.letterKinds.find(({ name }) => name === row.kind);
  // A server without the module of the letter leaves it to those that have it.
  const written = kind ? await writtenNow(host, kind, row) : undefined;
  if (written === null) return ended({ status: 'unwanted' });
  if (written && 'lost' in written) {
    logFailed(host, row, written.lost);
    return ended({ status: 'failed', failure: written.lost });
  }
  const failure =
    written === undefined
      ? leftFor('unknown_kind')
      : 'left' in written
        ? leftFor(written.left)
        : await server.send(written, signal);
  if (failure !== null && signal.aborted) {
    // It may have arrived or not. Whoever is there next sends it again, with the same id.
    await db.write((q) => returnLetter(q, row, clock.now()));
    return;
  }
  noteServer(host, state, failure);
  const after = afterAttempt(failure, row, { now: clock.now(), chance: chanceOf(host) });
  if (after.status === 'failed') logFailed(host, row, after.failure);
  return ended(after);
}

const logFailed = ({ log }: Host, { id, kind, attempts }: LetterRow, cause: string) =>
  log.warn('letter_failed', { letter: id, kind, attempts, cause });

/** Another process sends it, if one can within a day. */
const leftFor = (word: string): SendFailure => ({ word, about: 'later' });

const chanceOf = (host: Host) => (host.random(1)[0] ?? 0) / 255;

/** While the server takes nothing, all letters wait for the same attempt. */
function noteServer(host: Host, state: State, failure: SendFailure | null): void {
  if (failure?.about !== 'server') {
    if (state.failures > 0) host.log.info('letters_work_again', {});
    state.failures = 0;
    return;
  }
  state.failures++;
  state.againAt = host.clock.now() + letterPauseMs(state.failures, chanceOf(host));
  if (state.failures === 1)
    host.log.error('letters_failing', {
      cause: failure.word,
      remedy:
        'Letters wait and are tried again for a day. trivet doctor examines the settings of --smtp-url.',
    });
}

const addresseeOf = ({ userId, address }: LetterRow): Addressee | null =>
  userId !== null ? { userId } : address !== null ? { address } : null;

/** The letter as it is true now; null if nobody should get it any more. */
async function writtenNow(host: Host, kind: LetterKind, row: LetterRow) {
  const to = addresseeOf(row);
  if (!to) return null;
  if ((await refusedKinds(host.db.q, row.recipient)).has(row.kind)) return null;
  const content = await kind.write(host, row.facts, to);
  if (content === null || 'lost' in content || 'left' in content) return content;
  const endLink = kind.for === 'operators' ? null : host.letterEndLink(row.recipient, row.kind);
  return { id: `letter-${row.id}-${row.createdAt}`, kind: row.kind, content, endLink, at: row.createdAt };
}

/** Registers the gauge; without --smtp-url, which may be set while the server runs, it is absent. */
export function watchLetters(host: Host): void {
  host.metrics.read(coreMetrics.lettersWaiting, () =>
    sendsLetters(host) ? [[[], stateOf(host).waiting]] : [],
  );
}

/** Deletes letters that ended long ago. */
export async function forgetOldLetters({ db, clock }: Host): Promise<void> {
  while (await db.tx((q) => forgetLetters(q, clock.now())));
}
