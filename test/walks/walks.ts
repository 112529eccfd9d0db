import { walkOf, type Walk } from './walk-recording.ts';

/*
 * `bun --preload ./test/walks/walk-recording.ts test/walks/walks.ts`: prints for four requests how many files they pass through and how
 * often they return to one. `--path` prints the files.
 */
const { startTestKernel } = await import('../kernel.ts');
const trivet = await startTestKernel();
const owner = await trivet.kernel.identity.local(trivet.kernel.host, undefined);
const { localExecutor } = await import('../../core/tools/local-executor.ts');
const call = async (tool: string, input: object) =>
  (await localExecutor(trivet.kernel, owner, {}).call(tool, input, {
    signal: AbortSignal.timeout(10_000),
  })) as Record<string, unknown>;
const { token } = (await call('create-access-token', { name: 'walk' })) as { token: string };
const ok = async (response: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await response;
  if (status >= 300) throw new Error(JSON.stringify([status, body]));
};
const tool = (name: string, input: object) => ok(trivet.post(`/api/tools/${name}`, input, token));
await tool('create-project', { orgId: 1, projectName: 'Shop' });
await tool('bulk-add-tests', { projectId: 1, tests: [{ testName: 'one' }, { testName: 'two' }] });
await tool('create-run', { projectId: 1, runName: 'r', testIds: [1, 2] });
const rule = {
  priority: 1,
  stateTransition: { go: { '0': [{ transitionTo: '1' }], '1': [{ transitionTo: '2' }] } },
  stateToAction: { '1': 'show' },
  resetStates: ['2'],
  actions: [{ actionId: 'show', type: 'POPUP', template: { title: 'x' } }],
};
const { ctaId } = await call('create-cta', { name: 'One', rule });
await call('set-cta-status', { ctaId, status: 'LIVE' });
const begin = Date.now() - 60_000;
let n = 0;
const xml = (name: string) =>
  `<testsuite name="s"><testcase name="${name}"/><testcase name="b"><failure message="no"/></testcase></testsuite>`;
const requests: Readonly<Record<string, () => Promise<unknown>>> = {
  // The app reports a machine that moved, and requests the CTAs.
  launch: () => {
    const moved = { currentState: '1', lastTransitionAt: begin + n, createdAt: begin, context: {} };
    const body = { ctas: [{ ctaId, activeStateMachines: { default: moved } }], behaviourTags: [] };
    const headers = { 'auth-userid': '42', 'x-tenant-id': 'default', api_version: '1', app_version: '4.2.0' };
    return ok(trivet.post('/cta/active/state-machines/', body, undefined, headers));
  },
  'status from the console': () =>
    tool('run-update-test-status', {
      projectId: 1,
      runId: 1,
      testResults: [{ testId: 1, status: n % 2 ? 'passed' : 'failed' }],
    }),
  'get-tests with a query': () => tool('get-tests', { projectId: 1, query: 'name:one', limit: 10 }),
  'upload of two cases': () =>
    tool('ingest-results', {
      projectId: 1,
      runKey: `b${n}`,
      create: true,
      files: [{ name: 'r.xml', content: xml('a') }],
    }),
};
const walks: Record<string, Walk> = {};
for (const [name, request] of Object.entries(requests)) {
  for (n = 0; n < 3; n++) await request();
  walks[name] = await walkOf(request);
}
await trivet.stop();
for (const [name, { files, returns, path }] of Object.entries(walks)) {
  process.stdout.write(
    `${name.padEnd(28)} ${String(files).padStart(4)} files ${String(returns).padStart(4)} returns\n`,
  );
  if (process.argv.includes('--path'))
    process.stdout.write(`${path.map((file) => `    ${file}`).join('\n')}\n`);
}
process.exit(0);
