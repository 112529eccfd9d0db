import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { desc } from 'drizzle-orm';
import { decodeJwt } from 'jose';
import { mcpTools } from '../core/mcp/mcp-tools.ts';
import { localExecutor } from '../core/tools/local-executor.ts';
import { audit } from '../modules/auth/base/schema.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../modules/testmgmt/testing/testmgmt-kernel.ts';
import { makeWorld, validCalls } from '../modules/testmgmt/testing/valid-calls.ts';
import { ruleOf } from './hardening/freeze-world.ts';
import type { OtherToolName } from './tool-names.ts';

/*
 * Every writing operation leaves exactly one audit entry: which operation, by whom, on which records, through which surface, with which
 * credential. A refused call leaves none. An operation without a call here fails the test.
 *
 * Mutation note: seen to fail when `perform` hands the database over as it is, and when the entry is stored after the transaction.
 */
let trivet: TestmgmtKernel;
let session: string;
const others = { bob: 0, carl: 0 };
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  session = (await trivet.signIn('ann@example.org')).accessToken;
  const { code } = (await trivet.call('invite-user', { orgId: 1, role: 'admin' })) as { code: string };
  await trivet.post('/api/tools/accept-invitation', { code }, session);
  const invited = (await trivet.call('invite-user', { orgId: 1 })) as { code: string };
  const bob = (await trivet.signIn('bob@example.org')).accessToken;
  await trivet.post('/api/tools/accept-invitation', { code: invited.code }, bob);
  others.bob = Number(decodeJwt(bob).sub);
  others.carl = Number(decodeJwt((await trivet.signIn('carl@example.org')).accessToken).sub);
  trivet.clock.advance(1_000);
});
afterAll(() => trivet.stop());

const entries = async () => {
  const rows = await trivet.kernel.host.db.q.select().from(audit).orderBy(desc(audit.id));
  return rows.filter(({ event }) => event === 'operation');
};

