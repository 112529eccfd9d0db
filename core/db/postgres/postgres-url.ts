import { UsageError } from '../../base/errors.ts';

/** Which servers of a URL with several hosts may be used (libpq's `target_session_attrs`). */
const targets = ['any', 'read-write', 'primary'] as const;
type TargetSession = (typeof targets)[number];

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof tlsModes)[number];

/** A server: a host name or address and a port, or a directory with a Unix socket. */
export interface PostgresHost {
  readonly hostname: string;
  readonly port: number;
}

export interface PostgresUrl {
  /** Tried in this order. */
  readonly hosts: readonly PostgresHost[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly tls: TlsMode | undefined;
  /** The file with the certificates of the authorities that are trusted. */
  readonly tlsRoot: string | undefined;
  readonly target: TargetSession;
  readonly connectTimeoutSeconds: number;
  /** Other parameters: settings of the session, e.g. `application_name`, `search_path`. */
  readonly parameters: Readonly<Record<string, string>>;
}

const form = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE';
const defaultPort = 5432;

/**
 * Reads a connection URL of libpq (postgresql.org/docs/current/libpq-connect.html §34.1.1.2), which may name several hosts:
 * `postgres://user:password@one:5432,two:5432/trivet?target_session_attrs=read-write`. Several hosts without that parameter mean
 * `read-write`: Trivet has to write.
 * @throws UsageError that names the fault. It never repeats the user or the password.
 */
export function parsePostgresUrl(url: string): PostgresUrl {
  const parts = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url);
  if (!parts) throw wrong(`is not of the form ${form}`);
  const [, login = '', authority = '', path = '', query = ''] = parts;
  const [username, ...rest] = login.split(':');
  const password = rest.length > 0 ? rest.join(':') : undefined;
  const hosts = authority.split(',').map(hostOf);
  const given = new URLSearchParams(query);
  const take = (name: string) => {
    const value = given.get(name) ?? undefined;
    given.delete(name);
    return value;
  };
  const target = oneOf(
    'target_session_attrs',
    targets,
    take('target_session_attrs') ?? (hosts.length > 1 ? 'read-write' : 'any'),
  );
  const tls = take('sslmode');
  const timeout = take('connect_timeout') ?? '10';
  if (!/^[1-9]\d{0,3}$/.test(timeout)) throw wrong('has a connect_timeout that is not a number of seconds');
  return {
    hosts,
    username: username === '' || username === undefined ? undefined : decoded(username, 'user'),
    password: password === undefined ? undefined : decoded(password, 'password'),
    database: path === '' ? undefined : decoded(path, 'database'),
    tls: tls === undefined ? undefined : oneOf('sslmode', tlsModes, tls),
    tlsRoot: take('sslrootcert'),
    target,
    connectTimeoutSeconds: Number(timeout),
    parameters: Object.fromEntries(given),
  };
}

function hostOf(text: string): PostgresHost {
  const parts = /^(\[[0-9A-Fa-f:.%]+\]|[^:[\]]*)(?::(\d*))?$/.exec(text);
  if (!parts) throw wrong('has a host that is not HOST or HOST:PORT');
  const [, host = '', port = ''] = parts;
  const number = port === '' ? defaultPort : Number(port);
  if (number < 1 || number > 65_535) throw wrong('has a port outside of 1 to 65535');
  return { hostname: decoded(host.replace(/^\[|\]$/g, ''), 'host') || 'localhost', port: number };
}

function oneOf<T extends string>(name: string, allowed: readonly T[], value: string): T {
  const found = allowed.find((known) => known === value);
  if (found === undefined) throw wrong(`has a ${name} that is not one of ${allowed.join(', ')}`);
  return found;
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(`has a ${what} with a "%" that is not followed by two hexadecimal digits (write "%25")`);
  }
}

const wrong = (what: string) => new UsageError(`--database: the URL ${what}.`);

/** A server in the form that errors may show. */
export const hostNameOf = ({ hostname, port }: PostgresHost): string =>
  hostname.startsWith('/') ? hostname : `${hostname}:${port}`;

/** A host in the form of Bun's client: a name that begins with a slash is the directory of a Unix socket. */
export const addressOf = ({ hostname, port }: PostgresHost) =>
  hostname.startsWith('/') ? { path: hostname, port } : { hostname, port };

/** The servers of a URL in the form that errors may show: without user and password. */
export const hostNamesOf = ({ hosts }: PostgresUrl): string => hosts.map(hostNameOf).join(', ');
