import { createSecretKey } from 'node:crypto';
import { SQL } from 'bun';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { json, page, report } from './scale-tools-by-hand.ts';

/**
 * A program written for exactly these requests over PostgreSQL and nothing else: `Bun.serve`, Bun's own client, a single statement where
 * one is enough, the same tables, the same rows written, the same responses. No catalogue to refresh, no targeting, no limits, only the
 * first checks, no grace window. The yardstick of bench/scale.ts.
 *
 * Started with the URL of a copy of Trivet's database, the number of connections, and the parts of the launch response before and after the
 * user's own.
 */
const [url = '', connections = '16', launchPartsFile = ''] = process.argv.slice(2);
const parts = (await Bun.file(launchPartsFile).json()) as Array<{
  ctaId: string;
  before: string;
  after: string;
}>;
const sql = new SQL(url, { max: Number(connections) });

interface Machine {
  readonly lastTransitionAt: number;
}
interface CtaState {
  machines: Record<string, Machine>;
  resetAt: { marks: number[] };
  actionDoneAt: { marks: number[] };
}
interface State {
  version: 2;
  ctas: Record<string, CtaState>;
  tags: object;
}
interface Body {
  readonly ctas?: ReadonlyArray<{ ctaId: string; activeStateMachines: Record<string, Machine> }>;
}

const stateRow = async (tenant: string, user: string) => {
  const [row] = (await sql`
    SELECT state, updated_at FROM cta_user_states WHERE tenant_id = ${tenant} AND user_id = ${user}`) as Array<{
    state: string;
    updated_at: string;
  }>;
  return row;
};

const none: State = { version: 2, ctas: {}, tags: {} };

/** The state merged with the client's snapshot: the newer copy of each machine. */
async function merged(tenant: string, user: string, ctas: NonNullable<Body['ctas']>): Promise<State> {
  for (;;) {
    const row = await stateRow(tenant, user);
    const state = row ? (JSON.parse(row.state) as State) : structuredClone(none);
    for (const { ctaId, activeStateMachines } of ctas) {
      const cta = (state.ctas[ctaId] ??= {
        machines: {},
        resetAt: { marks: [] },
        actionDoneAt: { marks: [] },
      });
      for (const [key, machine] of Object.entries(activeStateMachines)) {
        if ((cta.machines[key]?.lastTransitionAt ?? 0) <= machine.lastTransitionAt)
          cta.machines[key] = machine;
      }
    }
    const text = JSON.stringify(state);
    const now = String(Math.max(Date.now(), Number(row?.updated_at ?? 0) + 1));
    const written = (
      row
        ? await sql`UPDATE cta_user_states SET state = ${text}, updated_at = ${now}
          WHERE tenant_id = ${tenant} AND user_id = ${user} AND updated_at = ${row.updated_at} RETURNING 1 AS one`
        : await sql`INSERT INTO cta_user_states (tenant_id, user_id, state, updated_at) VALUES (${tenant}, ${user}, ${text}, ${now})
          ON CONFLICT DO NOTHING RETURNING 1 AS one`
    ) as readonly unknown[];
    if (written.length > 0) return state;
  }
}

async function launch(request: Request, launching: boolean): Promise<Response> {
  const user = request.headers.get('auth-userid') ?? '';
  const tenant = request.headers.get('x-tenant-id') ?? 'default';
  const { ctas = [] } = (await request.json()) as Body;
  if (Number(request.headers.get('api_version')) < 1 || user === '' || ctas.length > 500)
    return json('{}', 400);
  let state: State;
  if (ctas.length > 0) state = await merged(tenant, user, ctas);
  else {
    const row = await stateRow(tenant, user);
    state = row ? (JSON.parse(row.state) as State) : none;
  }
  if (!launching) return json('{"data":true}');
  const entries = parts.map(({ ctaId, before, after }) => {
    const { machines = {}, resetAt, actionDoneAt } = state.ctas[ctaId] ?? {};
    return `${before}${JSON.stringify(machines)},"resetAt":${JSON.stringify(resetAt?.marks ?? [])},"actionDoneAt":${JSON.stringify(actionDoneAt?.marks ?? [])}${after}`;
  });
  return json(`{"data":{"ctas":[${entries.join(',')}],"behaviourTags":[]}}`);
}

