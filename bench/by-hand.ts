import { Database } from 'bun:sqlite';
import { join } from 'node:path';

/**
 * A program written for exactly these requests and nothing else: `Bun.serve`, `bun:sqlite`, prepared statements, the same pragmas, the same
 * rows read and written, the same response bytes. The yardstick of bench/requests.ts.
 *
 * Started with a directory and a file that contains the token.
 */
const [directory = '.', file = ''] = process.argv.slice(2);
const { token: secret } = (await Bun.file(file).json()) as { token: string };

const db = new Database(join(directory, 'by-hand.db'), { create: true });
db.run('PRAGMA busy_timeout = 5000');
db.run('PRAGMA journal_mode = WAL');
db.run('PRAGMA synchronous = FULL');
db.run('PRAGMA foreign_keys = ON');
db.run('PRAGMA cache_size = -16000');
db.exec(`
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
db.run('INSERT INTO tokens VALUES (1, 1, ?, NULL, NULL, ?)', [sha256(secret), Date.now()]);
for (let testId = 1; testId <= 100; testId++)
  db.run("INSERT INTO run_tests VALUES (1, ?, 'untested')", [testId]);

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
    if (pathname === '/api/tools/run-detail') return runDetail(request);
    return json('{}', 404);
  },
});
process.stderr.write(`listening on http://127.0.0.1:${server.port}\n`);
