import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { projects } from '../../modules/testmgmt/base/schema.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../test/kernel.ts';
import { signedIn } from '../base/actor.ts';
import { countRows } from '../db/query/columns.ts';
import { fail } from '../base/errors.ts';
import { defineModule } from '../module/module.ts';
import { keyedCalls } from './idempotency-schema.ts';
import { fingerprintOf, forgetKeyedCalls } from './idempotency.ts';
import { operation } from './operation.ts';

let handled = 0;
/** A write whose result is not that of its transaction, and one without a transaction. */
const odd = defineModule({
  name: 'odd',
  operations: (['wrapped', 'silent', 'refused'] as const).map((kind) =>
    operation({
      name: `odd-${kind}`,
      toolset: 'odd',
      title: kind,
      description: kind,
      input: Type.Object({}, { additionalProperties: false }),
      output: Type.Object({}),
      access: signedIn(),
      effect: 'create',
      handler: async (_input, { db }) => {
        handled++;
        if (kind === 'refused') throw fail.CONFLICT('not now');
        const inner = kind === 'wrapped' ? await db.tx(async () => handled) : handled;
        return { n: inner };
      },
    }),
  ),
});

const clock = stillClock();
let trivet: TestKernel;
let token: string;
let other: string;
beforeAll(async () => {
  trivet = await startTestKernel({ clock, plugins: [odd], settings: { 'access-ttl': '86400' } });
  const { host, identity, operations } = trivet.kernel;
  const owner = await identity.local(host, undefined);
  const create = operations.get('create-access-token');
  if (!create) throw new Error('no create-access-token');
  const { run } = await import('./operation.ts');
  const made = (await run(
    host,
    create,
    { name: 'x' },
    { actor: owner, surface: 'cli', signal: new AbortController().signal },
  )) as {
    token: string;
  };
  token = made.token;
  other = (await trivet.signIn('other@example.org')).accessToken;
});
afterAll(() => trivet.stop());

const call = (tool: string, input: object, key: string, as = token) =>
  trivet.post(`/api/tools/${tool}`, input, as, { 'idempotency-key': key });
const projectCount = async () =>
  (await trivet.kernel.host.db.q.select({ n: countRows() }).from(projects))[0]?.n ?? -1;
const project = { orgId: 1, projectName: 'Shop' };

