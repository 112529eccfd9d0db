import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, started, trivet, type Server } from './compare.ts';
import { connections, type Shooter } from './load.ts';

/**
 * `npm run bench:auth`: verify and refresh against the bare library (bench/auth-by-hand.ts), which does the same cryptography and reads and
 * writes the same row with the same durability. Every refresh rotates: each connection continues with the token that it received.
 */
const directory = mkdtempSync(join(tmpdir(), 'trivet-bench-'));
const unlimited = ['--rate-authenticate', '0', '--rate-refresh', '0'];
const ours = await started([trivet, 'serve', '--port', '0', '--data', directory, '--dev', ...unlimited]);
const byHand = await started([process.execPath, join(import.meta.dir, 'auth-by-hand.ts'), directory]);

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

async function signIn(n: number): Promise<Tokens> {
  const minted = Bun.spawnSync([
    trivet,
    'dev',
    'id-token',
    '--email',
    `b${n}@example.org`,
    '--data',
    directory,
  ]);
  const response = await fetch(`${ours.origin}/v1/auth/social/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      responseType: 'token',
      grantType: 'id_token',
      identifier: minted.stdout.toString().trim(),
      idProvider: 'dev',
      resources: [],
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Tokens;
}

async function sessions(begin: (n: number) => Promise<Tokens>): Promise<readonly Tokens[]> {
  const all: Tokens[] = [];
  for (let n = 0; n < connections; n++) all.push(await begin(n));
  return all;
}

const verifying = (tokens: readonly Tokens[]): Shooter => ({
  shot: (_n, connection) => ({
    method: 'GET',
    path: '/v1/auth/token/verify',
    headers: { authorization: `Bearer ${tokens[connection]?.accessToken}` },
    body: '',
  }),
});

const refreshing = (tokens: readonly Tokens[]): Shooter => {
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
};

const begin = async ({ origin }: Server) => (await (await fetch(`${origin}/begin`)).json()) as Tokens;

try {
  const [mine, bare] = [await sessions(signIn), await sessions(() => begin(byHand))];
  const { held } = await compare(ours, byHand, 'bare library', [
    { title: 'verify', shooters: [verifying(mine), verifying(bare)], promised: 0.7 },
    { title: 'refresh', shooters: [refreshing(mine), refreshing(bare)], promised: 0.5 },
  ]);
  process.exitCode = held ? 0 : 1;
} finally {
  ours.stop();
  byHand.stop();
  rmSync(directory, { recursive: true, force: true });
}