/** Calls of tools in an order in which each succeeds; a function receives the results of the earlier ones. */
type Answers = Readonly<Record<string, Record<string, unknown>>>;
const userIds = ['1', '2'];
const rule = ruleOf(1);
const experiment = {
  key: 'spring',
  seed: 's-1',
  coverage: 1,
  variants: [
    { key: 'a', weight: 0.5 },
    { key: 'b', weight: 0.5 },
  ],
};
const calls = [
  ['create-cta', () => ({ name: 'One', rule }), ['ctaId']],
  ['update-cta', ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'], version: 1, name: 'Two' }), ['ctaId']],
  ['revert-cta', ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'], version: 2, toVersion: 1 }), ['ctaId']],
  ['update-cta', ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'], version: 3, experiment }), ['ctaId']],
  ['start-experiment', ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'] }), ['key', 'seed', 'ctaId']],
  ['stop-experiment', ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'] }), ['key', 'seed', 'ctaId']],
  ['create-holdout', () => ({ name: 'h', percentage: 5, seed: 's-2' }), ['name', 'seed']],
  ['delete-holdout', () => ({ name: 'h' }), ['name']],
  ['set-delivery-limits', () => ({ global: { perDay: 3 } }), []],
  ['clone-cta', ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'] }), ['ctaId']],
  ['set-cta-status', ({ 'clone-cta': cta }) => ({ ctaId: cta?.['ctaId'], status: 'LIVE' }), ['ctaId']],
  ['create-behaviour-tag', () => ({ behaviourTagName: 'tag' }), ['behaviourTagName']],
  [
    'update-behaviour-tag',
    () => ({ behaviourTagName: 'tag', version: 1, exposureRule: { lifespan: { limit: 3 } } }),
    ['behaviourTagName'],
  ],
  [
    'link-behaviour-tag',
    ({ 'create-cta': cta }) => ({ behaviourTagName: 'tag', ctaIds: [cta?.['ctaId']] }),
    ['behaviourTagName', 'ctaIds'],
  ],
  ['unlink-behaviour-tag', ({ 'create-cta': cta }) => ({ ctaIds: [cta?.['ctaId']] }), ['ctaIds']],
  ['delete-behaviour-tag', () => ({ behaviourTagName: 'tag' }), ['behaviourTagName']],
  ['create-cohort', () => ({ cohortName: 'few', kind: 'list', userIds }), ['cohortName', 'userIds']],
  ['update-cohort', () => ({ cohortName: 'few', description: 'x' }), ['cohortName']],
  ['add-cohort-users', () => ({ cohortName: 'few', userIds: ['3'] }), ['cohortName', 'userIds']],
  ['remove-cohort-users', () => ({ cohortName: 'few', userIds: ['3'] }), ['cohortName', 'userIds']],
  ['delete-cohort', () => ({ cohortName: 'few' }), ['cohortName']],
  ['set-user-attributes', () => ({ users: [{ userId: '1', attributes: { city: 'Rome' } }] }), ['userIds']],
  ['purge-cta-user', () => ({ userId: '1' }), ['userId']],
  [
    'define-cta-goal',
    ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'], name: 'bought', on: { event: 'bought' } }),
    ['ctaId'],
  ],
  ['delete-cta-goal', ({ 'create-cta': cta }) => ({ ctaId: cta?.['ctaId'], name: 'bought' }), ['ctaId']],
  ['create-tenant', () => ({ tenantId: 'shop' }), ['tenantId']],
  ['create-organization', () => ({ orgName: 'Another' }), ['orgId']],
  ['set-cta-kill-switch', () => ({ killed: true }), []],
  ['create-nudge-preview', () => ({ id: 'p1', template: 'x' }), ['id']],
  ['update-nudge-preview', () => ({ id: 'p1', template: 'y' }), ['id']],
  ['delete-nudge-preview', () => ({ id: 'p1' }), ['id']],
  ['invite-user', () => ({ orgId: 1 }), ['orgId', 'invitationId']],
  ['accept-invitation', ({ 'invite-user': made }) => ({ code: made?.['code'] }), []],
  ['invite-user', () => ({ orgId: 1 }), ['orgId', 'invitationId']],
  [
    'revoke-invitation',
    ({ 'invite-user': made }) => ({ orgId: 1, invitationId: made?.['invitationId'] }),
    ['orgId', 'invitationId'],
  ],
  ['create-access-token', () => ({ name: 'x', scopes: ['auth'] }), ['tokenId']],
  ['revoke-access-token', ({ 'create-access-token': made }) => ({ tokenId: made?.['tokenId'] }), ['tokenId']],
  ['set-user-role', () => ({ orgId: 1, userId: 1, role: 'admin' }), ['orgId', 'userId']],
  ['remove-member', () => ({ orgId: 1, userId: others.bob }), ['orgId', 'userId']],
  ['merge-users', () => ({ userId: others.bob, duplicateId: others.carl }), ['userId', 'duplicateId']],
  ['erase-user', () => ({ userId: others.bob }), ['userId']],
  ['set-user-claims', () => ({ userId: 1, claims: { plan: 'pro' } }), ['userId']],
  ['set-user-status', () => ({ userId: 1, status: 'active' }), ['userId']],
  ['set-letter-setting', () => ({ kind: 'newly-failing', isOn: false }), []],
  ['revoke-session', (_, userId) => ({ userId, sessionId: 'nothing' }), ['sessionId', 'userId']],
] as const satisfies ReadonlyArray<
  readonly [OtherToolName, (answers: Answers, own: number) => object, readonly string[]]
>;

/** All other tools. A new tool that is listed neither here nor above does not compile. */
const reads: Readonly<Record<Exclude<OtherToolName, (typeof calls)[number][0]>, true>> = {
  'list-audit': true,
  'list-signing-keys': true,
  'list-identity-providers': true,
  'list-invitations': true,
  'list-members': true,
  'get-user': true,
  'get-account': true,
  'list-access-tokens': true,
  'list-sessions': true,
  'get-letter-settings': true,
  'get-cta-metrics': true,
  'get-cta-funnel': true,
  'list-cta-goals': true,
  'export-cta-events': true,
  'list-ctas': true,
  'get-cta': true,
  'list-cta-status-changes': true,
  'list-cta-versions': true,
  'explain-cta': true,
  'simulate-cta': true,
  'get-cta-kill-switches': true,
  'get-experiment-results': true,
  'list-holdouts': true,
  'get-delivery-limits': true,
  'get-behaviour-tag': true,
  'list-behaviour-tags': true,
  'get-user-attributes': true,
  'count-cohort-users': true,
  'get-cohort': true,
  'list-cohorts': true,
  'get-nudge-preview': true,
  'list-nudge-previews': true,
  'get-server-settings': true,
  'get-server-health': true,
};

/** Operations that a person confirms, so they support a trial run, which writes nothing and leaves no entry. */
const isTried = (name: string) => trivet.kernel.operations.get(name)?.confirm !== undefined;

describe('one entry for every write', () => {
  test('each deletion says whether it can be undone', () => {
    const silent = [...trivet.kernel.operations.values()].filter(
      ({ effect, confirm }) => effect === 'delete' && confirm === undefined,
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  test('each operation that writes is called here', () => {
    const writes = Object.keys(reads).filter((name) => trivet.kernel.operations.get(name)?.effect !== 'read');
    expect(writes).toEqual([]);
  });

  /** @see issue 13, 47: 33 tools that overwrite were hinted as only adding. */
  test('only what adds is hinted as adding', async () => {
    const { modules, host } = trivet.kernel;
    const tools = mcpTools(localExecutor(trivet.kernel, trivet.owner, {}), {
      modules,
      cut: {},
      log: host.log,
    });
    const adding = (await tools.list()).filter(({ annotations }) => annotations.destructiveHint === false);
    const names = adding.map(({ name }) => name);
    for (const name of [
      'edit-run',
      'update-test',
      'run-update-test-status',
      'run-reset',
      'set-user-role',
      'delete-run',
      'import-tests',
      'link-behaviour-tag',
    ])
      expect(names).not.toContain(name);
    const verbs = /^(?:create|add|bulk-add|clone|define|invite|propose|restore|accept-invitation|download)/;
    expect(names.filter((name) => !verbs.test(name))).toEqual([]);
  });

  test('of the other modules, over HTTP', async () => {
    const answers: Record<string, Record<string, unknown>> = {};
    const own = Number(decodeJwt(session).sub);
    const credential = `session:${String(decodeJwt(session)['sid'])}`;
    for (const [name, input, ids] of calls) {
      const before = (await entries()).length;
      if (isTried(name)) {
        const tried = await trivet.post(
          `/api/tools/${name}`,
          { ...input(answers, own), dryRun: true },
          session,
        );
        expect([name, tried.status, tried.body['dryRun']]).toEqual([name, 200, true]);
        expect([name, (await entries()).length]).toEqual([name, before]);
      }
      const { status, body } = await trivet.post(`/api/tools/${name}`, input(answers, own), session);
      expect([name, status, body]).toEqual([name, 200, body]);
      answers[name] = body;
      const [entry, ...earlier] = await entries();
      expect([name, earlier.length]).toEqual([name, before]);
      expect(entry).toMatchObject({ operation: name, userId: own, surface: 'http', credential });
      expect([name, Object.keys(entry?.ids ?? {})]).toEqual([name, expect.arrayContaining([...ids])]);
    }
  });

  test('of test management', async () => {
    const writes = Object.entries(validCalls).filter(
      ([name]) => trivet.kernel.operations.get(name)?.effect !== 'read',
    );
    for (const [name, valid] of writes) {
      const world = await makeWorld(trivet);
      const before = (await entries()).length;
      if (isTried(name)) {
        const stored = await trivet.everything();
        await trivet.call(name, { ...valid(world), dryRun: true });
        expect([name, await trivet.everything()]).toEqual([name, stored]);
        expect([name, (await entries()).length]).toEqual([name, before]);
      }
      await trivet.call(name, valid(world));
      const [entry, ...earlier] = await entries();
      expect([name, earlier.length]).toEqual([name, before]);
      expect(entry).toMatchObject({ operation: name, userId: 1, surface: 'cli', credential: 'local' });
      expect([name, Object.keys(entry?.ids ?? {}).length]).not.toEqual([name, 0]);
    }
  });
});

describe('what an entry holds', () => {
  test('the new id of a creation, the first 20 of many and how many there were; nothing that people typed', async () => {
    const projectId = await trivet.makeProject();
    const tests = Array.from({ length: 50 }, (_, n) => ({ testName: `secret plan ${n}` }));
    const made = await trivet.call('bulk-add-tests', { projectId, tests });
    const ids = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
    const [entry] = await entries();
    expect(entry?.ids).toEqual({ projectId, testIds: ids.slice(0, 20), testIdsCount: 50 });
    expect(JSON.stringify(await entries())).not.toContain('secret');
  });

  test('a call over MCP says so, one with a personal token names the token', async () => {
    const made = await trivet.post(
      '/api/tools/create-access-token',
      { name: 'agent', scopes: ['auth', 'cta', 'testmgmt'] },
      session,
    );
    const { token, tokenId } = made.body as { token: string; tokenId: number };
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${trivet.origin}/mcp`), {
        requestInit: { headers },
      }) as never,
    );
    const projectId = await trivet.makeProject();
    await client.callTool({ name: 'add-labels', arguments: { projectId, labels: ['x'] } });
    await client.close();
    expect((await entries())[0]).toMatchObject({
      operation: 'add-labels',
      surface: 'mcp',
      credential: `token:${tokenId}`,
      ids: { projectId },
    });
    expect(JSON.stringify(await entries())).not.toContain(token);
  });

  test('a refused call, one that only looks, and one that is repeated under its key leave none', async () => {
    const projectId = await trivet.makeProject();
    const add = (key: string, input: object) =>
      localExecutor(trivet.kernel, trivet.owner, {}).call('create-test', input, {
        signal: AbortSignal.timeout(5_000),
        idempotencyKey: key,
      });
    await add('k1', { projectId, testName: 'x' });
    const before = (await entries()).length;
    await add('k1', { projectId, testName: 'x' });
    expect(await trivet.refusal('delete-test', { projectId, testId: 999_999 })).not.toBeNull();
    expect(await trivet.refusal('create-test', { projectId })).not.toBeNull();
    expect(await trivet.refusal('create-test', { projectId: 999_999, testName: 'x' })).not.toBeNull();
    await trivet.call('import-tests', { projectId, content: 'Title\nx\n', dryRun: true });
    await trivet.call('get-tests', { projectId });
    expect((await entries()).length).toBe(before);
  });

  /** @see issue 13, 52 */
  test('a repeated call that changes nothing leaves none', async () => {
    const world = await makeWorld(trivet);
    const { projectId, runId, testId } = world;
    const both = [testId, world.otherTestId].map((id) => ({ testId: id, status: 'passed' }));
    await trivet.call('add-tests-to-run', { projectId, runId, testIds: [world.otherTestId] });
    const repeated: ReadonlyArray<readonly [string, object]> = [
      ['edit-run', { projectId, runId, runName: 'same' }],
      ['edit-project', { projectId, projectName: 'same' }],
      ['update-project-status', { projectId, isActive: true }],
      ['update-test', { testId, testName: 'same', labels: [world.labelId] }],
      ['edit-section', { sectionId: world.sectionId, sectionName: 'same' }],
      ['add-labels', { projectId, labels: ['same'] }],
      ['add-squads', { projectId, squads: ['same'] }],
      ['add-tests-to-run', { projectId, runId, testIds: [world.otherTestId] }],
      ['run-update-test-status', { projectId, runId, testResults: both }],
      ['restore-test', { projectId, testId: world.deletedTestId }],
      ['restore-run', { projectId, runId: world.deletedRunId }],
      ['run-reset', { projectId, runId }],
      ['run-lock', { projectId, runId }],
      ['unlock-run', { projectId, runId }],
    ];
    for (const [name, input] of repeated) {
      await trivet.call(name, input);
      trivet.clock.advance(1_000);
      const before = (await entries()).length;
      await trivet.call(name, input);
      expect([name, (await entries()).length]).toEqual([name, before]);
    }
  });

  test('an administrator reads them with list-audit, filtered by operation', async () => {
    const listed = await trivet.call('list-audit', { event: 'operation', operation: 'create-cta' });
    expect(listed).toMatchObject({
      total: 1,
      events: [{ event: 'operation', operation: 'create-cta', surface: 'http', cause: null }],
    });
  });
});
