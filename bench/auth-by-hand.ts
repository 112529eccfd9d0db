import { Database } from 'bun:sqlite';
import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, jwtVerify, SignJWT, type CryptoKey } from 'jose';

/**
 * The bare library: verify and refresh with jose, `Bun.serve` and `bun:sqlite`, the same algorithms and claims, the same row read and
 * written, the same durability. No key ring, no grace, no audit, no limits. The yardstick of bench/auth.ts.
 */
const [directory = '.'] = process.argv.slice(2);
const db = new Database(join(directory, 'auth-by-hand.db'), { create: true });
db.run('PRAGMA busy_timeout = 5000');
db.run('PRAGMA journal_mode = WAL');
db.run('PRAGMA synchronous = FULL');
db.exec(`
  CREATE TABLE users (id integer PRIMARY KEY, status text NOT NULL, email text, name text);
  CREATE TABLE sessions (id text PRIMARY KEY, user_id integer NOT NULL, generation integer NOT NULL, rotated_at integer NOT NULL,
    last_used_at integer NOT NULL, expires_at integer NOT NULL, revoked_at integer);
`);
const byId = db.query(
  'SELECT s.user_id, s.generation, s.expires_at, s.revoked_at, u.status, u.email, u.name FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ?',
);
const advance = db.query('UPDATE sessions SET generation = ?, rotated_at = ?, last_used_at = ? WHERE id = ?');
const insertUser = db.query(
  "INSERT INTO users (status, email, name) VALUES ('active', ?, 'bench') RETURNING id",
);
const insertSession = db.query('INSERT INTO sessions VALUES (?, ?, 0, ?, ?, ?, NULL)');

interface Row {
  readonly user_id: number;
  readonly generation: number;
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly status: string;
  readonly email: string;
  readonly name: string;
}

const issuer = 'http://by-hand.example';
const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
const verifying = (await importJWK(await exportJWK(publicKey), 'ES256')) as CryptoKey;
const secret = createSecretKey(crypto.getRandomValues(new Uint8Array(32)));

const mintAccess = (sid: string, { user_id, email, name }: Pick<Row, 'user_id' | 'email' | 'name'>) => {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ client_id: 'bench', sid, idp: 'dev', email, email_verified: true, name })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
    .setIssuer(issuer)
    .setSubject(String(user_id))
    .setAudience(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + 900)
    .setJti(Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url'))
    .sign(privateKey);
};
const mintRefresh = (sid: string, gen: number, exp: number) =>
  new SignJWT({ sid, gen, exp }).setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' }).sign(secret);

const json = (data: unknown, status = 200) =>
  new Response(JSON.stringify(data), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', Pragma: 'no-cache' },
  });

async function verify(request: Request): Promise<Response> {
  try {
    const { payload } = await jwtVerify((request.headers.get('authorization') ?? '').slice(7), verifying, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
    });
    const session = byId.get(String(payload['sid'])) as Row | null;
    const live =
      session?.revoked_at === null && session.expires_at > Date.now() && session.status === 'active';
    return json({ isAuthTokenValid: live });
  } catch {
    return json({ isAuthTokenValid: false });
  }
}

async function refresh(request: Request): Promise<Response> {
  const { refreshToken } = (await request.json()) as { refreshToken: string };
  const { payload } = await jwtVerify(refreshToken, secret, { algorithms: ['HS256'], typ: 'rt+jwt' });
  const sid = String(payload['sid']);
  const now = Date.now();
  db.run('BEGIN IMMEDIATE');
  const session = byId.get(sid) as Row | null;
  const current =
    session?.revoked_at === null &&
    session.status === 'active' &&
    session.expires_at > now &&
    session.generation === payload['gen'];
  if (!session || !current) {
    db.run('ROLLBACK');
    return json({}, 401);
  }
  advance.run(session.generation + 1, now, now, sid);
  db.run('COMMIT');
  const exp = Math.floor(now / 1000) + 30 * 86_400;
  return json({
    accessToken: await mintAccess(sid, session),
    expiresIn: 900,
    refreshToken: await mintRefresh(sid, session.generation + 1, exp),
    tokenType: 'Bearer',
  });
}

/** A session to begin with, which is not measured. */
async function begin(): Promise<Response> {
  const now = Date.now();
  const { id } = insertUser.get('bench@example.org') as { id: number };
  const sid = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64url');
  insertSession.run(sid, id, now, now, now + 90 * 86_400_000);
  return json({
    accessToken: await mintAccess(sid, { user_id: id, email: 'bench@example.org', name: 'bench' }),
    refreshToken: await mintRefresh(sid, 0, Math.floor(now / 1000) + 30 * 86_400),
  });
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  reusePort: false,
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/v1/auth/token/verify') return verify(request);
    if (pathname === '/v1/auth/token/refresh') return refresh(request);
    if (pathname === '/begin') return begin();
    return json({}, 404);
  },
});
process.stderr.write(`listening on http://127.0.0.1:${server.port}\n`);
