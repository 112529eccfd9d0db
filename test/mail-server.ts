import { SMTPServer } from 'smtp-server';
import PostalMime, { type Email } from 'postal-mime';

/** A letter that arrived, as a mail program reads it. */
export interface ArrivedLetter {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: Email;
  header(name: string): string | undefined;
}

interface MailServerOptions {
  readonly login?: { readonly user: string; readonly password: string };
  readonly tls?: { readonly key: string; readonly cert: string };
  /** TLS from the first byte; with `tls` alone there is STARTTLS. */
  readonly secure?: boolean;
}

/** A real SMTP server on a free port of loopback; a test says what it refuses. */
export async function mailServer({ login, tls, secure = false }: MailServerOptions = {}) {
  const letters: ArrivedLetter[] = [];
  const behaviour: {
    /** The reply to a recipient, e.g. 550; undefined accepts. */
    recipient: (address: string) => number | undefined;
    /** The reply to the content. */
    content: () => number | undefined | Promise<number | undefined>;
  } = { recipient: () => undefined, content: () => undefined };
  const refusal = (responseCode: number) => Object.assign(new Error('refused'), { responseCode });
  const server = new SMTPServer({
    ...tls,
    secure,
    ...(tls ? {} : { disabledCommands: ['STARTTLS'] }),
    ...(login ? {} : { authOptional: true }),
    allowInsecureAuth: true,
    onAuth: (given, _session, done) => {
      const isRight = given.username === login?.user && given.password === login?.password;
      done(isRight ? null : refusal(535), isRight ? { user: given.username ?? '' } : undefined);
    },
    onRcptTo: ({ address }, _session, done) => {
      const code = behaviour.recipient(address);
      done(code === undefined ? null : refusal(code));
    },
    onData: (stream, { envelope }, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        void (async () => {
          const code = await behaviour.content();
          if (code !== undefined) return done(refusal(code));
          const raw = Buffer.concat(parts).toString('utf8');
          const mail = await PostalMime.parse(raw);
          letters.push({
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            raw,
            mail,
            header: (name) => mail.headers.find(({ key }) => key === name.toLowerCase())?.value,
          });
          done();
        })();
      });
    },
  });
  // A client that refuses our certificate ends the connection.
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const url = `${secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`;
  return {
    port,
    url,
    /** The settings with which a server sends its letters here, without TLS. */
    settings: {
      'smtp-url': url,
      'smtp-tls': 'none',
      'smtp-from': 'trivet@example.org',
      'public-url': 'http://127.0.0.1:8787',
    },
    letters,
    behaviour,
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
