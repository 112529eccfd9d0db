import { engine } from '../core/db/query/engine.ts';
import {
  compiled,
  createToken,
  runTrivet,
  serveTrivet,
  type Executable,
  type Running,
} from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

export const launchPath = '/cta/active/state-machines/';
export const deltaPath = '/cta/state-machines/snapshot/delta/';

/** An HTTP response with its body. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** One or more servers, as seen by their clients. */
export interface Reached {
  readonly idToken: string;
  /** @throws when the server cannot be reached or the connection breaks. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Heard>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Heard>;
  /** Calls a tool as an administrator. */
  tool(name: string, args: object, headers?: Readonly<Record<string, string>>): Promise<Heard>;
  /** Calls a tool that must succeed. */
  must(name: string, args: object): Promise<Record<string, unknown>>;
}

/** The compiled executable with its own data directory and an administrator's token; it may be killed and restarted. */
export interface Served extends Reached {
  readonly data: string;
  readonly token: string;
  readonly running: Running;
  start(executable?: Executable): Promise<void>;
}

/** Without rate limits: tests sign in, and launch apps, from one address more often than people would. */
export const unlimited = ['authenticate', 'failures', 'refresh', 'tools', 'cta', 'cta-tenant'].map(
  (name) => `--rate-${name}=0`,
);

export interface ServedOptions {
  readonly executable?: Executable;
  readonly data?: string;
  readonly args?: readonly string[];
}

/** Starts the executable with `--dev` on the engine under test. */
export async function startServed(options: ServedOptions = {}): Promise<Served> {
  const data = options.data ?? temporaryDirectory('served');
  const database =
    engine() === 'postgres' ? ['--database', await (await startPostgres()).createMigratedDatabase()] : [];
  const where = ['--data', data, ...database];
  // The issuer of its tokens, which defaults to the origin and would change with a new port.
  const issuer = ['--public-url', 'http://localhost'];
  const args = ['--dev', ...issuer, ...unlimited, ...where, ...(options.args ?? [])];
  const token = await createToken(compiled, where);
  const minted = await runTrivet(compiled, ['dev', 'id-token', '--email', 'someone@example.org', ...where]);
  const idToken = minted.stdout.trim();
  let running = await serveTrivet(options.executable ?? compiled, args);

  const reached = reach(() => running.origin, { token, idToken });
  return {
    ...reached,
    data,
    token,
    get running() {
      return running;
    },
    start: async (executable = compiled) => {
      running = await serveTrivet(executable, args);
    },
  };
}

/** @param origin the target of the next request. */
export function reach(
  origin: () => string,
  { token, idToken }: { readonly token: string; readonly idToken: string },
): Reached {
  const heard = async (path: string, init: RequestInit): Promise<Heard> => {
    const response = await fetch(`${origin()}${path}`, { ...init, signal: AbortSignal.timeout(30_000) });
    const { status, headers: sent } = response;
    return { status, headers: sent, body: (await response.json()) as Heard['body'] };
  };
  const post: Reached['post'] = (path, body, headers = {}) =>
    heard(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const tool: Reached['tool'] = (name, input, headers = {}) =>
    post(`/api/tools/${name}`, input, { authorization: `Bearer ${token}`, ...headers });
  return {
    idToken,
    get: (path, headers = {}) => heard(path, { headers }),
    post,
    tool,
    must: async (name, input) => {
      const { status, body } = await tool(name, input);
      if (status !== 200) throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
  };
}

/** A CTA that every user of the tenant `default` gets. */
export async function liveCta(served: Reached): Promise<string> {
  const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
  const { ctaId } = await served.must('create-cta', { name: 'live', rule });
  await served.must('set-cta-status', { ctaId, status: 'LIVE' });
  return String(ctaId);
}
