import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHttpProxy } from './http-proxy.ts';
import { startPipelineWorld, storedOnce, suiteText, type Job, type PipelineWorld } from './pipeline-world.ts';
import { temporaryDirectory } from './temporary.ts';
import type { Running } from './executable.ts';

/*
 * Uploads of results are reliable: however often, in whatever parts and order, however many at once, and wherever they are killed or cut
 * off, the result is one run that contains each test once.
 */

let world: PipelineWorld;
let server: Running;
const folder = temporaryDirectory('reports');
const fileOf = (name: string, from: number, to: number) => {
  writeFileSync(join(folder, name), suiteText(from, to));
  return join(folder, name);
};

beforeAll(async () => {
  world = await startPipelineWorld();
  server = await world.serve();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await world.stop();
});

let projects = 0;
const newProject = async () => {
  const name = `Shop ${++projects}`;
  return { name, projectId: await world.makeProject(name) };
};

type Upload = (words: readonly string[]) => Job;
/** Both ways to upload. */
const ways: ReadonlyArray<readonly [title: string, Upload]> = [
  ['on a data directory', (words) => world.results(words)],
  ['to a server', (words) => world.resultsAt(server.origin, words)],
];

/** Waits until an upload has succeeded. @returns the id of its run. */
async function runIdOf({ ended }: Job): Promise<number> {
  const { exitCode, stdout, stderr } = await ended;
  // Ten of them on a busy machine take longer than 2 s, and then print their progress.
  expect([stderr.replace(/^\d+ %.*\n/gm, ''), exitCode]).toEqual(['', 0]);
  return (JSON.parse(stdout) as { runId: number }).runId;
}

test('a served upload says where its run is in the console; one on a directory does so where the address is set', async () => {
  const { name, projectId } = await newProject();
  const words = [fileOf('all.xml', 0, 2), '--project', name];
  const answerOf = async ({ ended }: Job) =>
    JSON.parse((await ended).stdout) as { runId: number; url?: string };
  const { runId, url } = await answerOf(world.resultsAt(server.origin, words));
  expect(url).toBe(`${server.origin}/console/projects/${projectId}/runs/${runId}`);
  expect((await fetch(url ?? '')).status).toBe(200);
  expect((await answerOf(world.results(words))).url).toBeUndefined();
  const known = await answerOf(world.results([...words, '--public-url', 'https://trivet.example.com']));
  expect(known.url).toBe(`https://trivet.example.com/console/projects/${projectId}/runs/${known.runId}`);
});

describe.each(ways)('%s', (_way, upload) => {
  test('the same file twice', async () => {
    const { name, projectId } = await newProject();
    const words = [fileOf('all.xml', 0, 300), '--project', name];
    const ids = [await runIdOf(upload(words)), await runIdOf(upload(words))];
    expect(new Set(ids).size).toBe(1);
    expect(await world.stored(projectId)).toEqual(storedOnce(300));
  }, 60_000);

  test.each([[[0, 1, 2, 3]], [[3, 1, 0, 2]], [[2, 2, 3, 0, 1, 0]]])(
    'four shards in the order %j',
    async (order) => {
      const { name, projectId } = await newProject();
      const ids: number[] = [];
      for (const shard of order) {
        const file = fileOf(`shard ${shard}.xml`, shard * 80, shard * 80 + 80);
        ids.push(await runIdOf(upload([file, '--project', name, '--run-key', 'build 7'])));
      }
      expect(new Set(ids).size).toBe(1);
      expect(await world.stored(projectId)).toEqual(storedOnce(320));
    },
    60_000,
  );

  test('a file that is gzip already', async () => {
    const { name, projectId } = await newProject();
    const path = join(folder, 'packed.xml.gz');
    writeFileSync(path, Bun.gzipSync(suiteText(0, 30)));
    await runIdOf(upload([path, '--project', name]));
    expect(await world.stored(projectId)).toEqual(storedOnce(30));
  }, 60_000);

  test('ten jobs at once, whose files overlap', async () => {
    const { name, projectId } = await newProject();
    const jobs = Array.from({ length: 10 }, (_, job) => {
      const file = fileOf(`job ${job}.xml`, Math.max(0, job * 60 - 30), job * 60 + 60);
      return upload([file, '--project', name, '--run-key', 'build 7']);
    });
    const ids = await Promise.all(jobs.map(runIdOf));
    expect(new Set(ids).size).toBe(1);
    expect(await world.stored(projectId)).toEqual(storedOnce(600));
  }, 120_000);
});

