import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, started, tokenFor, trivet } from './compare.ts';
import type { Shot } from './load.ts';

/** `npm run bench`: a tool call against a hand-written program (bench/by-hand.ts) that does the same I/O and returns the same bytes. */
const directory = mkdtempSync(join(tmpdir(), 'trivet-bench-'));

async function call<T>(tool: string, args: object): Promise<T> {
  const child = Bun.spawn([trivet, 'call', tool, '--args', '-', '--data', directory], {
    stdin: new Blob([JSON.stringify(args)]),
    stderr: 'inherit',
  });
  return (await new Response(child.stdout).json()) as T;
}

/** A token, a project and a run of 100 tests. */
async function prepare(): Promise<string> {
  await call('create-project', { orgId: 1, projectName: 'Bench' });
  for (let i = 0; i < 100; i++) await call('create-test', { projectId: 1, testName: `Test ${i}` });
  await call('create-run', {
    projectId: 1,
    runName: 'Nightly',
    testIds: Array.from({ length: 100 }, (_, i) => i + 1),
  });
  return tokenFor(directory);
}

const token = await prepare();
const ours = await started([
  trivet,
  'serve',
  '--port',
  '0',
  '--data',
  directory,
  '--rate-tools',
  '0',
  '--rate-cta',
  '0',
  '--rate-cta-tenant',
  '0',
]);

const scenarios: ReadonlyArray<readonly [string, (n: number) => Shot]> = [
  [
    'tool call: run-detail',
    () => ({
      path: '/api/tools/run-detail',
      headers: { authorization: `Bearer ${token}` },
      body: '{"projectId":1,"runId":1}',
    }),
  ],
];

const file = join(directory, 'token.json');
writeFileSync(file, JSON.stringify({ token }));
const byHand = await started([process.execPath, join(import.meta.dir, 'by-hand.ts'), directory, file]);

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
