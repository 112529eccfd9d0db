import { Database } from 'bun:sqlite';
import { join } from 'node:path';

/**
 * A program written for exactly these requests and nothing else: `Bun.serve`, `bun:sqlite`, prepared statements, the same pragmas, the same
 * row read and written, the same response bytes. No catalogue to refresh, no targeting, no archive, only the first checks. The yardstick of
 * bench/launch.ts.
 *
 * Started with a directory that contains the database, and the parts of the launch response before and after the user's own.
 */
const [directory = '.', launchPartsFile = ''] = process.argv.slice(2);
const parts = (await Bun.file(launchPartsFile).json()) as Array<{
  ctaId: string;
  before: string;
  after: string;
}>;

const db = new Database(join(directory, 'by-hand.db'));
db.run('PRAGMA busy_timeout = 5000');
db.run('PRAGMA journal_mode = WAL');
db.run('PRAGMA synchronous = FULL');
db.run('PRAGMA foreign_keys = ON');
db.run('PRAGMA cache_size = -16000');

interface Machine {
  readonly lastTransitionAt: number;
}
interface CtaState {
  machines: Record<string, Machine>;
  resetAt: { marks: number[] };
  actionDoneAt: { marks: number[] };
}
interface State {
  version: 1;
  ctas: Record<string, CtaState>;
  tags: object;
}
interface Body {
  readonly ctas?: ReadonlyArray<{
    ctaId: string;
    activeStateMachines: Record<string, Machine>;
    actionDoneAt?: readonly number[];
  }>;
}

const readState = db.query('SELECT state FROM states WHERE tenant_id = ? AND user_id = ?');
const writeState = db.query(
  'INSERT INTO states VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at',
);

db.run(
  'CREATE TABLE IF NOT EXISTS events (id integer PRIMARY KEY, tenant_id text, user_id text, cta_id text, type text, at integer, received_at integer, event_id text)',
);
db.run('CREATE UNIQUE INDEX IF NOT EXISTS events_once ON events (tenant_id, user_id, event_id)');
db.run(
  'CREATE TABLE IF NOT EXISTS hours (tenant_id text, cta_id text, hour integer, type text, count integer, PRIMARY KEY (tenant_id, cta_id, hour, type))',
);
db.run(
  'CREATE TABLE IF NOT EXISTS users (tenant_id text, cta_id text, user_id text, type text, count integer, last_at integer, PRIMARY KEY (tenant_id, cta_id, user_id, type))',
);
const addEvent = db.query(
  'INSERT INTO events (tenant_id, user_id, cta_id, type, at, received_at, event_id) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
);
const addToHour = db.query(
  'INSERT INTO hours VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1',
);
const addToUser = db.query(
  'INSERT INTO users VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET count = count + 1, last_at = excluded.last_at',
);

interface Happened {
  readonly id: string;
  readonly type: string;
  readonly ctaId: string;
  readonly at: number;
}

/** @returns false for an event that is known. */
function counted(tenant: string, user: string, { id, type, ctaId, at }: Happened): boolean {
  if (addEvent.run(tenant, user, ctaId, type, at, Date.now(), id).changes === 0) return false;
  addToHour.run(tenant, ctaId, Math.floor(at / 3_600_000) * 3_600_000, type);
  addToUser.run(tenant, ctaId, user, type, at);
  return true;
}

async function report(request: Request): Promise<Response> {
  const user = request.headers.get('auth-userid') ?? '';
  const tenant = request.headers.get('x-tenant-id') ?? 'default';
  const { events } = (await request.json()) as { events: readonly Happened[] };
  if (user === '' || events.length > 500) return json('{}', 400);
  db.run('BEGIN IMMEDIATE');
  const accepted = events.filter((event) => counted(tenant, user, event)).length;
  db.run('COMMIT');
  return json(`{"data":{"accepted":${accepted},"duplicate":${events.length - accepted},"dropped":0}}`);
}

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
  return row ? (JSON.parse(row.state) as State) : { version: 1, ctas: {}, tags: {} };
};

/** The state merged with the client's snapshot: the newer copy of each machine. */
function merged(tenant: string, user: string, ctas: NonNullable<Body['ctas']>): State {
  db.run('BEGIN IMMEDIATE');
  const state = stateOf(tenant, user);
  for (const { ctaId, activeStateMachines, actionDoneAt = [] } of ctas) {
    const cta = (state.ctas[ctaId] ??= { machines: {}, resetAt: { marks: [] }, actionDoneAt: { marks: [] } });
    for (const [key, machine] of Object.entries(activeStateMachines)) {
      if ((cta.machines[key]?.lastTransitionAt ?? 0) <= machine.lastTransitionAt) cta.machines[key] = machine;
    }
    for (const at of actionDoneAt) {
      if (cta.actionDoneAt.marks.includes(at)) continue;
      cta.actionDoneAt.marks.push(at);
      counted(tenant, user, { id: `=a:${ctaId}:${at}`, type: 'action', ctaId, at });
    }
  }
  writeState.run(tenant, user, JSON.stringify(state), Date.now());
  db.run('COMMIT');
  return state;
}

async function answer(request: Request, launching: boolean): Promise<Response> {
  const user = request.headers.get('auth-userid') ?? '';
  const tenant = request.headers.get('x-tenant-id') ?? 'default';
  const { ctas = [] } = (await request.json()) as Body;
  if (Number(request.headers.get('api_version')) < 1 || user === '' || ctas.length > 500)
    return json('{}', 400);
  const state = ctas.length > 0 ? merged(tenant, user, ctas) : stateOf(tenant, user);
  if (!launching) return json('{"data":true}');
  const entries = parts.map(({ ctaId, before, after }) => {
    const { machines = {}, resetAt, actionDoneAt } = state.ctas[ctaId] ?? {};
    return `${before}${JSON.stringify(machines)},"resetAt":${JSON.stringify(resetAt?.marks ?? [])},"actionDoneAt":${JSON.stringify(actionDoneAt?.marks ?? [])}${after}`;
  });
  return json(`{"data":{"ctas":[${entries.join(',')}],"behaviourTags":[]}}`);
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  reusePort: false,
  fetch: (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/cta/active/state-machines/') return answer(request, true);
    if (pathname === '/cta/state-machines/snapshot/delta/') return answer(request, false);
    if (pathname === '/cta/events/') return report(request);
    return json('{}', 404);
  },
});
process.stderr.write(`listening on http://127.0.0.1:${server.port}\n`);
