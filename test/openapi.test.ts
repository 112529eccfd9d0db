import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { mintDevIdToken, signAsDev } from '../modules/auth/providers/dev-provider.ts';
import { oauthTokenAnswer } from '../modules/auth/testing/browser.ts';
import { createPersonalToken, madeOnMachine } from '../modules/auth/personal-tokens/personal-token-store.ts';
import { unlimitedScope } from '../modules/auth/personal-tokens/token-scope.ts';
import { startTestKernel, type TestKernel } from './kernel.ts';
import { deltaPath, launchPath } from './served.ts';
import { toolsOf } from './tools.ts';

/*
 * The API description is valid by OpenAPI's own schema, and true for the responses of Areas A and B. Every test that calls an operation
 * checks its result against the output schema (the kernels in testing/).
 *
 * Mutation note: seen to fail when authenticate leaves out tokenType, when a CTA is answered with a field more, and when a route says
 * nothing of its answer.
 */
interface Described {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: object }>> }>
  >;
}
let trivet: TestKernel;
let document: { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> };
let tokens: Awaited<ReturnType<TestKernel['signIn']>>;
let bearer: { readonly authorization: string };
const user = { 'auth-userid': '7', api_version: '1' };

beforeAll(async () => {
  trivet = await startTestKernel({ settings: { guests: 'true', 'rate-guest': '0' } });
  document = (await (await trivet.fetch('/openapi.json')).json()) as typeof document;
  tokens = await trivet.signIn('ann@example.org');
  bearer = { authorization: `Bearer ${tokens.accessToken}` };
  await seedCalls();
});
afterAll(() => trivet.stop());

/** A live CTA with everything a rule can have, its behaviour tag, state of user 7, and a preview. */
async function seedCalls(): Promise<void> {
  const { call } = await toolsOf(trivet);
  await call('create-behaviour-tag', {
    behaviourTagName: 'shop',
    exposureRule: {
      session: { limit: 1 },
      window: { limit: 2, unit: 'days', value: 3 },
      lifespan: { limit: 9 },
    },
    ctaRelation: { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } },
  });
  const { ctaId } = await call('create-cta', {
    name: 'whole',
    behaviourTagName: 'shop',
    rule: {
      stateToAction: { '1': 'show' },
      resetStates: ['2'],
      resetCTAonFirstLaunch: true,
      contextParams: ['price'],
      stateTransition: {
        opened: { '0': [{ transitionTo: '1' }] },
        closed: { '1': [{ transitionTo: '2' }] },
      },
      groupByConfig: { maxActiveStateMachineCount: 3, groupByKeys: ['shop'] },
      priority: 2,
      stateMachineTTL: 1e9,
      ctaValidTill: 4e12,
      actions: [{ actionId: 'show', type: 'POPUP', template: '<b>hello</b>' }],
      frequency: {
        session: { limit: 1 },
        window: { limit: 2, unit: 'hours', value: 1 },
        lifeSpan: { limit: 5 },
      },
    },
  });
  await call('set-cta-status', { ctaId, status: 'LIVE' });
  await call('create-nudge-preview', { id: 'one', template: '<p>' });
  const machine = { currentState: '1', lastTransitionAt: 5, createdAt: Date.now(), context: { price: 3 } };
  const sent = { ctas: [{ ctaId, activeStateMachines: { g: machine }, actionDoneAt: [4], resetAt: [3] }] };
  expect((await trivet.post(deltaPath, sent, undefined, user)).status).toBe(200);
}

test('it is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
});

/** RFC 7591 requires 201. */
const ofProtocols = ['post /mcp', 'post /oauth/register'];

/** What they answer is no JSON; each has its own test. */
const ofMedia = ['get /api/attachments/{id}', 'get /share/{code}'];

test('every route says what it answers', () => {
  const silent = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.values(responses['200']?.content ?? {})[0]?.schema && responses['default']
        ? []
        : `${method} ${path}`,
    ),
  );
  // The protocol itself defines the responses there.
  expect(silent).toEqual([...ofProtocols].reverse());
});

test('tools that answer files say of which kind', () => {
  const kinds = (tool: string) =>
    Object.keys(document.paths[`/api/tools/${tool}`]?.['post']?.responses['200']?.content ?? {});
  expect(kinds('download-tests')).toEqual(['application/json', 'text/csv']);
  expect(kinds('download-report')).toEqual(['application/json', 'text/html', 'application/pdf']);
});

