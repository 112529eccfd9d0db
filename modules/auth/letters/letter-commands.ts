import { exit, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { smtpOf } from '../../../core/letters/smtp-settings.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { letterTestSettings } from '../base/command-settings.ts';
import { smtpRemedy, whatFailed } from './smtp-check.ts';

/** Sends a test letter at once, past the outbox, and says what the mail server answered. */
export async function sendTestLetter(host: Host): Promise<CommandAnswer> {
  const { to } = host.config.read(letterTestSettings);
  if (to === undefined)
    throw new UsageError('--to is required: the e-mail address that the letter goes to.', exit.usage);
  const smtp = smtpOf(host.config);
  if (!smtp)
    throw new UsageError('Letters are off: --smtp-url is not set. Give the --config of the server, too.');
  const { openSmtp } = await import('../../../core/letters/smtp-sender.ts');
  const server = await openSmtp(smtp);
  const at = host.clock.now();
  const content = {
    to,
    subject: 'A test letter of Trivet',
    text: ['Letters of this server arrive. Nothing else is to be done.'],
    link: { name: 'The server', url: `${host.origin()}/console/` },
    reason: 'You get this letter because somebody ran "trivet letter test" with your address.',
  };
  try {
    const id = `letter-test-${at}`;
    const letter = { id, kind: 'test', content, endLink: null, at };
    const failure = await server.send(letter, new AbortController().signal);
    const answer = { to, server: `${smtp.host}:${smtp.port}`, sent: failure === null };
    if (failure === null)
      return { data: answer, text: `The server ${answer.server} has taken the letter to ${to}.` };
    const remedy = smtpRemedy(failure);
    const said = failure.said === undefined ? '' : ` (${failure.said})`;
    return {
      data: {
        ...answer,
        failure: failure.word,
        ...(failure.said !== undefined && { said: failure.said }),
        remedy,
      },
      text: `${whatFailed(failure)}${said}: the letter was not sent. ${remedy}`,
      failed: true,
    };
  } finally {
    server.close();
  }
}