describe('a write under an idempotency key', () => {
  test('is done once and answered the same, also when sent eight times at once', async () => {
    const before = await projectCount();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call('create-project', project, 'k-1')),
    );
    const later = await call('create-project', { projectName: 'Shop', orgId: 1 }, 'k-1');
    expect(new Set([...answers, later].map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect([...answers, later].map(({ status }) => status)).toEqual(Array<number>(9).fill(200));
    expect(await projectCount()).toBe(before + 1);
    expect((await call('create-project', project, 'k-2')).body['projectId']).not.toBe(
      later.body['projectId'],
    );
  });

  test('stands for one call: other arguments or another tool are refused, another user is not concerned', async () => {
    const before = await projectCount();
    for (const [tool, input] of [
      ['create-project', { ...project, projectName: 'Other' }],
      ['odd-silent', {}],
    ] as const) {
      expect(await call(tool, input, 'k-1')).toMatchObject({
        status: 409,
        body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
      });
    }
    expect(await projectCount()).toBe(before);
    expect((await call('odd-silent', {}, 'k-1', other)).status).toBe(200);
  });

  test('that is refused stores nothing: it may be repaired and sent again', async () => {
    expect((await call('create-project', { orgId: 77, projectName: 'X' }, 'k-3')).status).toBe(404);
    expect((await call('create-project', project, 'k-3')).status).toBe(200);
    const before = handled;
    for (let i = 0; i < 2; i++) expect((await call('odd-refused', {}, 'k-4')).status).toBe(409);
    expect(handled).toBe(before + 2);
  });

  test.each(['odd-wrapped', 'odd-silent'])('%s: what is repeated is the answer of the call', async (tool) => {
    const first = await call(tool, {}, `k-${tool}`);
    const before = handled;
    expect((await call(tool, {}, `k-${tool}`)).body).toEqual(first.body);
    expect(handled).toBe(before);
  });

  test('whose answer is a secret is done once, and the secret is neither stored nor shown again', async () => {
    const made = await call('create-access-token', { name: 'y', scopes: ['auth'] }, 'k-secret', other);
    expect(made.status).toBe(200);
    expect(
      await call('create-access-token', { name: 'y', scopes: ['auth'] }, 'k-secret', other),
    ).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT' } },
    });
    const rows = await trivet.kernel.host.db.q.select().from(keyedCalls);
    expect(JSON.stringify(rows)).not.toContain(String(made.body['token']).slice(4, 16));
    const tokenId = made.body['tokenId'];
    for (let i = 0; i < 2; i++)
      expect((await call('revoke-access-token', { tokenId }, 'k-revoke', other)).body).toEqual({ tokenId });
    expect((await call('accept-invitation', { code: 'none' }, 'k-code', other)).status).toBe(403);
  });

  /** @see The repeated call was refused, because the name that it gives was gone. */
  test('that names its record is answered the same, although the name is gone or another one has it', async () => {
    const { body } = await call('create-project', { orgId: 1, projectName: 'Named' }, 'k-named');
    const rename = { projectId: 'Named', projectName: 'Renamed' };
    const first = await call('edit-project', rename, 'k-rename');
    expect(first).toMatchObject({
      status: 200,
      body: { projectId: body['projectId'], projectName: 'Renamed' },
    });
    expect((await call('edit-project', rename, 'k-rename')).body).toEqual(first.body);
    await call('create-project', { orgId: 1, projectName: 'Named' }, 'k-named-again');
    expect((await call('edit-project', rename, 'k-rename')).body).toEqual(first.body);
    expect(await call('edit-project', { ...rename, projectName: 'Other' }, 'k-rename')).toMatchObject({
      status: 409,
      body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } },
    });
  });

  test('that was done answers a dry run under its key, too; a dry run takes no key', async () => {
    const { body } = await call('create-test', { projectId: 1, testName: 'goes' }, 'k-test');
    const remove = { projectId: 1, testId: body['testId'] };
    const rehearse = (key: string) => call('delete-test', { ...remove, dryRun: true }, key);
    expect(await rehearse('k-delete')).toMatchObject({ status: 200, body: { dryRun: true } });
    const first = await call('delete-test', remove, 'k-delete');
    expect(first.status).toBe(200);
    expect((await rehearse('k-delete')).body).toEqual(first.body);
    expect((await rehearse('k-other')).status).toBe(404);
    expect((await rehearse('k-rename')).status).toBe(404);
  });

  test('reading ignores it; a key that is none is refused', async () => {
    expect((await call('get-orgs-list', {}, 'k-1')).status).toBe(200);
    for (const key of ['a b', 'x'.repeat(256), 'ü']) {
      expect(await call('create-project', project, encodeURI(key) === key ? key : 'a b')).toMatchObject({
        status: 400,
        body: { error: { cause: 'idempotencyKey' } },
      });
    }
  });

  /** @see A repeated call returned its result whatever the rights of its caller now: a removed member read a record of the project. */
  test('is answered again only to who may still do it', async () => {
    let person = await trivet.signIn('carl@example.org');
    const userId = Number(JSON.parse(atob(person.accessToken.split('.')[1] ?? '')).sub);
    const role = async (given: string) => {
      if (given !== 'none') {
        // Who leaves the last organization is signed out.
        person = await trivet.signIn('carl@example.org');
        const { body } = await trivet.post('/api/tools/invite-user', { orgId: 1, role: given }, token);
        await trivet.post('/api/tools/accept-invitation', { code: body['code'] }, person.accessToken);
      }
      await trivet.post('/api/tools/set-user-role', { orgId: 1, userId, role: given }, token);
    };
    await role('admin');
    const first = await call('create-project', project, 'k-role', person.accessToken);
    expect(first.status).toBe(200);
    const steps: ReadonlyArray<readonly [string, number]> = [
      ['member', 403],
      ['none', 401],
      ['admin', 200],
    ];
    for (const [given, status] of steps) {
      await role(given);
      const again = await call('create-project', project, 'k-role', person.accessToken);
      expect([given, again.status]).toEqual([given, status]);
      expect(JSON.stringify(again.body).includes('projectName')).toBe(status === 200);
    }
    // A weaker credential of the same user.
    const made = await trivet.post(
      '/api/tools/create-access-token',
      { name: 'x', scopes: ['auth'] },
      person.accessToken,
    );
    const weak = await call('accept-invitation', { code: 'x' }, 'k-role', String(made.body['token']));
    expect(weak.status).toBe(409);
  });

  test('is forgotten after a day', async () => {
    const first = await call('create-project', project, 'k-day');
    clock.advance(86_400_000);
    await forgetKeyedCalls(trivet.kernel.host);
    expect((await call('create-project', project, 'k-day')).body).toEqual(first.body);
    clock.advance(1);
    await forgetKeyedCalls(trivet.kernel.host);
    expect((await call('create-project', project, 'k-day')).body['projectId']).not.toBe(
      first.body['projectId'],
    );
    expect((await trivet.kernel.host.db.q.select().from(keyedCalls)).map(({ key }) => key)).toEqual([
      'k-day',
    ]);
  });
});

/** @see A call of 0.1.0 that was repeated at this version under its key was taken for another call (409). */
describe('the fingerprint of a call is that of 0.1.0', () => {
  const of010 = (tool: string, input: unknown) =>
    new Bun.CryptoHasher('sha256').update(`${tool}\n${JSON.stringify(sorted(input))}`).digest('hex');
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return members.map(([name, member]) => [name, sorted(member)]);
  };
  const inputs: ReadonlyArray<readonly [string, unknown]> = [
    ['no arguments', {}],
    ['texts', { b: 1, a: 'é "quoted"' }],
    ['lists', { list: [], one: [{ d: null, c: [true] }], more: [1, 'x', { z: 1, y: { b: 2, a: 1 } }] }],
    ['objects', { nested: { list: [3, 2, 1], 'a-b': {} }, last: false }],
    ['a long list', { ids: Array.from({ length: 5_000 }, (_, id) => ({ status: 'passed', id })) }],
    ['a list instead of an object', ['not', { an: 'object' }]],
    ['a text', 'text'],
    ['null', null],
  ];
  test.each(inputs)('%s', async (_title, input) => {
    expect(await fingerprintOf({ tool: 'a-tool', input })).toBe(of010('a-tool', input));
  });
  test('the order of properties does not matter', async () => {
    const tool = 'a-tool';
    expect(await fingerprintOf({ tool, input: { a: 1, b: 2 } })).toBe(
      await fingerprintOf({ tool, input: { b: 2, a: 1 } }),
    );
  });
});
