import { readFileSync } from 'node:fs';

/** One request, sent repeatedly on every connection. */
export interface Shot {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's user and system time per request. */
  readonly cpuMicros: number;
}

export const connections = 16;

export interface Shooter {
  /** The `n`th request overall, to be sent on this connection. */
  shot(n: number, connection: number): Shot;
  /** Receives the body of every response, for conversations in which a request depends on the last response. */
  answered?(connection: number, body: string): void;
}

/**
 * Sends one request over 16 keep-alive connections for some time, each connection as soon as its response is complete. Plain sockets: an
 * HTTP client costs more than the measured servers.
 * @throws when a response is not 200.
 */
export async function load(
  origin: string,
  pid: number,
  shooter: Shooter,
  seconds: number,
  lanes = connections,
): Promise<Measured> {
  const { hostname, port, host } = new URL(origin);
  const latencies: number[] = [];
  let sent = 0;
  const message = (connection: number) => {
    const { method = 'POST', path, headers, body } = shooter.shot(sent++, connection);
    const lines = Object.entries({
      host,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  };

  const cpuBefore = cpuSeconds(pid);
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  await Promise.all(
    Array.from(
      { length: lanes },
      (_, connection) =>
        new Promise<void>((resolve, reject) => {
          let pending = '';
          let since = 0;
          void Bun.connect({
            hostname,
            port: Number(port),
            socket: {
              open: (socket) => {
                since = performance.now();
                socket.write(message(connection));
              },
              data: (socket, chunk) => {
                pending += chunk.toString('latin1');
                const head = pending.indexOf('\r\n\r\n');
                if (head < 0) return;
                const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? NaN);
                if (pending.length < head + 4 + length) return;
                if (!pending.startsWith('HTTP/1.1 200')) {
                  socket.end();
                  reject(new Error(`not 200: ${pending.slice(0, 400)}`));
                  return;
                }
                shooter.answered?.(connection, pending.slice(head + 4));
                pending = '';
                const now = performance.now();
                latencies.push(now - since);
                if (now >= endAt) {
                  socket.end();
                  resolve();
                  return;
                }
                since = now;
                socket.write(message(connection));
              },
              error: (_socket, error) => reject(error),
              connectError: (_socket, error) => reject(error),
            },
          });
        }),
    ),
  );
  const elapsed = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? NaN;
  return {
    requests: latencies.length,
    perSecond: latencies.length / elapsed,
    p50: at(0.5),
    p99: at(0.99),
    cpuMicros: ((cpuSeconds(pid) - cpuBefore) / latencies.length) * 1e6,
  };
}

/** User and system time of a process so far (proc(5), fields 14 and 15, in ticks of 10 ms). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
