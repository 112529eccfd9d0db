import type { LetterContent } from '../host/host.ts';
import { sendFailureOf, type SendFailure } from './letter-outcome.ts';
import { letterHeaders, writtenLetter } from './letter-text.ts';
import type { Smtp } from './smtp-settings.ts';

/** How long the server may take for a letter. */
export const sendLimitMs = 60_000;

const connectMs = 10_000;

interface Outgoing {
  /** Stays the same when a letter is sent again, so that mail programs show it once. */
  readonly id: string;
  readonly kind: string;
  readonly content: LetterContent;
  readonly endLink: string | null;
  readonly at: number;
}

/** A connection to the mail server, for several letters. */
export interface OpenSmtp {
  /** @returns null when the server has taken the letter. */
  send(letter: Outgoing, signal: AbortSignal): Promise<SendFailure | null>;
  /** Connects and logs in. @returns null when both worked. */
  examine(): Promise<SendFailure | null>;
  close(): void;
}

export async function openSmtp(smtp: Smtp): Promise<OpenSmtp> {
  // Loaded when the first letter is sent: a start must not pay for it.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(
    {
      pool: true,
      maxConnections: 1,
      host: smtp.host,
      port: smtp.port,
      secure: smtp.isTls,
      requireTLS: !smtp.isTls && !smtp.isPlain,
      ignoreTLS: smtp.isPlain,
      ...(smtp.login && { auth: { user: smtp.login.user, pass: smtp.login.password } }),
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      dnsTimeout: connectMs,
      socketTimeout: sendLimitMs / 2,
      tls: { minVersion: 'TLSv1.2' },
    },
    // The content of a letter never names a file or an address to load.
    { disableFileAccess: true, disableUrlAccess: true },
  );
  const domain = smtp.from.slice(smtp.from.lastIndexOf('@') + 1);
  const tried = async (work: () => Promise<unknown>): Promise<SendFailure | null> => {
    try {
      await work();
      return null;
    } catch (error) {
      return sendFailureOf(typeof error === 'object' && error !== null ? error : {});
    }
  };
  return {
    send: ({ id, kind, content, endLink, at }, signal) =>
      tried(() =>
        transport.sendMail({
          from: { name: 'Trivet', address: smtp.from },
          to: { name: '', address: content.to },
          messageId: `<${id}@${domain}>`,
          date: new Date(at),
          headers: letterHeaders(kind, endLink),
          signal: AbortSignal.any([signal, AbortSignal.timeout(sendLimitMs)]),
          ...writtenLetter(content, endLink),
        }),
      ),
    examine: () => tried(() => transport.verify()),
    close: () => transport.close(),
  };
}
