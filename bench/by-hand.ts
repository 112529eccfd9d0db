import { Database } from 'bun:sqlite';
import { join } from 'node:path';

/**
 * What somebody would write for exactly these requests and nothing else: `Bun.serve`, `bun:sqlite`, prepared statements,
 * the same pragmas, the same rows read and written, the same bytes answered. The yardstick of bench/requests.ts.
 *
 * Started with a directory and the parts of the launch answer before and after the user's state machines.
 */
const [directory = '.', launchPartsFile = ''] = process.argv.slice(2);
const parts = (await Bun.file(launchPartsFile).json()) as {
  token: string;
  ctas: Array<{ ctaId: string; before: string; after: string }>;
};

const db = new Database(join(directory, 'by-hand.db'), { create: true });
db.run('PRAGMA busy_timeout = 5000');
db.run('PRAGMA journal_mode = WAL');
db.run('PRAGMA synchronous = FULL');
db.run('PRAGMA foreign_keys = ON');
db.run('PRAGMA cache_size = -16000');
db.exec(`
  CREATE TABLE states (tenant_id text, user_id text, state text, updated_at integer, PRIMARY KEY (tenant_id, user_id));
  CREATE TABLE users (id integer PRIMARY KEY, status text);
  CREATE TABLE tokens (id integer PRIMARY KEY, user_id integer, hash text UNIQUE, expires_at integer, revoked_at integer, last_used_at integer);
  CREATE TABLE members (org_id integer, user_id integer, role text, PRIMARY KEY (org_id, user_id));
  CREATE TABLE projects (id integer PRIMARY KEY, org_id integer, is_active integer);
  CREATE TABLE runs (id integer PRIMARY KEY, project_id integer, name text, description text, created_by integer, created_at integer, locked_at integer, deleted_at integer);
  CREATE TABLE run_tests (run_id integer, test_id integer, status text, PRIMARY KEY (run_id, test_id));
  CREATE INDEX run_tests_status ON run_tests (run_id, status);
  INSERT INTO users VALUES (1, 'active');
  INSERT INTO members VALUES (1, 1, 'admin');
  INSERT INTO projects VALUES (1, 1, 1);
  INSERT INTO runs VALUES (1, 1, 'Nightly', '', 1, 1767225600000, NULL, NULL);
`);
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
db.run('INSERT INTO tokens VALUES (1, 1, ?, NULL, NULL, ?)', [sha256(parts.token), Date.now()]);
for (let testId = 1; testId <= 100; testId++)
  db.run("INSERT INTO run_tests VALUES (1, ?, 'untested')", [testId]);

interface State {
  ctas: Record<string, { machines: Record<string, { lastTransitionAt: number }> }>;
}

const readState = db.query('SELECT state FROM states WHERE tenant_id = ? AND user_id = ?');
const writeState = db.query(
  'INSERT INTO states VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at',
);
const readToken = db.query(
  'SELECT t.*, u.status FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = ? AND t.revoked_at IS NULL',
);
const readRoles = db.query('SELECT org_id, role FROM members WHERE user_id = ?');
const readProject = db.query('SELECT * FROM projects WHERE id = ?');
const readRun = db.query('SELECT * FROM runs WHERE id = ? AND project_id = ? AND deleted_at IS NULL');
const readCounts = db.query('SELECT status, count(*) AS n FROM run_tests WHERE run_id = ? GROUP BY status');

const json = (text: string, status = 200) =>
  new Response(text, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': Bun.randomUUIDv7(),
      'X-Content-Type-Options': 'nosniff',
    },
  });

const stateOf = (tenant: string, user: string): State => {
  const row = readState.get(tenant, user) as { state: string } | null;
  return row ? (JSON.parse(row.state) as State) : { ctas: {} };
};

async function launch(request: Request): Promise<Response> {
  const user = request.headers.get('auth-userid') ?? '';
  const body = (await request.json()) as { ctas?: unknown[] };
  if (Number(request.headers.get('api_version')) < 1 || user === '' || (body.ctas?.length ?? 0) > 500)
    return json('{}', 400);
  const { ctas } = stateOf(request.headers.get('x-tenant-id') ?? 'default', user);
  const entries = parts.ctas.map(
    ({ ctaId, before, after }) => before + JSON.stringify(ctas[ctaId]?.machines ?? {}) + after,
  );
  return json(`{"data":{"ctas":[${entries.join(',')}],"behaviourTags":[]}}`);
}

async function delta(request: Request): Promise<Response> {
  const user = request.headers.get('auth-userid') ?? '';
  const tenant = request.headers.get('x-tenant-id') ?? 'default';
  const body = (await request.json()) as {
    ctas: Array<{ ctaId: string; activeStateMachines: Record<string, { lastTransitionAt: number }> }>;
  };
  db.run('BEGIN IMMEDIATE');
  const state = stateOf(tenant, user);
  for (const { ctaId, activeStateMachines } of body.ctas) {
    const machines = (state.ctas[ctaId] ??= { machines: {} }).machines;
    for (const [key, machine] of Object.entries(activeStateMachines)) {
      if ((machines[key]?.lastTransitionAt ?? 0) <= machine.lastTransitionAt) machines[key] = machine;
    }
  }
  writeState.run(tenant, user, JSON.stringify(state), Date.now());
  db.run('COMMIT');
  return json('{"data":true}');
}

async function runDetail(request: Request): Promise<Response> {
  const token = readToken.get(sha256((request.headers.get('authorization') ?? '').slice(7))) as {
    user_id: number;
  } | null;
  if (!token) return json('{}', 401);
  const roles = readRoles.all(token.user_id) as Array<{ org_id: number; role: string }>;
  const { projectId, runId } = (await request.json()) as { projectId: number; runId: number };
  const project = readProject.get(projectId) as { org_id: number } | null;
  if (!roles.some(({ org_id }) => org_id === project?.org_id)) return json('{}', 404);
  const run = readRun.get(runId, projectId) as {
    name: string;
    description: string;
    created_by: number;
    created_at: number;
  };
  const counts = { total: 0, passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
  for (const { status, n } of readCounts.all(runId) as Array<{ status: keyof typeof counts; n: number }>) {
    counts[status] += n;
    counts.total += n;
  }
  return json(
    JSON.stringify({
      runId,
      projectId,
      runName: run.name,
      runDescription: run.description,
      status: 'active',
      counts,
      createdBy: run.created_by,
      createdAt: new Date(run.created_at).toISOString(),
      lockedBy: null,
      lockedAt: null,
    }),
  );
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  reusePort: false,
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/cta/active/state-machines/') return launch(request);
    if (pathname === '/cta/state-machines/snapshot/delta/') return delta(request);
    if (pathname === '/api/tools/run-detail') return runDetail(request);
    return json('{}', 404);
  },
});
process.stderr.write(`listening on http://127.0.0.1:${server.port}\n`);
