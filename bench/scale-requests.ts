import type { Shooter } from './load.ts';
import { eligible, machine, testsOfProject } from './scale-data.ts';

/** The requests of bench/scale.ts, as sent by apps, developers and pipelines. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const launchPath = '/cta/active/state-machines/';
const deltaPath = '/cta/state-machines/snapshot/delta/';
export const headersOf = (user: number) => ({ 'auth-userid': String(user), api_version: '1' });
const changed = (n: number) =>
  JSON.stringify({
    ctas: [{ ctaId: String((n % eligible) + 1), activeStateMachines: { default: machine(Date.now()) } }],
  });

/** Requests of apps, spread over this many users. */
export function appRequests(users: number) {
  const userOf = (n: number) => (n * 2_654_435_761) % users;
  let newcomers = users;
  const sending = (path: string, user: (n: number) => number, body: (n: number) => string): Shooter => ({
    shot: (n) => ({ path, headers: headersOf(user(n)), body: body(n) }),
  });
  return {
    launches: sending(launchPath, userOf, () => '{}'),
    merges: sending(launchPath, userOf, changed),
    deltas: sending(deltaPath, userOf, changed),
    firstDeltas: sending(deltaPath, () => ++newcomers, changed),
  };
}

/** Each connection continues with the token that it received. */
export function refreshing(tokens: readonly Tokens[]): Shooter {
  const current = tokens.map(({ refreshToken }) => refreshToken);
  return {
    shot: (_n, connection) => ({
      path: '/v1/auth/token/refresh',
      body: JSON.stringify({ refreshToken: current[connection] }),
    }),
    answered: (connection, body) => {
      current[connection] = (JSON.parse(body) as Tokens).refreshToken;
    },
  };
}

export const verifying = (tokens: readonly Tokens[]): Shooter => ({
  shot: (_n, connection) => ({
    method: 'GET',
    path: '/v1/auth/token/verify',
    headers: { authorization: `Bearer ${tokens[connection]?.accessToken}` },
    body: '',
  }),
});

export const authenticatePath = '/v1/auth/social/authenticate';
export const signInBody = (identifier: string) => ({
  responseType: 'token',
  grantType: 'id_token',
  identifier,
  idProvider: 'dev',
  resources: [],
});
/** Users who have signed in before. ID tokens of the development provider may be reused, so no used token is stored. */
export const authenticating = (idTokens: readonly string[]): Shooter => ({
  shot: (_n, connection) => ({
    path: authenticatePath,
    body: JSON.stringify(signInBody(idTokens[connection] ?? '')),
  }),
});

/** Tool calls under a personal access token. */
export function toolCalls(authorization: string, testIds: readonly number[]) {
  const calling = (tool: string, args: (n: number) => object): Shooter => ({
    shot: (n) => ({
      path: `/api/tools/${tool}`,
      headers: { authorization },
      body: JSON.stringify({ projectId: 1, ...args(n) }),
    }),
  });
  return {
    reporting: calling('run-update-test-status', (n) => {
      const status = Math.floor(n / testIds.length) % 2 === 0 ? 'passed' : 'failed';
      return { runId: 1, testResults: [{ testId: testIds[n % testIds.length], status }] };
    }),
    paging: calling('get-tests', (n) => ({ limit: 20, offset: (n * 20) % testsOfProject })),
    creating: calling('create-test', (n) => ({ testName: `New test ${n}` })),
  };
}