const issuer = 'http://by-hand.example';
const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const secret = createSecretKey(crypto.getRandomValues(new Uint8Array(32)));
const mintRefresh = (sid: string, gen: number, exp: number) =>
  new SignJWT({ sid, gen, exp }).setProtectedHeader({ alg: 'HS256', typ: 'rt+jwt' }).sign(secret);
const mintAccess = (sid: string, user: { id: string; email: string; name: string }) => {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    client_id: 'bench',
    sid,
    idp: 'dev',
    email: user.email,
    email_verified: true,
    name: user.name,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
    .setIssuer(issuer)
    .setSubject(user.id)
    .setAudience(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + 900)
    .setJti(Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url'))
    .sign(privateKey);
};

interface SessionRow {
  readonly generation: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
  readonly id: string;
  readonly status: string;
  readonly email: string;
  readonly name: string;
}

/** A select, then one statement that compares, sets and writes the audit entry. */
async function refresh(request: Request): Promise<Response> {
  const { refreshToken } = (await request.json()) as { refreshToken: string };
  const { payload } = await jwtVerify(refreshToken, secret, { algorithms: ['HS256'], typ: 'rt+jwt' });
  const sid = String(payload['sid']);
  const now = Date.now();
  const [row] = (await sql`
    SELECT s.generation, s.expires_at, s.revoked_at, u.id, u.status, u.email, u.name
    FROM auth_sessions s JOIN auth_users u ON u.id = s.user_id WHERE s.id = ${sid}`) as SessionRow[];
  const isCurrent =
    row?.revoked_at === null &&
    row.status === 'active' &&
    Number(row.expires_at) > now &&
    Number(row.generation) === payload['gen'];
  if (!row || !isCurrent) return json('{}', 401);
  const at = String(now);
  const written = (await sql`
    WITH advanced AS (
      UPDATE auth_sessions SET generation = generation + 1, rotated_at = ${at}, grace_uses = 0, last_used_at = ${at}
      WHERE id = ${sid} AND generation = ${row.generation} AND revoked_at IS NULL RETURNING user_id
    ) INSERT INTO auth_audit (at, event, user_id, session_id, address)
      SELECT ${at}, 'refresh', user_id, ${sid}, '127.0.0.1' FROM advanced RETURNING 1 AS one`) as readonly unknown[];
  if (written.length === 0) return json('{}', 401);
  const exp = Math.floor(now / 1000) + 30 * 86_400;
  return json(
    JSON.stringify({
      accessToken: await mintAccess(sid, row),
      expiresIn: 900,
      refreshToken: await mintRefresh(sid, Number(row.generation) + 1, exp),
      tokenType: 'Bearer',
    }),
  );
}

/** A session to begin with, which is not measured: the refresh token of a session in Trivet's database. */
async function begin(request: Request): Promise<Response> {
  const sid = new URL(request.url).searchParams.get('sid') ?? '';
  const [row] = (await sql`SELECT generation FROM auth_sessions WHERE id = ${sid}`) as Array<{
    generation: string;
  }>;
  const exp = Math.floor(Date.now() / 1000) + 30 * 86_400;
  return json(JSON.stringify({ refreshToken: await mintRefresh(sid, Number(row?.generation), exp) }));
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  reusePort: false,
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/cta/active/state-machines/') return launch(request, true);
    if (pathname === '/cta/state-machines/snapshot/delta/') return launch(request, false);
    if (pathname === '/v1/auth/token/refresh') return refresh(request);
    if (pathname === '/api/tools/run-update-test-status') return report(sql, request);
    if (pathname === '/api/tools/get-tests') return page(sql, request);
    if (pathname === '/begin') return begin(request);
    return json('{}', 404);
  },
});
process.stderr.write(`listening on http://127.0.0.1:${server.port}\n`);
