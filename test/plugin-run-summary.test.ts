import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, escaped, summaryText } from '../examples/plugins/run-summary.ts';
import { compiled, createToken, requireBuilt, serveTrivet, type Running } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/* examples/plugins/run-summary.ts alone in an empty directory, with the executable and a chat that is a real server. */
beforeAll(requireBuilt);

describe.each(['sqlite', 'postgres'] as const)('a summary of a run on %s', (engine) => {
  const posted: Array<{ readonly path: string; readonly body: { readonly text: string } }> = [];
  const chat = { status: 200 };
  const room = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const body = (await request.json()) as { readonly text: string };
      posted.push({ path: new URL(request.url).pathname, body });
      return new Response('ok', { status: chat.status });
    },
  });
  afterAll(() => room.stop(true));
  let where: readonly string[];
  let token: string;
  const running: Running[] = [];
  const serve = async (...more: readonly string[]) => {
    const server = await serveTrivet(compiled, [...where, ...more]);
    running.push(server);
    return server;
  };
  const call = async (server: Running, tool: string, input: object) => {
    const response = await fetch(`${server.origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const body = (await response.json()) as Record<string, unknown>;
    expect([tool, response.status, body['error']]).toEqual([tool, 200, undefined]);
    return body;
  };
  const arrives = async (count: number, limitMs = 10_000) => {
    for (const began = performance.now(); posted.length < count; await Bun.sleep(50))
      if (performance.now() - began > limitMs) throw new Error(`never: ${count} posts`);
    await Bun.sleep(1_200);
    expect(posted).toHaveLength(count);
  };

  beforeAll(async () => {
    const cwd = temporaryDirectory('plugin');
    const plugin = join(cwd, 'run-summary.ts');
    copyFileSync(join(import.meta.dir, '..', 'examples', 'plugins', 'run-summary.ts'), plugin);
    const secret = join(cwd, 'chat.url');
    writeFileSync(secret, `http://127.0.0.1:${room.port}/services/private-key`);
    const database =
      engine === 'sqlite' ? [] : ['--database', await (await startPostgres()).createDatabase()];
    where = ['--plugin', plugin, '--run-summary-url-file', secret, '--run-summary-quiet', '2']
      .concat(['--run-summary-org', '1', '--data', temporaryDirectory('plugin-data')])
      .concat(database);
    token = await createToken(compiled, where, 'owner@localhost');
  });

  test('is posted when the run is locked, once, with what failed and no markup of its names', async () => {
    const server = await serve('--public-url', 'https://trivet.example');
    const { projectId } = await call(server, 'create-project', { orgId: 1, projectName: 'Shop' });
    const names = Array.from({ length: 13 }, (_, i) => (i === 0 ? '<!channel> & @everyone' : `Test ${i}`));
    const added = await call(server, 'bulk-add-tests', {
      projectId,
      tests: names.map((testName) => ({ testName })),
    });
    const testIds = (added['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
    const { runId } = await call(server, 'create-run', { projectId, runName: 'Night <1>', testIds });
    await call(server, 'run-update-test-status', {
      projectId,
      runId,
      testResults: testIds.map((testId, i) => ({ testId, status: i < 12 ? 'failed' : 'passed' })),
    });
    await call(server, 'run-lock', { projectId, runId });
    // It is already locked, so nothing changes.
    await call(server, 'run-lock', { projectId, runId });
    await arrives(1);
    expect(posted[0]?.path).toBe('/services/private-key');
    const lines = posted[0]?.body.text.split('\n') ?? [];
    expect(lines[0]).toBe('❌ Night &lt;1&gt;: 1 passed, 12 failed (13 in all)');
    expect(lines.slice(1, 11)).toContain('• &lt;!channel&gt; &amp; @\u200beveryone');
    expect(lines.slice(11)).toEqual([
      '… and 2 more',
      `run ${String(runId)} of project ${String(projectId)} at https://trivet.example`,
    ]);
    await server.stop();
  }, 60_000);

  test('is posted once for the uploads of a build, and not for those of another organization', async () => {
    posted.length = 0;
    const link = '{origin}/projects/{projectId}/runs/{runId}';
    const server = await serve('--public-url', 'https://trivet.example', '--run-summary-link', link);
    const upload = (projectId: unknown, job: string, dryRun = false) =>
      call(server, 'ingest-results', {
        projectId,
        runKey: 'build 7',
        runName: 'Build 7',
        job,
        dryRun,
        create: true,
        files: [
          {
            name: 'a.xml',
            content: `<testsuite name="s"><testcase name="${job}" classname="c"/></testsuite>`,
          },
        ],
      });
    const other = await call(server, 'create-organization', { orgName: 'Another' });
    const foreign = await call(server, 'create-project', { orgId: other['orgId'], projectName: 'Theirs' });
    await upload(foreign['projectId'], 'x');
    await upload(1, 'dry', true);
    for (const job of ['one', 'two', 'three']) await upload(1, job);
    await arrives(1);
    expect(posted[0]?.body.text).toMatch(
      /^✅ Build 7: 3 passed \(3 in all\)\nhttps:\/\/trivet\.example\/projects\/1\/runs\/\d+$/,
    );
    // A case that matches no test fails the build, so it is no success.
    const content =
      '<testsuite name="s"><testcase name="new" classname="c"><failure message="no"/></testcase></testsuite>';
    const files = [{ name: 'a.xml', content }];
    const build8 = { projectId: 1, runKey: 'build 8', runName: 'Build 8', create: false, files };
    await call(server, 'ingest-results', build8);
    await arrives(2);
    expect(posted[1]?.body.text).toStartWith(
      '❌ Build 8: no tests (0 in all)\nFailed without a test: 1\nhttps:',
    );
    await server.stop();
  }, 60_000);

  test('is posted after the restart when the chat was down and the server was killed', async () => {
    posted.length = 0;
    chat.status = 500;
    const server = await serve();
    const { runId } = await call(server, 'create-run', { projectId: 1, runName: 'Later', testIds: [1] });
    await call(server, 'run-lock', { projectId: 1, runId });
    for (const began = performance.now(); posted.length < 1 && performance.now() - began < 10_000;)
      await Bun.sleep(20);
    await Bun.sleep(300);
    await server.stop('SIGKILL');
    const tried = posted.length;
    expect(tried).toBeGreaterThan(0);
    chat.status = 200;
    const next = await serve();
    for (const began = performance.now(); posted.length === tried && performance.now() - began < 40_000;)
      await Bun.sleep(100);
    expect(posted.at(-1)?.body.text).toStartWith('✅ Later: 1 untested (1 in all)');
    await next.stop();
    for (const text of running.map((each) => each.stderr())) {
      expect(text).not.toContain('private-key');
      expect(text).not.toContain('Later');
    }
    expect(server.stderr()).toMatch(
      /"event":"run_summary_failed","runId":\d+,"attempts":1,"problem":"status_500"/,
    );
  }, 90_000);
});

