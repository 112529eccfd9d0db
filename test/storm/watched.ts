import { compiled, createToken, runTrivet, serveTrivet, type Running } from '../executable.ts';
import { liveCta, reach, unlimited, type Heard, type Reached } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';

/** Shared by all processes of one installation. */
export const masterKey = { TRIVET_MASTER_KEY: Buffer.alloc(32, 's').toString('base64') };

/** The responses over time. Waits are in milliseconds. */
export interface Answers {
  /** Responses that no client should get, one sentence each: not 503, or 503 without Retry-After. */
  readonly faults: readonly string[];
  /** By request, e.g. `launch`: the number of responses per status since the last {@link reset}. */
  readonly counts: Readonly<Record<string, Readonly<Record<number, number>>>>;
  /** The longest wait for a response. */
  readonly longestMs: number;
  reset(): void;
}

/** The same clients, whose responses are recorded. */
export function watched(reached: Reached): { readonly clients: Reached; readonly answers: Answers } {
  const faults: string[] = [];
  let counts: Record<string, Record<number, number>> = {};
  let longestMs = 0;
  const watch = async (what: string, send: () => Promise<Heard>) => {
    const startedAt = performance.now();
    const heard = await send();
    const { status, headers, body } = heard;
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    const of = (counts[what] ??= {});
    of[status] = (of[status] ?? 0) + 1;
    if (status >= 500 && (status !== 503 || !/^\d+$/.test(headers.get('retry-after') ?? '')))
      faults.push(`${what}: ${status} ${headers.get('retry-after')} ${JSON.stringify(body)}`);
    return heard;
  };
  const tool: Reached['tool'] = (name, input, headers) =>
    watch(name, () => reached.tool(name, input, headers));
  return {
    clients: {
      ...reached,
      get: (path, headers) => watch(path, () => reached.get(path, headers)),
      post: (path, body, headers) => watch(path, () => reached.post(path, body, headers)),
      tool,
      must: async (name, input) => {
        const { status, body } = await tool(name, input);
        if (status !== 200) throw new Error(`${name} answered ${status}: ${JSON.stringify(body)}`);
        return body;
      },
    },
    answers: {
      faults,
      get counts() {
        return counts;
      },
      get longestMs() {
        return longestMs;
      },
      reset: () => {
        counts = {};
      },
    },
  };
}

export interface Installation {
  readonly token: string;
  readonly idToken: string;
  readonly ctaId: string;
  /** The arguments of each of its processes, except for its database. */
  readonly args: readonly string[];
}

/** Gives an empty database its tables, an administrator and a live CTA. @param url a direct connection to it. */
export async function install(url: string): Promise<Installation> {
  const data = temporaryDirectory('storm');
  const place = ['--data', data, '--database', url];
  const env = masterKey;
  const token = await createToken(compiled, place);
  const minted = await runTrivet(compiled, ['dev', 'id-token', '--email', 'ann@example.org', ...place], {
    env,
  });
  const idToken = minted.stdout.trim();
  const args = ['--dev', '--public-url', 'http://localhost', '--data', data, ...unlimited];
  const server = await serveTrivet(compiled, [...args, '--database', url], { env });
  const ctaId = await liveCta(reach(() => server.origin, { token, idToken }));
  await server.stop();
  return { token, idToken, ctaId, args };
}

/** @param database how this process reaches the database, as command-line arguments. */
export const serve = (
  { args }: Installation,
  database: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> => serveTrivet(compiled, [...args, ...database], { env: { ...masterKey, ...env } });

/** Lines that must not be in a log, whatever the database does. */
export const badLines = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => /TypeError|[Uu]ncaught|[Uu]nhandled|"INTERNAL"|pa55word/.test(line));

/** @returns the elapsed milliseconds. @throws when the condition does not hold in time. */
export async function until(
  what: string,
  limitMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<number> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await Bun.sleep(20);
  }
  return performance.now() - startedAt;
}
