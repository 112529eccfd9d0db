import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluginKit, type Plugin } from '../core/plugin/plugin-kit.ts';
import { localExecutor } from '../core/tools/local-executor.ts';
import webhooks from '../examples/plugins/webhooks.ts';
import { startTestKernel, type TestKernel } from './kernel.ts';
import { temporaryDirectory } from './temporary.ts';

/* Who sees the deliveries of examples/plugins/webhooks.ts, and which writes go to which receiver. No job runs, so nothing is sent. */
let trivet: TestKernel;
const tokens = { ours: '', member: '', theirs: '' };
type Who = keyof typeof tokens | 'owner';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const endpoints = {
  every: { url: 'http://127.0.0.1:9/every', secret },
  runs: { url: 'http://127.0.0.1:9/runs', secret, types: ['create-project'], orgId: 1 },
};

async function call(who: Who, tool: string, input: object): Promise<Record<string, unknown>> {
  if (who !== 'owner') return (await trivet.post(`/api/tools/${tool}`, input, tokens[who])).body;
  const { host, operations, identity } = trivet.kernel;
  const owner = localExecutor({ host, operations }, await identity.local(host, undefined), {});
  const { signal } = new AbortController();
  return (await owner.call(tool, input, { signal })) as Record<string, unknown>;
}
const seenBy = async (who: Who, filter: object = {}) => {
  const { deliveries } = await call(who, 'list-webhook-deliveries', filter);
  return (deliveries as Array<Record<string, unknown>>).map(
    ({ type, orgId, endpoint }) => `${String(type)} of ${String(orgId)} to ${String(endpoint)}`,
  );
};

beforeAll(async () => {
  const file = join(temporaryDirectory('plugin'), 'endpoints.json');
  writeFileSync(file, JSON.stringify(endpoints), { mode: 0o600 });
  // The plugin's own types are those of trivet-plugin.d.ts.
  const plugin = await (webhooks as unknown as Plugin)(pluginKit);
  trivet = await startTestKernel({ plugins: [plugin], settings: { 'webhooks-endpoints-file': file } });
  for (const who of ['ours', 'member', 'theirs'] as const)
    tokens[who] = (await trivet.signIn(`${who}@example.org`)).accessToken;
  const { orgId } = await call('owner', 'create-organization', { orgName: 'Theirs' });
  for (const [who, role, to] of [
    ['ours', 'admin', 1],
    ['member', 'member', 1],
    ['theirs', 'admin', orgId],
  ] as const) {
    const { code } = await call('owner', 'invite-user', { orgId: to, role });
    await call(who, 'accept-invitation', { code });
  }
  await call('ours', 'create-project', { orgId: 1, projectName: 'Ours' });
  await call('theirs', 'create-project', { orgId, projectName: 'Theirs' });
  await call('ours', 'create-access-token', { name: 'ci', scopes: ['testmgmt:read'] });
});
afterAll(() => trivet.stop());

test('administrators see the deliveries of their organizations, the owner of the machine all', async () => {
  const ours = await seenBy('ours');
  expect(ours.slice(0, 2)).toEqual(['create-project of 1 to runs', 'create-project of 1 to every']);
  expect(ours.every((one) => one.includes(' of 1 to '))).toBe(true);
  expect(await seenBy('theirs')).toEqual([
    'create-project of 2 to every',
    'invite-user of 2 to every',
    'create-organization of 2 to every',
  ]);
  const all = await seenBy('owner', { limit: 500 });
  expect(all).toContain('create-access-token of null to every');
  expect(all).toEqual(expect.arrayContaining([...ours, ...(await seenBy('theirs'))]));
  expect(await seenBy('ours', { endpoint: 'runs', status: 'pending' })).toEqual([
    'create-project of 1 to runs',
  ]);
  expect(await seenBy('ours', { status: 'dead' })).toEqual([]);
});

const refusals: ReadonlyArray<readonly [string, Who, string, object, string]> = [
  ['a member lists', 'member', 'list-webhook-deliveries', {}, 'FORBIDDEN'],
  ['a member tests', 'member', 'send-test-webhook', { endpoint: 'every', orgId: 1 }, 'FORBIDDEN'],
  ['another organization', 'theirs', 'replay-webhook-delivery', { deliveryId: 2 }, 'WEBHOOK_NOT_FOUND'],
  ['no such delivery', 'ours', 'replay-webhook-delivery', { deliveryId: 999 }, 'WEBHOOK_NOT_FOUND'],
  ['one that waits', 'ours', 'replay-webhook-delivery', { deliveryId: 2 }, 'WEBHOOK_PENDING'],
  [
    'a receiver of another organization',
    'theirs',
    'send-test-webhook',
    { endpoint: 'runs', orgId: 2 },
    'WEBHOOK_ENDPOINT_NOT_FOUND',
  ],
  [
    'for another organization',
    'theirs',
    'send-test-webhook',
    { endpoint: 'every', orgId: 1 },
    'WEBHOOK_ENDPOINT_NOT_FOUND',
  ],
  [
    'an unknown receiver',
    'ours',
    'send-test-webhook',
    { endpoint: 'none', orgId: 1 },
    'WEBHOOK_ENDPOINT_NOT_FOUND',
  ],
];
test.each(refusals)('%s: refused', async (_title, who, tool, input, code) => {
  const before = await seenBy('owner', { limit: 500 });
  expect((await call(who, tool, input))['error']).toMatchObject({ code });
  expect(await seenBy('owner', { limit: 500 })).toEqual(before);
});

test('its bodies have ids and no text that somebody typed', async () => {
  const text = JSON.stringify(await call('owner', 'list-webhook-deliveries', { limit: 500 }));
  expect(text).not.toContain('127.0.0.1');
  expect(trivet.logged.join('')).not.toContain(secret.slice(6));
});
