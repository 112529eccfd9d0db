import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from '../../core/db/query/engine.ts';
import { startServed, type Served } from '../served.ts';

/*
 * The compiled executable under hostile input. Checked: it responds within seconds, never with a 5xx, with one error format; a refusal
 * writes nothing (SQLite's data_version, then the rows of every table); its memory stays bounded.
 */
export interface Target {
  readonly served: Served;
  /** Sends a request, reads the response and checks it. @throws with the violation. */
  send(request: Sent): Promise<Answered>;
  /** Records the writes of callers other than {@link send}. */
  settle(): void;
  /** Resident memory of the server in MiB. */
  memory(): number;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A request may take this long on a machine with other work; exceeding it twice in a row is a hang. */
const patienceMs = 5_000;

/** What a refusal may write: its audit record. Also what a job writes independently of requests. */
const recorded = new Set(['auth_audit', 'cta_state_usage', 'cta_event_usage']);

export async function startTarget(args: readonly string[] = []): Promise<Target> {
  if (engine() !== 'sqlite') throw new Error('rows are counted in SQLite');
  const served = await startServed({ args });
  const file = new Database(join(served.data, 'trivet.db'), { readonly: true });
  const tables = file
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !recorded.has(name));
  const version = file.query<{ data_version: number }, []>('PRAGMA data_version');
  const count = file.query<Record<string, number>, []>(
    `SELECT ${tables.map((name) => `(SELECT count(*) FROM "${name}") AS "${name}"`).join(', ')}`,
  );
  const rows = () => count.get() ?? {};
  // Jobs write at the start.
  await Bun.sleep(500);
  let known = { version: version.get()?.data_version, rows: rows() };

  const once = async ({ method, path, headers, body }: Sent): Promise<Answered | 'late'> => {
    const startedAt = performance.now();
    try {
      const response = await fetch(`${served.running.origin}${path}`, {
        method,
        headers,
        redirect: 'manual',
        signal: AbortSignal.timeout(4 * patienceMs),
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      if (performance.now() - startedAt > patienceMs) return 'late';
      return { status: response.status, headers: response.headers, text };
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') return 'late';
      throw error;
    }
  };

  return {
    served,
    settle: () => void (known = { version: version.get()?.data_version, rows: rows() }),
    memory: () => {
      const status = readFileSync(`/proc/${served.running.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
    },
    send: async (request) => {
      const first = await once(request);
      const answer = first === 'late' ? await once(request) : first;
      if (answer === 'late') throw new Error('no answer within 5 s, twice');
      judge(answer, request);
      const now = version.get()?.data_version;
      if (now !== known.version) {
        const after = rows();
        if (isRefusal(answer) && !Bun.deepEquals(after, known.rows))
          throw new Error(`a refusal wrote: ${difference(known.rows, after)}; ${answer.text.slice(0, 300)}`);
        known = { version: now, rows: after };
      }
      return answer;
    },
  };
}

const difference = (before: Record<string, number>, after: Record<string, number>) =>
  Object.keys(after)
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name]} → ${after[name]}`)
    .join(', ');

/** A status that refuses, or a failed MCP message; for a batch, all of them must fail. */
function isRefusal({ status, text }: Answered): boolean {
  if (status >= 400) return true;
  const messages = text.split('\n').filter((line) => line.startsWith('data: '));
  return messages.length > 0 && messages.every((line) => /"isError":true|"error":\{"code":-32/.test(line));
}

function judge({ status, headers, text }: Answered, { method, path }: Sent): void {
  if (status >= 500) throw new Error(`${status}: ${text.slice(0, 500)}`);
  if (!headers.has('x-request-id')) throw new Error('an answer without X-Request-Id');
  // For /mcp the SDK responds in its own format (JSON-RPC); HEAD has no body.
  if (status < 400 || path.startsWith('/mcp') || method === 'HEAD') return;
  const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
  if (
    typeof error?.code !== 'string' ||
    !/^[A-Z][A-Z_]+$/.test(error.code) ||
    typeof error.message !== 'string'
  )
    throw new Error(`an error body of another form: ${text.slice(0, 300)}`);
  if (/\bat .*\.ts:\d+|SQLITE_|SELECT .* FROM|\btrv_\w{20}/i.test(text))
    throw new Error(`an answer that tells too much: ${text.slice(0, 300)}`);
}