/** Cases of a large upload, which takes seconds. */
const many = 8_000;

/** Waits until a project has some tests in its run. @throws when the upload ends before. */
async function until(projectId: number, inRun: number, job: Job): Promise<void> {
  let ended = false;
  void job.ended.then(() => (ended = true));
  while ((await world.testsInRuns(projectId)) < inRun) {
    if (ended) throw new Error(`the upload ended before ${inRun} tests were stored`);
    await Bun.sleep(5);
  }
}

describe('an upload of 8,000 cases', () => {
  const large = fileOf('large.xml', 0, many);

  test('that is killed again and again, and repeated to its end', async () => {
    const { name, projectId } = await newProject();
    const words = [large, '--project', name];
    const left: number[] = [];
    for (const point of [1, 2_500, 5_000, 7_500]) {
      const job = world.results(words);
      await until(projectId, point, job);
      job.kill('SIGKILL');
      await job.ended;
      left.push(await world.testsInRuns(projectId));
    }
    expect(left).toEqual(left.toSorted((a, b) => a - b));
    expect(left.filter((stored) => stored < many).length).toBeGreaterThanOrEqual(3);
    await runIdOf(world.results(words));
    expect(await world.stored(projectId)).toEqual(storedOnce(many));
  }, 180_000);

  test('whose server is killed: the client goes on when it is there again', async () => {
    const { name, projectId } = await newProject();
    const { port } = new URL(server.origin);
    const job = world.resultsAt(server.origin, [large, '--project', name]);
    await until(projectId, 2_000, job);
    await server.stop('SIGKILL');
    expect(await world.testsInRuns(projectId)).toBeLessThan(many);
    server = await world.serve('--port', port);
    await runIdOf(job);
    expect(await world.stored(projectId)).toEqual(storedOnce(many));
  }, 180_000);
});

describe('a connection that is cut', () => {
  test.each([
    ['before the request has arrived', 'request', 1],
    ['when the answer comes', 'answer', 1],
    ['three times when the answer comes', 'answer', 3],
  ] as const)(
    '%s: the upload is sent again, and stored once',
    async (_title, lost, times) => {
      const { name, projectId } = await newProject();
      const proxy = startHttpProxy(server.origin, { request: 'POST /api/tools/ingest-results', lost, times });
      await runIdOf(world.resultsAt(proxy.origin, [fileOf('all.xml', 0, 300), '--project', name]));
      expect(proxy.cut()).toBe(times);
      proxy.stop();
      expect(await world.stored(projectId)).toEqual(storedOnce(300));
    },
    60_000,
  );
});

