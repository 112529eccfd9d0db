import { afterAll, beforeAll, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { compiled, createToken } from '../executable.ts';
import { ran, scaled, seed } from '../verify/scale.ts';
import { idPool } from './arguments.ts';
import { mcpRequest, toolRequest, type Tool } from './requests.ts';
import { routeRequest } from './route-requests.ts';
import { startTarget, type Sent, type Target } from './target.ts';

/*
 * Structure-aware input for every tool, every route and /mcp of the compiled executable: valid, spoilt in one place, or nonsense. No 5xx,
 * no hang, one error format, no write by a refusal, bounded memory. The test also asserts coverage: nearly every tool must have succeeded
 * and must have refused.
 *
 * Mutation note: seen to fail when a call that throws is committed instead of rolled back (core/db/sqlite/sqlite.ts; "a refusal wrote"),
 * and when readJson throws what is no Fault for a body that is no JSON (500).
 */
let target: Target;
let tools: readonly Tool[] = [];
let token = '';
const pool = idPool();

beforeAll(async () => {
  target = await startTarget();
  token = target.served.token;
  const offered = await fetch(`${target.served.running.origin}/api/tools`, {
    headers: { authorization: `Bearer ${token}` },
  });
  ({ tools } = (await offered.json()) as { tools: Tool[] });
});
afterAll(async () => {
  expect(await target.served.running.stop()).toBe(0);
});

/** The fuzz may remove its own rights; the owner of the machine then gives them to a new user. */
let people = 0;
async function newToken(): Promise<void> {
  const email = `fuzz-${++people}@example.org`;
  token = await createToken(compiled, ['--data', target.served.data, '--role', 'admin'], email);
  target.settle();
}

let lastCohort = 'none';

/** A project with one record of each kind, so that ids of the same project are drawn together. */
async function seedPool(): Promise<void> {
  pool.forget();
  // The previous call may have been revoke-session for everything, which ends this token, too.
  const asked = await target.served.tool('get-orgs-list', {}, { authorization: `Bearer ${token}` });
  if (asked.status === 401) await newToken();
  const must = async (name: string, args: object) => {
    const { status, body } = await target.served.post(`/api/tools/${name}`, args, {
      authorization: `Bearer ${token}`,
    });
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`);
    pool.harvest(body);
    return body;
  };
  await must('get-orgs-list', {});
  const { projectId } = await must('create-project', { orgId: 1, projectName: 'fuzz' });
  for (const name of [
    'get-priority',
    'get-type',
    'get-platforms',
    'get-automation-status',
    'get-test-covered-by',
  ])
    await must(name, { projectId });
  await must('add-labels', { projectId, labels: ['a', 'b'] });
  await must('add-squads', { projectId, squads: ['s'] });
  await must('add-section', { projectId, sectionName: 'one' });
  const { tests } = await must('bulk-add-tests', {
    projectId,
    tests: Array.from({ length: 6 }, (_, n) => ({ testName: `t${n}` })),
  });
  const testIds = (tests as { testId: number }[]).map(({ testId }) => testId);
  for (const runName of ['r1', 'r2', 'r3']) await must('create-run', { projectId, runName, testIds });
  const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
  await must('create-cta', { name: 'c', rule });
  const { ctaId } = await must('create-cta', { name: 'd', rule });
  await must('set-cta-status', { ctaId, status: 'LIVE' });
  // A tenant has room for 500 cohorts, and a night needs more: the last one is deleted first, unless a CTA uses it.
  const headers = { authorization: `Bearer ${token}` };
  await target.served.post('/api/tools/delete-cohort', { cohortName: lastCohort }, headers);
  lastCohort = `cohort-${String(projectId)}`;
  await must('create-cohort', { cohortName: lastCohort, kind: 'list' });
  await must('create-nudge-preview', { template: '<b>x</b>' });
  await must('create-behaviour-tag', {
    behaviourTagName: `tag-${String(projectId)}`,
    exposureRule: { session: { limit: 1 } },
    ctaRelation: { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } },
  });
  target.settle();
}

interface Tally {
  readonly accepted: Set<string>;
  readonly refused: Set<string>;
  count: number;
}

async function fuzz(drawn: fc.Arbitrary<Sent>, count: number, seeded: boolean, from = seed): Promise<Tally> {
  const tally: Tally = { accepted: new Set(), refused: new Set(), count: 0 };
  await fc.assert(
    fc.asyncProperty(drawn, async (request) => {
      if (seeded && tally.count % 250 === 0) await seedPool();
      tally.count++;
      const answer = await target.send(request);
      const place = request.path.split('?')[0] ?? '';
      (answer.status < 400 ? tally.accepted : tally.refused).add(place);
      const isJson = answer.headers.get('content-type') === 'application/json';
      if (
        answer.status === 200 &&
        isJson &&
        request.method === 'POST' &&
        request.path.startsWith('/api/tools/')
      )
        pool.harvest(JSON.parse(answer.text));
      const asOurselves = request.headers['authorization'] === `Bearer ${token}`;
      if (asOurselves && (answer.status === 401 || answer.status === 403)) await newToken();
    }),
    { seed: from, numRuns: count, endOnFailure: true },
  );
  return tally;
}

test('every tool', async () => {
  const count = scaled(2_000, 110_000);
  await seedPool();
  await fuzz(
    fc.constantFrom(...tools).chain((tool) => toolRequest(tool, pool, () => token)),
    Math.ceil(count / 10),
    true,
  );
  const before = target.memory();
  const {
    accepted,
    refused,
    count: sent,
  } = await fuzz(
    fc.constantFrom(...tools).chain((tool) => toolRequest(tool, pool, () => token)),
    count,
    true,
  );
  const never = tools.map(({ name }) => name).filter((name) => !accepted.has(`/api/tools/${name}`));
  const after = target.memory();
  process.stdout.write(
    `figure: memory ${Math.round(before)} → ${Math.round(after)} MiB over ${sent} calls of tools; never accepted: ${never.join(' ')}\n`,
  );
  // 2,000 calls are ten for each tool: under six seeds, 43 to 49 % of the tools were never accepted.
  expect(never.length).toBeLessThan(tools.length * scaled(0.6, 0.08));
  expect(refused.size).toBeGreaterThan(tools.length * scaled(0.8, 0.95));
  expect(after).toBeLessThan(Math.max(700, before * 2));
  ran(sent, `structured calls of ${tools.length} tools`);
});

test('every route of the areas', async () => {
  await seedPool();
  const paths = [
    '/cta/active/state-machines/',
    '/cta/state-machines/snapshot/delta/',
    '/v1/auth/social/authenticate',
    '/v1/auth/sessions',
  ];
  const accepted = new Set<string>();
  let sent = 0;
  // Only about one in 500 random sign-ins is accepted: some seeds need more of them.
  for (let round = 0; round === 0 || (round < 8 && paths.some((path) => !accepted.has(path))); round++) {
    const tally = await fuzz(
      routeRequest(target.served, pool, () => token),
      scaled(1_200, 45_000),
      true,
      seed + round,
    );
    for (const path of tally.accepted) accepted.add(path);
    sent += tally.count;
  }
  for (const path of paths) expect(accepted).toContain(path);
  ran(sent, 'structured requests of routes');
});

test('/mcp', async () => {
  await seedPool();
  const { count } = await fuzz(
    mcpRequest(tools, pool, () => token),
    scaled(600, 20_000),
    true,
  );
  ran(count, 'messages of MCP over HTTP');
});