describe('what is answered is what is described', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  type Send = () => Promise<Response>;
  const postJson = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Send => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    return () => trivet.fetch(path, { ...init, headers: { 'content-type': 'application/json', ...headers } });
  };
  const postForm = (path: string, body: Readonly<Record<string, string>>): Send => {
    const init = { method: 'POST', body: new URLSearchParams(body) };
    return () => trivet.fetch(path, init);
  };
  const service = async () => {
    const { host } = trivet.kernel;
    const scope = { ...unlimitedScope, toolsets: [], grants: ['introspect'] };
    const given = { userId: 1, name: 'shop', scope, expiresAt: null, madeWith: madeOnMachine };
    const { token } = await host.db.tx((q) => createPersonalToken(host, q, given));
    return { authorization: `Bearer ${token}` };
  };
  /** Links an identity to a user, a new guest unless given. */
  const linked = async (address: string, token?: string): Promise<Response> => {
    const guest = async () =>
      String((await trivet.post('/v1/auth/guest', { resources: [] })).body['accessToken']);
    const identifier = await mintDevIdToken(trivet.kernel.host, address);
    const body = { idProvider: 'dev', identifier, onConflict: 'switch' };
    return postJson('/v1/auth/link', body, { authorization: `Bearer ${token ?? (await guest())}` })();
  };
  const cases: readonly (readonly [route: string, title: string, send: Send])[] = [
    ['get /healthz', 'alive', () => trivet.fetch('/healthz')],
    ['get /readyz', 'ready', () => trivet.fetch('/readyz')],
    ['get /.well-known/jwks.json', 'keys', () => trivet.fetch('/.well-known/jwks.json')],
    ...[
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ].map((path) => [`get ${path}`, 'metadata', () => trivet.fetch(path)] as const),
    ['post /oauth/revoke', 'ended', postForm('/oauth/revoke', { token: 'nobody knows it' })],
    [
      'post /oauth/backchannel-logout',
      'ended',
      async () => {
        const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
        const token = await signAsDev(trivet.kernel.host, 'nobody@example.org', { jti: 'one', events });
        return postForm('/oauth/backchannel-logout', { logout_token: token })();
      },
    ],
    [
      'post /oauth/device_authorization',
      'a code',
      postForm('/oauth/device_authorization', { client_id: 'trivet-cli' }),
    ],
    ['post /oauth/token', 'signed in', () => oauthTokenAnswer(trivet)],
    ['get /oauth/userinfo', 'known', () => trivet.fetch('/oauth/userinfo', { headers: bearer })],
    [
      'post /v1/auth/social/authenticate',
      'signed in',
      async () => {
        const identifier = await mintDevIdToken(trivet.kernel.host, 'bob@example.org');
        return postJson('/v1/auth/social/authenticate', {
          responseType: 'token',
          grantType: 'id_token',
          identifier,
          idProvider: 'dev',
          resources: [],
        })();
      },
    ],
    ['get /v1/auth/token/verify', 'live', () => trivet.fetch('/v1/auth/token/verify', { headers: bearer })],
    ['get /v1/auth/token/verify', 'not', () => trivet.fetch('/v1/auth/token/verify')],
    [
      'post /v1/auth/token/refresh',
      'rotated',
      () => postJson('/v1/auth/token/refresh', { refreshToken: tokens.refreshToken })(),
    ],
    [
      'post /oauth/introspect',
      'alive',
      async () => {
        const body = new URLSearchParams({ token: tokens.accessToken });
        return trivet.fetch('/oauth/introspect', { method: 'POST', body, headers: await service() });
      },
    ],
    [
      'get /v1/auth/revocations',
      'ended',
      async () => trivet.fetch('/v1/auth/revocations', { headers: await service() }),
    ],
    ['post /v1/auth/guest', 'a guest', postJson('/v1/auth/guest', { resources: [], installId: 'i' })],
    ['post /v1/auth/link', 'promoted', () => linked('gus@example.org')],
    ['post /v1/auth/link', 'switched', () => linked('gus@example.org')],
    ['get /v1/auth/identities', 'listed', () => trivet.fetch('/v1/auth/identities', { headers: bearer })],
    [
      'delete /v1/auth/identities/{identityId}',
      'removed',
      async () => {
        const { accessToken } = (await (await linked('hal@example.org')).json()) as { accessToken: string };
        await linked('hal@work.example', accessToken);
        const headers = { authorization: `Bearer ${accessToken}` };
        const { identities } = (await (await trivet.fetch('/v1/auth/identities', { headers })).json()) as {
          identities: { identityId: number }[];
        };
        return trivet.fetch(`/v1/auth/identities/${identities[0]?.identityId}`, {
          method: 'DELETE',
          headers,
        });
      },
    ],
    ['get /v1/auth/sessions', 'listed', () => trivet.fetch('/v1/auth/sessions?limit=5', { headers: bearer })],
    [
      'delete /v1/auth/sessions/{sessionId}',
      'ended',
      async () => {
        const { accessToken } = await trivet.signIn('eve@example.org');
        const headers = { authorization: `Bearer ${accessToken}` };
        const { sessions } = (await (await trivet.fetch('/v1/auth/sessions', { headers })).json()) as {
          sessions: { sessionId: string }[];
        };
        return trivet.fetch(`/v1/auth/sessions/${sessions[0]?.sessionId}`, { method: 'DELETE', headers });
      },
    ],
    [
      'delete /v1/auth/sessions',
      'ended',
      async () => {
        const { accessToken } = await trivet.signIn('eve@example.org');
        const headers = { authorization: `Bearer ${accessToken}` };
        return trivet.fetch('/v1/auth/sessions', { method: 'DELETE', headers });
      },
    ],
    ['post /v1/auth/token/revoke', 'ended', postJson('/v1/auth/token/revoke', { token: 'nobody knows it' })],
    [`post ${launchPath}`, 'with state', postJson(launchPath, {}, user)],
    [`post ${launchPath}`, 'without state', postJson(launchPath, {}, { ...user, 'auth-userid': '8' })],
    [`post ${launchPath}`, 'of nobody', postJson(launchPath, {}, { ...user, 'x-tenant-id': 'none' })],
    [`post ${launchPath}`, 'gated', postJson(launchPath, {})],
    [`post ${deltaPath}`, 'merged', postJson(deltaPath, {}, user)],
    [`post ${deltaPath}`, 'gated', postJson(deltaPath, {})],
    ['post /cta/events/', 'nothing', postJson('/cta/events/', {}, user)],
    ['get /cta/nudge/preview/{id}', 'found', () => trivet.fetch('/cta/nudge/preview/one')],
    ['get /cta/nudge/preview/{id}', 'unknown', () => trivet.fetch('/cta/nudge/preview/two')],
    ['get /schemas/cta-rule.json', 'a schema', () => trivet.fetch('/schemas/cta-rule.json')],
    [
      'post /api/results',
      'stored',
      async () => {
        const { call } = await toolsOf(trivet);
        const { code } = await call('invite-user', { orgId: 1, role: 'admin' });
        await postJson('/api/tools/accept-invitation', { code }, bearer)();
        const projectName = 'Results';
        await call('create-project', { orgId: 1, projectName });
        const body = new FormData();
        body.append('project', projectName);
        body.append('file', new Blob(['<testsuite name="s"><testcase name="a"/></testsuite>']), 'a.xml');
        return trivet.fetch('/api/results', { method: 'POST', body, headers: bearer });
      },
    ],
    [
      'put /api/attachments',
      'stored',
      () => {
        const path = '/api/attachments?projectId=1&testId=1';
        const headers = { ...bearer, 'x-file-name': 'log.txt' };
        return trivet.fetch(path, { method: 'PUT', body: 'a log', headers });
      },
    ],
    ['get /api/tools', 'listed', () => trivet.fetch('/api/tools', { headers: bearer })],
  ];
  test.each(cases)('%s, %s', async (route, _title, send) => {
    const [method = '', path = ''] = route.split(' ');
    const schema = document.paths[path]?.[method]?.responses['200']?.content?.['application/json']?.schema;
    const response = await send();
    expect(response.status).toBe(200);
    const validate = ajv.compile(schema ?? false);
    validate(await response.json());
    expect(validate.errors ?? []).toEqual([]);
  });
  test('get /api/attachments/{id}, a file', async () => {
    const { content = {} } = document.paths['/api/attachments/{id}']?.['get']?.responses['200'] ?? {};
    expect(Object.keys(content)).toEqual(['application/octet-stream']);
    expect(await (await trivet.fetch('/api/attachments/1', { headers: bearer })).text()).toBe('a log');
  });
  test('get /share/{code}, a page', async () => {
    const { call } = await toolsOf(trivet);
    const made = await call('create-share-link', { projectId: 1 });
    const { content = {} } = document.paths['/share/{code}']?.['get']?.responses['200'] ?? {};
    expect(Object.keys(content)).toEqual(['text/html']);
    const page = await trivet.fetch(new URL(String(made['url'])).pathname);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
  test('each route of the areas is among them', () => {
    const described = Object.entries(document.paths)
      .filter(([path]) => !path.startsWith('/api/tools/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .filter((route) => ![...ofProtocols, ...ofMedia].includes(route));
    expect([...new Set(cases.map(([route]) => route))].sort()).toEqual(described.sort());
  });
});
