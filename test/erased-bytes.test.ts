import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { engine } from '../core/db/query/engine.ts';
import { setRole } from '../modules/auth/people/member-store.ts';
import { startTestKernel } from './kernel.ts';

/*
 * Erased data is in no file of the data directory: SQLite leaves deleted data in free space of the database, and in its log. PostgreSQL has
 * no such place that Trivet could clean (docs/data-keeping.md).
 *
 * Mutation note: seen to fail without secure_delete (database), and without the checkpoint after the erasure (log).
 */
const trivet = await startTestKernel();
afterAll(() => trivet.stop());

const filesWith = (text: string) =>
  readdirSync(trivet.directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(trivet.directory, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));

const member = async (address: string, role: 'admin' | 'member') => {
  const { accessToken } = await trivet.signIn(address);
  const userId = Number(decodeJwt(accessToken).sub);
  await trivet.kernel.host.db.tx((q) => setRole(q, 1, userId, role, 0));
  return { accessToken, userId };
};

describe.skipIf(engine() !== 'sqlite')('of what was erased, the bytes are in no file', () => {
  let token = '';
  beforeAll(async () => {
    token = (await member('owner@example.org', 'admin')).accessToken;
  });
  const call = (tool: string, args: object) => trivet.post(`/api/tools/${tool}`, args, token);

  test('erase-user: the address', async () => {
    const users: { userId: number; address: string }[] = [];
    for (let n = 0; n < 300; n++) {
      // Not in order, so that pages of the index are split, some of which leave copies.
      const address = `erase-${(n * 7_919) % 997}-${n}@example.org`;
      users.push({ address, userId: (await member(address, 'member')).userId });
    }
    const erased = users.filter((_, n) => n % 4 === 0);
    for (const { userId, address } of erased) {
      expect([address, filesWith(address).length > 0]).toEqual([address, true]);
      expect((await call('erase-user', { userId })).status).toBe(200);
      expect([address, filesWith(address)]).toEqual([address, []]);
    }
    expect(erased.flatMap(({ address }) => filesWith(address))).toEqual([]);
    // The addresses of the other users are still there.
    expect(filesWith(users[1]?.address ?? '')).not.toEqual([]);
  }, 120_000);

  test('erase-user: claims that were set under an idempotency key', async () => {
    const { userId } = await member('claims@example.org', 'member');
    const claims = { userId, claims: { plan: 'plan-4711-of-claims' } };
    const key = { 'idempotency-key': 'claims' };
    expect((await trivet.post('/api/tools/set-user-claims', claims, token, key)).status).toBe(200);
    expect(filesWith('plan-4711-of-claims')).not.toEqual([]);
    expect((await call('erase-user', { userId })).status).toBe(200);
    expect(filesWith('plan-4711-of-claims')).toEqual([]);
  });

  test('erase-user: a person who planned, was assigned and kept evidence', async () => {
    const address = 'planner-4711@example.org';
    const planner = await member(address, 'member');
    const must = async (tool: string, args: object, by = token) => {
      const { status, body } = await trivet.post(`/api/tools/${tool}`, args, by);
      expect([tool, status]).toEqual([tool, 200]);
      return body as Record<string, unknown>;
    };
    const own = (tool: string, args: object) => must(tool, { projectId, ...args }, planner.accessToken);
    const { projectId } = await must('create-project', { orgId: 1, projectName: 'Shop' });
    const { testId } = await own('create-test', { testName: 'Pay', steps: [{ action: 'Do it' }] });
    const testIds = [testId];
    const { milestoneId } = await own('create-milestone', { name: '1.4' });
    await own('create-configuration-group', { name: 'Browser', values: ['Chrome'] });
    const entries = [{ testIds, configurations: 'all', assignTo: [planner.userId] }];
    const { runs } = await own('create-plan', { name: 'Plan', milestoneId, entries });
    const runId = (runs as Array<{ runId: number }>)[0]?.runId;
    const stepResults = [{ step: 1, status: 'failed' }];
    await own('run-update-test-status', { runId, testResults: [{ testId, status: 'failed', stepResults }] });
    await own('add-attachment', { testId, runId, fileName: 'a.txt', base64: 'YQ==' });
    await own('add-links', { testIds, runId, links: [{ kind: 'defect', key: 'SHOP-12' }] });
    const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await own('set-quarantine', { testIds, reason: 'the clock', ownerId: planner.userId, until });
    const shared = new URL(String((await own('create-share-link', { runId }))['url'])).pathname;
    expect((await trivet.fetch(shared)).status).toBe(200);
    expect(filesWith(address)).not.toEqual([]);
    await must('erase-user', { userId: planner.userId });
    expect(filesWith(address)).toEqual([]);
    // Nobody is left with the work, the shared report has ended, and the evidence stays.
    const open = await must('get-run-tests-list', { projectId, runId, query: 'assigned:none' });
    expect(open['total']).toBe(1);
    expect((await trivet.fetch(shared)).status).toBe(404);
    expect((await must('list-attachments', { projectId, runId }))['total']).toBe(1);
    expect((await must('list-links', { projectId, runId }))['total']).toBe(1);
  }, 60_000);

  test('purge-cta-user: the attributes', async () => {
    const city = (n: number) => `city-${(n * 7_919) % 997}-${n}`;
    for (let n = 1; n <= 60; n++)
      expect(
        (await call('set-user-attributes', { users: [{ userId: String(n), attributes: { city: city(n) } }] }))
          .status,
      ).toBe(200);
    for (let n = 1; n <= 60; n += 3) {
      expect([n, filesWith(city(n)).length > 0]).toEqual([n, true]);
      expect((await call('purge-cta-user', { userId: String(n) })).status).toBe(200);
      expect([n, filesWith(city(n))]).toEqual([n, []]);
    }
  }, 60_000);
});
