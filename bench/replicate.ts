import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, started, tokenFor, trivet, type Server } from './compare.ts';
import type { Shooter } from './load.ts';

/**
 * `npm run bench:replicate`: launches and deltas of 20,000 users with `--replicate` and without, in pairs. The replicator compresses and
 * stores in a process of its own, on the same cores.
 */
const users = 20_000;
const live = 40;
const place = mkdtempSync(join(tmpdir(), 'trivet-bench-'));
const data = (name: string) => join(place, name);
const rates = ['--rate-tools', '0', '--rate-cta', '0', '--rate-cta-tenant', '0'];
const serve = (name: string, more: readonly string[] = []) =>
  started([trivet, 'serve', '--port', '0', '--data', data(name), ...rates, ...more]);

async function makeCtas({ origin }: Server, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${tokenFor(data(name))}`, 'content-type': 'application/json' };
  const call = async (tool: string, args: object) => {
    const response = await fetch(`${origin}/api/tools/${tool}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(args),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { ctaId: string };
  };
  for (let i = 1; i <= live; i++) {
    const rule = {
      stateTransition: { cart_viewed: { 0: [{ transitionTo: '1' }] } },
      stateToAction: { 1: 'show' },
      actions: [{ actionId: 'show', type: 'POPUP', template: { title: `Offer ${i}` } }],
    };
    const { ctaId } = await call('create-cta', { name: `Offer ${i}`, rule });
    await call('set-cta-status', { ctaId, status: 'LIVE' });
  }
}

const headersOf = (n: number) => ({
  'auth-userid': String((n * 2_654_435_761) % users),
  api_version: '1',
  package_name: 'app.one',
  app_version: '2.0.0',
});
const changed = (n: number) => {
  const machine = { currentState: '1', lastTransitionAt: Date.now(), createdAt: Date.now() - 1_000 };
  return JSON.stringify({
    ctas: [{ ctaId: String((n % live) + 1), activeStateMachines: { default: machine } }],
  });
};
const launchPath = '/cta/active/state-machines/';
const deltaPath = '/cta/state-machines/snapshot/delta/';
const shooter = (path: string, body: (n: number) => string): Shooter => ({
  shot: (n) => ({ path, headers: headersOf(n), body: body(n) }),
});

const servers: Server[] = [];
try {
  const replicated = await serve('with', ['--replicate', `file://${data('replica')}`]);
  const alone = await serve('without');
  servers.push(replicated, alone);
  await makeCtas(replicated, 'with');
  await makeCtas(alone, 'without');
  const both = (one: Shooter) => [one, one] as const;
  const { held } = await compare(replicated, alone, 'without', [
    { title: 'app launch, nothing changed', shooters: both(shooter(launchPath, () => '{}')), promised: 0.95 },
    { title: 'app launch that merges', shooters: both(shooter(launchPath, changed)), promised: 0.95 },
    { title: 'delta', shooters: both(shooter(deltaPath, changed)), promised: 0.95 },
  ]);
  await Bun.sleep(3_000);
  const status = JSON.parse(readFileSync(join(data('with'), 'replication-status.json'), 'utf8')) as {
    readonly coveredAt: number;
    readonly longestHoldMs: number;
    readonly state: string;
  };
  process.stdout.write(
    `state ${status.state}, ${((Date.now() - status.coveredAt) / 1000).toFixed(1)} s behind, writers waited at most ${status.longestHoldMs.toFixed(1)} ms for it\n`,
  );
  process.exitCode = held ? 0 : 1;
} finally {
  for (const server of servers) server.stop();
  for (const server of servers) await server.ended;
  rmSync(place, { recursive: true, force: true });
}
