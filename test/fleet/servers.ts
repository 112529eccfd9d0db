import { createToken, runTrivet, serveTrivet, type Executable, type Running } from '../executable.ts';
import { startPostgres } from '../postgres.ts';
import { reach, type Heard, type Reached } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';

/** Server processes over one PostgreSQL behind a balancer that distributes requests in turn. */
export interface Fleet extends Reached {
  readonly url: string;
  readonly token: string;
  /** The servers that receive requests. */
  readonly servers: readonly Running[];
  /** The arguments of every process. */
  readonly place: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** All server errors so far, and all requests without a response. */
  readonly failures: readonly string[];
  /** Starts another server, which receives requests from then on. */
  add(executable: Executable): Promise<Running>;
  /** Removes a server from the balancer, then stops it. @returns its exit code. */
  remove(server: Running): Promise<number | null>;
  /** The same clients, connected to a single server. */
  at(server: Running): Reached;
  stop(): Promise<void>;
}

/** Disables the rate limits that every version knows: tests sign in from one address more often than people would. */
const unlimited = ['authenticate', 'failures', 'refresh', 'tools'].map((name) => `--rate-${name}=0`);

/** @param executable creates the database and the token, and is the first server. */
export async function startFleet(executable: Executable): Promise<Fleet> {
  const url = await (await startPostgres()).createDatabase();
  const place = ['--data', temporaryDirectory('fleet'), '--database', url];
  const env = { TRIVET_MASTER_KEY: Buffer.alloc(32, 'f').toString('base64') };
  const args = ['--dev', '--public-url', 'http://localhost', ...unlimited, ...place];
  const servers: Running[] = [];
  const add: Fleet['add'] = async (one) => {
    const server = await serveTrivet(one, args, { env });
    servers.push(server);
    return server;
  };
  await add(executable);
  const token = await createToken(executable, place);
  const words = ['dev', 'id-token', '--email', 'someone@example.org', ...place];
  const idToken = (await runTrivet(executable, words, { env })).stdout.trim();

  const failures: string[] = [];
  const inFlight = new Set<Promise<unknown>>();
  const watched = (reached: Reached): Reached => {
    const watch = async (what: string, answer: Promise<Heard>) => {
      inFlight.add(answer);
      try {
        const heard = await answer;
        if (heard.status >= 500) failures.push(`${what}: ${heard.status} ${JSON.stringify(heard.body)}`);
        return heard;
      } catch (error) {
        failures.push(`${what}: ${String(error)}`);
        throw error;
      } finally {
        inFlight.delete(answer);
      }
    };
    return {
      ...reached,
      get: (path, headers) => watch(path, reached.get(path, headers)),
      post: (path, body, headers) => watch(path, reached.post(path, body, headers)),
      tool: (name, input, headers) => watch(name, reached.tool(name, input, headers)),
    };
  };
  let turn = 0;
  const next = () => servers[turn++ % servers.length]?.origin ?? '';
  return {
    ...watched(reach(next, { token, idToken })),
    url,
    token,
    servers,
    place,
    env,
    failures,
    add,
    remove: async (server) => {
      servers.splice(servers.indexOf(server), 1);
      // Waits like a balancer that drains a server: a server that is stopping refuses requests that arrive later.
      await Promise.allSettled(inFlight);
      return server.stop();
    },
    at: (server) => watched(reach(() => server.origin, { token, idToken })),
    stop: async () => void (await Promise.all(servers.splice(0).map((server) => server.stop()))),
  };
}