test.each<readonly [string, 'slack' | 'mattermost' | 'discord', string]>([
  ['plain name', 'slack', 'plain name'],
  ['<!here> & <http://x|y>', 'slack', '&lt;!here&gt; &amp; &lt;http://x|y&gt;'],
  ['@everyone', 'discord', '@\u200beveryone'],
  ['<@123> **bold** [a](b)', 'discord', '\\<@\u200b123\\> \\*\\*bold\\*\\* \\[a\\]\\(b\\)'],
  ['@all `x` _y_', 'mattermost', '@\u200ball \\`x\\` \\_y\\_'],
  ['two\nlines\t\r\nof it ', 'slack', 'two lines of it'],
  ['x'.repeat(200), 'slack', `${'x'.repeat(119)}…`],
])('the name %p in %s is %p', (name, format, expected) => expect(escaped(name, format)).toBe(expected));

test('a post is no longer than a chat takes, and mentions nobody', () => {
  const counts = { total: 99, passed: 0, failed: 99, blocked: 0, retest: 0, untested: 0 };
  const failed = Array.from({ length: 10 }, () => '*'.repeat(300));
  const text = summaryText({ runName: '*'.repeat(300), counts, failed, where: 'here' }, 'discord');
  const body = bodyOf(text, 'discord') as { content: string; allowed_mentions: object };
  expect(body.content.length).toBe(2_000);
  expect(body.allowed_mentions).toEqual({ parse: [] });
  const none = { total: 0, passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };
  expect(summaryText({ runName: 'R', counts: none, failed: [], where: 'here' }, 'slack')).toBe(
    '✅ R: no tests (0 in all)\nhere',
  );
});
