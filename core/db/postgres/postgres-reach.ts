import { connect } from 'node:net';
import { noConnectionBy } from '../../base/foreign-errors.ts';
import type { PostgresHost } from './postgres-url.ts';

/** How long a running server may take to send one byte. */
const patienceMs = 3_000;

/** An SSLRequest (postgresql.org/docs/current/protocol-message-formats.html): every PostgreSQL and pooler answers it with one byte. */
const sslRequest = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
/** Exactly one byte, or an error, e.g. of a server that cannot start one more process. */
const isAnswer = (bytes: Buffer | string) => /^(?:[SN]$|E)/.test(String(bytes));

/** Why a session cannot start at a host. `word` is a stable word for programs, `what` completes "HOST cannot be used: …". */
interface UnreachableHost {
  readonly word: string;
  readonly what: string;
  readonly remedy: string;
  /** Whether a program other than PostgreSQL listens there. */
  readonly foreign: boolean;
}

/**
 * Finds out why a session cannot start at a host. Bun's client reports "Failed to connect" for an unknown host name, a closed port and a
 * machine that is off, and waits for its whole timeout if the server is not PostgreSQL.
 * @returns undefined when PostgreSQL responds.
 */
export function whyUnreachable({ hostname, port }: PostgresHost): Promise<UnreachableHost | undefined> {
  return new Promise((resolve) => {
    const address = hostname.startsWith('/')
      ? { path: `${hostname}/.s.PGSQL.${port}` }
      : { host: hostname, port };
    const socket = connect(address);
    let named = hostname.startsWith('/');
    let connected = false;
    const end = (found: UnreachableHost | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => end(connected ? silent : named ? noAnswer : unnamed), patienceMs);
    socket.once('lookup', () => (named = true));
    socket.once('connect', () => {
      connected = true;
      socket.write(sslRequest);
    });
    socket.once('data', (answer) => end(isAnswer(answer) ? undefined : notPostgres));
    socket.once('end', () => end(closing));
    socket.once('error', (error) => end(connected ? closing : { ...noConnectionBy(error), foreign: false }));
  });
}

const unnamed: UnreachableHost = {
  word: 'eai_again',
  what: `its host name is not resolved within ${patienceMs / 1000} seconds`,
  remedy: 'Check the name servers of this machine, or use an address instead of the host name.',
  foreign: false,
};

const noAnswer: UnreachableHost = {
  word: 'etimedout',
  what: `it does not answer within ${patienceMs / 1000} seconds`,
  remedy: 'Check that the machine is on and that no firewall is between, or correct the host and port.',
  foreign: false,
};

const silent: UnreachableHost = {
  word: 'no_answer',
  what: 'it takes connections and says nothing',
  remedy: 'Check that PostgreSQL is not stopped or overloaded, or correct the host and port.',
  foreign: false,
};

/** A load balancer does this while it has no server. */
const closing: UnreachableHost = {
  word: 'connection_lost',
  what: 'it closes the connection before it says anything',
  remedy: 'Check that PostgreSQL runs there or behind it, or correct the host and port.',
  foreign: false,
};

const notPostgres: UnreachableHost = {
  word: 'not_postgresql',
  what: 'what listens there is not PostgreSQL',
  remedy: 'Correct the host and port.',
  foreign: true,
};