test.each(ways)('the files that a report names are attached to what failed, %s', async (_way, upload) => {
  const { name, projectId } = await newProject();
  const reports = temporaryDirectory('with files');
  for (const folder of ['shots', '.git', '.vitest-attachments']) mkdirSync(join(reports, folder));
  writeFileSync(join(reports, '.git', 'config'), 'extraheader = AUTHORIZATION: basic a secret');
  writeFileSync(join(reports, '.vitest-attachments', 'page.txt'), 'of a test tool');
  writeFileSync(join(reports, 'shots', 'naïve.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
  writeFileSync(join(reports, 'passed.log'), 'of one that passed');
  const outside = join(temporaryDirectory('outside'), 'key');
  writeFileSync(outside, 'a secret');
  symlinkSync(outside, join(reports, 'link.txt'));
  const failure = (files: readonly string[]) =>
    `<failure message="no"/><system-out>${files.map((file) => `[[ATTACHMENT|${file}]]\n`).join('')}</system-out>`;
  const report = join(reports, 'junit.xml');
  writeFileSync(
    report,
    `<testsuite name="s"><testcase name="fails">${failure(['shots/naïve.png', '.vitest-attachments/page.txt', outside, 'link.txt', '.git/config', 'missing.png'])}</testcase>` +
      `<testcase name="passes"><system-out>[[ATTACHMENT|passed.log]]</system-out></testcase></testsuite>`,
  );
  const { exitCode, stdout, stderr } = await upload([report, '--project', name, '--create', 'on']).ended;
  const answer = JSON.parse(stdout) as { runId: number; attachments: object };
  expect([exitCode, answer.attachments]).toEqual([
    0,
    {
      uploaded: 2,
      skippedTotal: 3,
      skipped: [
        ...[outside, 'link.txt'].map((path) => ({
          path,
          why: 'it is outside of the folder of the report; write the report to a folder above it',
        })),
        { path: '.git/config', why: 'it, or a folder above it, is hidden; have it written elsewhere' },
      ],
    },
  ]);
  expect(stderr).toContain('2 attachments uploaded; 3 left out');
  const listed = () => world.call('list-attachments', { projectId, runId: answer.runId });
  expect(await listed()).toMatchObject({
    total: 2,
    attachments: [
      { fileName: 'naïve.png', mediaType: 'image/png', size: 9 },
      { fileName: 'page.txt', size: 14 },
    ],
  });
  const all = await upload([report, '--project', name, '--attachments', 'all']).ended;
  expect(JSON.parse(all.stdout)).toMatchObject({ attachments: { uploaded: 3, skippedTotal: 3 } });
  expect(await listed()).toMatchObject({ total: 3 });
});

test.each(ways)(
  'a file that only another upload to the run names is not attached, %s',
  async (_way, upload) => {
    const { name, projectId } = await newProject();
    const workspace = temporaryDirectory('workspace');
    writeFileSync(join(workspace, '.env'), 'a secret of this pipeline');
    writeFileSync(join(workspace, 'shot.png'), 'a picture');
    const report = join(workspace, 'junit.xml');
    const reportOf = (file: string) =>
      `<testsuite name="s"><testcase name="pays"><failure message="no"/><system-out>[[ATTACHMENT|${file}]]</system-out></testcase></testsuite>`;
    writeFileSync(report, reportOf('shot.png'));
    const foreign = join(temporaryDirectory('of another'), 'junit.xml');
    const words = ['--project', name, '--run-key', 'build 7', '--attachments', 'all', '--create', 'on'];
    for (const file of ['.env', '*', join(workspace, '.env')]) {
      writeFileSync(foreign, reportOf(file).replace('pays', `asks for ${file}`));
      await upload([foreign, ...words, '--job', 'another']).ended;
    }
    const { stdout } = await upload([report, ...words, '--job', 'own']).ended;
    const answer = JSON.parse(stdout) as { runId: number; attachments: object };
    expect(answer.attachments).toEqual({ uploaded: 1, skipped: [], skippedTotal: 0 });
    expect(await world.call('list-attachments', { projectId, runId: answer.runId })).toMatchObject({
      total: 1,
      attachments: [{ fileName: 'shot.png' }],
    });
  },
);

/** Hands requests on to the server and keeps their paths. */
function startRecorder(): { readonly origin: string; readonly asked: string[]; stop(): Promise<void> } {
  const asked: string[] = [];
  const recorder = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname);
      return fetch(new Request(`${server.origin}${pathname}${search}`, request), { decompress: false });
    },
  });
  return { origin: recorder.url.origin, asked, stop: () => recorder.stop(true) };
}

test('a failed test is asked for its files only if it names any', async () => {
  const { name, projectId } = await newProject();
  const reports = temporaryDirectory('few files');
  writeFileSync(join(reports, 'shot.png'), 'a picture');
  const report = join(reports, 'junit.xml');
  const failed = (id: number, output = '') =>
    `<testcase name="test ${id}"><failure message="no"/>${output}</testcase>`;
  writeFileSync(
    report,
    `<testsuite name="s">${Array.from({ length: 9 }, (_, id) => failed(id)).join('')}` +
      `${failed(9, '<system-out>[[ATTACHMENT|shot.png]]</system-out>')}</testsuite>`,
  );
  const recorder = startRecorder();
  try {
    const words = [report, '--project', name, '--create', 'on', '--json'];
    const { exitCode, stdout } = await world.resultsAt(recorder.origin, words).ended;
    const answer = JSON.parse(stdout) as { failing: Array<{ attachments?: number }>; attachments: object };
    expect([exitCode, answer.attachments]).toEqual([0, { uploaded: 1, skipped: [], skippedTotal: 0 }]);
    expect(answer.failing.map(({ attachments }) => attachments)).toEqual([...Array<number>(9).fill(0), 1]);
    expect(recorder.asked.filter((path) => path.endsWith('/get-run-results'))).toHaveLength(1);
  } finally {
    await recorder.stop();
  }
  expect(await world.call('list-attachments', { projectId })).toMatchObject({ total: 1 });
});
