import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, started, trivet } from './compare.ts';
import type { Shot } from './load.ts';

/**
 * `npm run bench`: app launch, delta and a tool call, against a hand-written program (bench/by-hand.ts) that does the same
 * I/O and answers the same bytes.
 */
const users = 10_000;
const directory = mkdtempSync(join(tmpdir(), 'trivet-bench-'));

async function call<T>(tool: string, args: object): Promise<T> {
  const child = Bun.spawn([trivet, 'call', tool, '--args', '-', '--data', directory], {
    stdin: new Blob([JSON.stringify(args)]),
    stderr: 'inherit',
  });
  return (await new Response(child.stdout).json()) as T;
}

/** 40 live CTAs of one tenant, a token, a project and a run of 100 tests. */
async function prepare(): Promise<string> {
  for (let i = 1; i <= 40; i++) {
    const rule = {
      priority: i,
      stateTransition: {
        cart_viewed: { 0: [{ transitionTo: '1' }] },
        closed: { 1: [{ transitionTo: '2' }] },
      },
      stateToAction: { 1: 'show' },
      resetStates: ['2'],
      actions: [
        { actionId: 'show', type: 'POPUP', template: { title: `Offer ${i}`, body: 'x'.repeat(200) } },
      ],
      frequency: { lifeSpan: { limit: 3 }, session: { limit: 1 } },
    };
    const { ctaId } = await call<{ ctaId: string }>('create-cta', { name: `Offer ${i}`, rule });
    await call('set-cta-status', { ctaId, status: 'LIVE' });
  }
  await call('create-project', { orgId: 1, projectName: 'Bench' });
  for (let i = 0; i < 100; i++) await call('create-test', { projectId: 1, testName: `Test ${i}` });
  await call('create-run', {
    projectId: 1,
    runName: 'Nightly',
    testIds: Array.from({ length: 100 }, (_, i) => i + 1),
  });
  const made = Bun.spawnSync([
    trivet,
    'token',
    'create',
    '--email',
    'b@example.org',
    '--name',
    'bench',
    '--data',
    directory,
  ]);
  return made.stdout.toString().trim();
}

const token = await prepare();
const ours = await started([trivet, 'serve', '--port', '0', '--data', directory, '--rate-tools', '0']);

const headers = (user: number) => ({ 'auth-userid': String(user), api_version: '1' });
const machine = (at: number) => ({ currentState: '1', lastTransitionAt: at, createdAt: 1_790_000_000_000 });
const now = Date.now();
const deltaBody = (n: number) =>
  JSON.stringify({
    ctas: [{ ctaId: String((n % 40) + 1), activeStateMachines: { default: machine(now + n) } }],
  });

const scenarios: ReadonlyArray<readonly [string, (n: number) => Shot]> = [
  [
    'app launch, nothing changed',
    (n) => ({ path: '/cta/active/state-machines/', headers: headers(n % users), body: '{}' }),
  ],
  [
    'delta',
    (n) => ({ path: '/cta/state-machines/snapshot/delta/', headers: headers(n % users), body: deltaBody(n) }),
  ],
  [
    'tool call: run-detail',
    () => ({
      path: '/api/tools/run-detail',
      headers: { authorization: `Bearer ${token}` },
      body: '{"projectId":1,"runId":1}',
    }),
  ],
];

/** The hand-written program answers the same bytes: it is given what stands around each CTA's state machines. */
async function launchParts(): Promise<string> {
  const response = await fetch(`${ours.origin}/cta/active/state-machines/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers(users + 1) },
    body: '{}',
  });
  const { data } = (await response.json()) as { data: { ctas: Array<{ ctaId: string }> } };
  const ctas = data.ctas.map((cta) => {
    const [before = '', after = ''] = JSON.stringify(cta).split('"activeStateMachines":{}');
    return { ctaId: cta.ctaId, before: `${before}"activeStateMachines":`, after };
  });
  const file = join(directory, 'parts.json');
  writeFileSync(file, JSON.stringify({ token, ctas }));
  return file;
}

const byHand = await started([
  process.execPath,
  join(import.meta.dir, 'by-hand.ts'),
  directory,
  await launchParts(),
]);

try {
  await compare(
    ours,
    byHand,
    'by hand',
    scenarios.map(([title, shot]) => ({ title, shooters: [{ shot }, { shot }] })),
  );
} finally {
  ours.stop();
  byHand.stop();
  rmSync(directory, { recursive: true, force: true });
}
