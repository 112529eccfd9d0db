import { createInterface } from 'node:readline';

/**
 * Requests the health of a server every 5 ms, on a kept connection and on a new one each time: the view of another client while the
 * server works. It is a separate process, because the work of the tests would otherwise be measured as well.
 *
 *   bun probe.ts http://127.0.0.1:8787
 *
 * A line on stdin requests the measurements since the previous line; the response is one line of JSON.
 */
const [origin = ''] = process.argv.slice(2);
const everyMs = 5;

let seen: number[] = [];
let failed = 0;
/** When the question that waits longest was asked: one that is never answered counts as well. */
const waiting = new Set<number>();

async function ask(init: RequestInit): Promise<void> {
  const askedAt = performance.now();
  waiting.add(askedAt);
  try {
    const response = await fetch(`${origin}/healthz`, { ...init, signal: AbortSignal.timeout(30_000) });
    await response.arrayBuffer();
  } catch {
    failed++;
  }
  waiting.delete(askedAt);
  seen.push(performance.now() - askedAt);
}

async function again(init: RequestInit): Promise<never> {
  for (;;) {
    await ask(init);
    await Bun.sleep(everyMs);
  }
}

void again({ keepalive: true });
void again({ keepalive: false, headers: { connection: 'close' } });

for await (const line of createInterface({ input: process.stdin })) {
  void line;
  const now = performance.now();
  const all = [...seen, ...[...waiting].map((askedAt) => now - askedAt)].toSorted((a, b) => a - b);
  seen = [];
  const at = (share: number) => all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0;
  process.stdout.write(`${JSON.stringify({ count: all.length, failed, p50: at(0.5), max: at(1) })}\n`);
  failed = 0;
}
