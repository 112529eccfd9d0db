import { afterAll, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { deltaPath, freshTenant, launchPath, startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

describe('nudge previews', () => {
  const preview = (id: string, headers: Record<string, string> = {}) =>
    trivet
      .fetch(`/cta/nudge/preview/${id}`, { headers })
      .then(async (response) => [response.status, await response.text()]);

  test('a preview is answered to its tenant until it expires', async () => {
    await trivet.call('create-nudge-preview', { id: 'p.1', template: '<b>"Hi"</b>', ttl: 10 });
    const found = [200, '{"data":{"id":"p.1","template":"<b>\\"Hi\\"</b>","tenantId":"default","ttl":10}}'];
    const none = [200, '{"data":null}'];
    expect(await preview('p.1')).toEqual(found);
    expect(await preview('p.1/')).toEqual(found);
    expect(await preview('p%2E1', { 'content-type': 'text/plain' })).toEqual(found);
    expect(await preview('p.1', { 'x-tenant-id': 'other' })).toEqual(none);
    clock.advance(9_999);
    expect(await preview('p.1')).toEqual(found);
    clock.advance(1);
    expect(await preview('p.1')).toEqual(none);
    clock.set(now);
  });

  test('with ttl 0 it stays, and says null', async () => {
    await trivet.call('create-nudge-preview', { id: 'stays', template: 't', ttl: 0 });
    clock.advance(1e12);
    expect(await preview('stays')).toEqual([
      200,
      '{"data":{"id":"stays","template":"t","tenantId":"default","ttl":null}}',
    ]);
    clock.set(now);
  });

  test.each(['nobody', '%00', 'a%2Fb', 'x'.repeat(200), '%F0%9F%98%80'])('%s is not there', async (id) => {
    expect(await preview(id)).toEqual([200, '{"data":null}']);
  });

  test.each(['.', '..', '....', 'a/b', 'x'.repeat(129)])('%s is no id of a new one', async (id) => {
    const given = { id, template: 't' };
    expect(await trivet.refusal('create-nudge-preview', given)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test('a tenant that cannot be is 400, a bad token 401', async () => {
    expect((await preview('p', { 'x-tenant-id': 'a b' }))[0]).toBe(400);
    expect((await preview('p', { authorization: 'Bearer no' }))[0]).toBe(401);
  });
});

test('the three endpoints are in the OpenAPI document with their headers', async () => {
  const { paths } = (await (await trivet.fetch('/openapi.json')).json()) as {
    paths: Record<string, Record<string, { parameters: { name: string; in: string }[] }>>;
  };
  const parameters = (path: string, method: string) =>
    paths[path]?.[method]?.parameters.map(({ name }) => name);
  const headers = [
    'auth-userid',
    'x-tenant-id',
    'api_version',
    'app_version',
    'hotupdate_version',
    'package_name',
    'tz',
  ];
  expect(parameters(launchPath, 'post')).toEqual(headers);
  expect(parameters(deltaPath, 'post')).toEqual(headers);
  expect(parameters('/cta/nudge/preview/{id}', 'get')).toEqual(['id', 'x-tenant-id']);
});

describe('reading, listing and deleting', () => {
  test('a preview is what was made of it until it expires or is deleted', async () => {
    const tenantId = freshTenant();
    const make = (id: string, ttl: number) =>
      trivet.call('create-nudge-preview', { tenantId, id, ttl, template: `<${id}>` });
    const short = await make('short', 10);
    clock.advance(1);
    const long = await make('long', 0);
    const { template: _, ...slim } = long;
    expect(await trivet.call('get-nudge-preview', { tenantId, id: 'short' })).toEqual(short);
    expect(await trivet.call('list-nudge-previews', { tenantId, limit: 1, offset: 1 })).toEqual({
      total: 2,
      limit: 1,
      offset: 1,
      previews: [slim],
    });
    clock.advance(10_000);
    expect(await trivet.call('list-nudge-previews', { tenantId })).toMatchObject({
      total: 1,
      previews: [slim],
    });
    const gone = async (tool: string, id: string) => (await trivet.refusal(tool, { tenantId, id }))?.code;
    expect(await gone('get-nudge-preview', 'short')).toBe('PREVIEW_NOT_FOUND');
    expect(await gone('delete-nudge-preview', 'short')).toBe('PREVIEW_NOT_FOUND');
    expect(await trivet.call('delete-nudge-preview', { tenantId, id: 'long' })).toEqual(long);
    expect(await gone('get-nudge-preview', 'long')).toBe('PREVIEW_NOT_FOUND');
    const fetched = await trivet.fetch('/cta/nudge/preview/long', { headers: { 'x-tenant-id': tenantId } });
    expect(await fetched.text()).toBe('{"data":null}');
  });
});

describe('update-nudge-preview', () => {
  const made = async (ttl: number) => {
    const tenantId = freshTenant();
    const preview = await trivet.call('create-nudge-preview', { tenantId, id: 'p', ttl, template: 'old' });
    clock.advance(1_000);
    return { tenantId, preview };
  };

  test.each([
    ['a template keeps the end', 10, { template: 'new' }, { template: 'new' }],
    ['a lifetime counts from now', 10, { ttl: 60 }, { ttl: 60, expiresAt: now + 61_000 }],
    ['both', 0, { template: 'new', ttl: 60 }, { template: 'new', ttl: 60, expiresAt: now + 61_000 }],
    ['without an end', 10, { ttl: 0 }, { ttl: null, expiresAt: null }],
  ])('%s', async (_what, ttl, given, changed) => {
    const { tenantId, preview } = await made(ttl);
    const whole = { ...preview, ...changed };
    expect(await trivet.call('update-nudge-preview', { tenantId, id: 'p', ...given })).toEqual(whole);
    expect(await trivet.call('get-nudge-preview', { tenantId, id: 'p' })).toEqual(whole);
    clock.set(now);
  });

  test.each([
    ['nothing', {}, 'NOTHING_TO_UPDATE'],
    ['no template', { template: '' }, 'INVALID_REQUEST'],
    ['too long a template', { template: 'x'.repeat(512 * 1024 + 1) }, 'INVALID_REQUEST'],
    ['more than a year', { ttl: 31_536_001 }, 'INVALID_REQUEST'],
    ['one that is not there', { id: 'q', ttl: 1 }, 'PREVIEW_NOT_FOUND'],
  ])('%s is refused, and apps get what they got', async (_what, given, code) => {
    const { tenantId, preview } = await made(0);
    expect((await trivet.refusal('update-nudge-preview', { tenantId, id: 'p', ...given }))?.code).toBe(code);
    expect(await trivet.call('get-nudge-preview', { tenantId, id: 'p' })).toEqual(preview);
    clock.set(now);
  });

  test('one that has expired is not there', async () => {
    const { tenantId } = await made(1);
    const given = { tenantId, id: 'p', template: 'new' };
    expect((await trivet.refusal('update-nudge-preview', given))?.code).toBe('PREVIEW_NOT_FOUND');
    clock.set(now);
  });
});
