import { certificateFailure } from '../../../core/base/foreign-errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { Check, Finding } from '../../../core/module/module.ts';
import type { SendFailure } from '../../../core/letters/letter-outcome.ts';
import { letterState } from '../../../core/letters/letter-store.ts';
import { smtpOf } from '../../../core/letters/smtp-settings.ts';

/** What to do about a failure of the mail server. */
export function smtpRemedy({ word, about }: SendFailure): string {
  if (/^(530|534|535|538|EAUTH)$/.test(word)) return 'Correct --smtp-user and --smtp-password-file.';
  const certificate = certificateFailure(Object.assign(new Error(word), { code: word }));
  if (certificate) return certificate.remedy;
  if (word === 'ETLS')
    return 'The server has no STARTTLS. Use smtps://, or for a relay on this machine --smtp-tls none.';
  if (/^4\d\d$/.test(word))
    return 'It refuses for now: try again later. A running server does so by itself, for a day.';
  if (about === 'letter')
    return 'It refuses this address or this letter: correct the address, or ask whoever runs that server.';
  if (/^5\d\d$/.test(word)) return 'The server refuses --smtp-from, or this machine: ask whoever runs it.';
  return 'Correct --smtp-url, or the network between.';
}

export const whatFailed = ({ word }: SendFailure): string =>
  /^\d/.test(word) ? `The mail server answered ${word}` : `The mail server cannot be used (${word})`;

const hourMs = 3_600_000;

/** The check of `trivet doctor`: connects to the mail server and logs in, and looks at what became of the letters. */
export const smtpCheck: Check = {
  name: 'letters',
  run: async (host) => [...(await connection(host)), ...(await outbox(host))],
};

async function connection({ config }: Host): Promise<Finding[]> {
  const smtp = smtpOf(config);
  if (!smtp) return [];
  const { openSmtp } = await import('../../../core/letters/smtp-sender.ts');
  const server = await openSmtp(smtp);
  try {
    const failure = await server.examine();
    if (failure === null) return [];
    const message = `${whatFailed(failure)}, so no letters are sent.`;
    return [{ finding: 'smtp_failing', message, remedy: smtpRemedy(failure) }];
  } finally {
    server.close();
  }
}

async function outbox({ db, clock }: Host): Promise<Finding[]> {
  const now = clock.now();
  const { failed, oldest } = await letterState(db.q, now - 24 * hourMs);
  const findings: Finding[] = [];
  if (failed > 0)
    findings.push({
      finding: 'letters_failed',
      message: `${failed} letters of the last day were given up.`,
      remedy: 'The log lines "letter_failed" say why.',
      warning: true,
    });
  if (oldest && now - oldest.createdAt > hourMs)
    findings.push({
      finding: 'letters_waiting',
      message: `A letter waits for ${Math.floor((now - oldest.createdAt) / hourMs)} hours (${oldest.failure ?? 'not tried'}).`,
      remedy:
        'It is tried again for a day. Is a server with --smtp-url running, and is --rate-letters enough?',
      warning: true,
    });
  return findings;
}
