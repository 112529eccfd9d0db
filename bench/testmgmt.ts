import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../core/base/clock.ts';
import { createLog } from '../core/base/log.ts';
import { openDb } from '../core/db/open/open.ts';
import { markTexts } from '../modules/testmgmt/query/query-mark-store.ts';
import { started, tokenFor, trivet, type Server } from './compare.ts';
import { load, median } from './load.ts';

/**
 * `npm run bench:testmgmt`: the waiting times of a pipeline and an agent. Whole processes at 50,000 tests in one project; pages over HTTP
 * there, and at 5,000 and 500,000; the start time of the executable, compared with a program that does nothing.
 */
const directory = mkdtempSync(join(tmpdir(), 'trivet-bench-'));
let held = true;

function report(title: string, value: number, unit: string, promised?: number): void {
  const kept = promised === undefined || value <= promised;
  held &&= kept;
  const verdict = promised === undefined ? '' : `promised ≤ ${promised}: ${kept ? 'held' : 'NOT HELD'}`;
  process.stdout.write(
    `${title.padEnd(52)}${value.toFixed(unit === 'ms' ? 1 : 2).padStart(10)} ${unit.padEnd(4)} ${verdict}\n`,
  );
}

interface Ended {
  readonly ms: number;
  readonly megabytes: number;
  readonly stdout: string;
}

/** Runs a program until it ends. @throws with its output when it failed. */
function ran(command: readonly string[], input = ''): Ended {
  const since = performance.now();
  const child = Bun.spawnSync([...command], { stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' });
  const ms = performance.now() - since;
  if (child.exitCode !== 0) throw new Error(`${command.join(' ')}: ${child.stderr.toString()}`);
  return { ms, megabytes: child.resourceUsage.maxRSS / 1e6, stdout: child.stdout.toString() };
}

const call = (tool: string, args: object) =>
  ran([trivet, 'call', tool, '--args', '-', '--data', directory], JSON.stringify(args));

/** Fills a project by one statement: the tools would take a minute just to prepare a measurement. */
function fill(projectId: number, count: number): void {
  const db = new Database(join(directory, 'trivet.db'));
  db.run('PRAGMA busy_timeout = 60000');
  db.run(
    `INSERT INTO testmgmt_tests (project_id, name, description, preconditions, steps, priority_id, automation_status_id, created_by, created_at, updated_at)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     SELECT ?1, 'Test ' || i, 'A description of some length, as people write them, of test ' || i, '', '[{"action":"Do it","expected":"It is done"}]',
       (SELECT id FROM testmgmt_options WHERE project_id = ?1 AND kind = 'priority' AND position = i % 4),
       (SELECT id FROM testmgmt_options WHERE project_id = ?1 AND kind = 'automationStatus' AND position = i % 3),
       1, 1767225600000, 1767225600000 FROM n`,
    [projectId, count],
  );
  db.run('UPDATE testmgmt_projects SET tests_count = tests_count + ? WHERE id = ?', [count, projectId]);
  db.close();
}

/** A server does this minutes after the tests were made; meanwhile every answer waits for a part of it. */
async function mark(): Promise<void> {
  const log = createLog('error', Date.now);
  const db = await openDb({ engine: 'sqlite', directory, durability: 'full' }, log);
  await markTexts({ db, clock: systemClock });
  await db.close();
}

/** The median of 5 medians over a second each, in milliseconds, with one request at a time, which is what a person waits for. */
async function waited(server: Server, token: string, tool: string, body: object): Promise<number> {
  const shooter = {
    shot: () => ({
      path: `/api/tools/${tool}`,
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    }),
  };
  const medians: number[] = [];
  for (let round = 0; round < 5; round++)
    medians.push((await load(server.origin, server.pid, shooter, 0.5, 1)).p50);
  return median(medians);
}

try {
  const sizes = [50_000, 5_000, 500_000];
  for (const size of sizes) call('create-project', { orgId: 1, projectName: `${size} tests` });
  for (const [index, size] of sizes.entries()) fill(index + 1, size);
  await mark();
  const ids = Array.from({ length: 50_000 }, (_, index) => index + 1);
  const results = ids.slice(0, 5_000).map((testId) => ({ testId, status: 'passed', comment: 'build 17' }));

  process.stdout.write('50,000 tests in a project, whole processes\n');
  const run = { projectId: 1, runId: 1 };
  report(
    'create a run of all',
    call('create-run', { projectId: 1, runName: 'All', testIds: ids }).ms,
    'ms',
    1_500,
  );
  report(
    '5,000 status updates in one call',
    call('run-update-test-status', { ...run, testResults: results }).ms,
    'ms',
    500,
  );
  const csv = call('download-tests', { projectId: 1, format: 'csv' });
  if (csv.stdout.split('\r\n').length !== 50_002) throw new Error('not all tests are in the CSV');
  report('csv of all', csv.ms, 'ms', 1_500);
  report('  its peak memory', csv.megabytes, 'MB', 250);
  report('report of the run, json', call('download-report', run).ms, 'ms');
  report('report of the run, pdf', call('download-report', { ...run, format: 'pdf' }).ms, 'ms');

  process.stdout.write('\nover HTTP, one request at a time, median\n');
  const token = tokenFor(directory);
  const server = await started([trivet, 'serve', '--port', '0', '--data', directory, '--rate-tools', '0']);
  const page = { limit: 50, offset: 0 };
  report('page of tests', await waited(server, token, 'get-tests', { projectId: 1, ...page }), 'ms', 10);
  report('page of a run', await waited(server, token, 'get-run-tests-list', { ...run, ...page }), 'ms', 10);
  report('counts of a run', await waited(server, token, 'run-detail', run), 'ms', 10);
  report('counts of the tests', await waited(server, token, 'get-tests-count', { projectId: 1 }), 'ms', 10);
  const small = await waited(server, token, 'get-tests', { projectId: 2, ...page });
  const large = await waited(server, token, 'get-tests', { projectId: 3, ...page });
  report('page of tests at 5,000', small, 'ms');
  report('page of tests at 500,000', large, 'ms');
  report('  ratio', large / small, '', 1.3);
  server.stop();

  process.stdout.write('\nfrom start to answer, whole processes, median of 10\n');
  const nothing = join(directory, 'nothing.ts');
  writeFileSync(nothing, '');
  const empty = join(directory, 'nothing');
  ran([process.execPath, 'build', '--compile', '--outfile', empty, nothing]);
  const ten = (one: () => number) => median(Array.from({ length: 10 }, one));
  const initialize = `${JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  })}\n`;
  const base = ten(() => ran([empty]).ms);
  report('an empty program', base, 'ms');
  const mcp = ten(() => ran([trivet, '--mcp', '--data', directory], initialize).ms);
  report('trivet --mcp: initialize answered and ended', mcp, 'ms', 100);
  report('  ratio to an empty program', mcp / base, '');
  const once = ten(() => call('get-orgs-list', {}).ms);
  report('trivet call get-orgs-list', once, 'ms', 50);
  report('  ratio to an empty program', once / base, '');
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = held ? 0 : 1;
