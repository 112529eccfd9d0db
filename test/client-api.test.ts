import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { coreErrors } from '../core/base/errors.ts';
import { authErrors } from '../modules/auth/base/errors.ts';
import { mintDevIdToken } from '../modules/auth/providers/dev-provider.ts';
import { createPersonalToken, madeOnMachine } from '../modules/auth/personal-tokens/personal-token-store.ts';
import { unlimitedScope } from '../modules/auth/personal-tokens/token-scope.ts';
import { ctaErrors } from '../modules/cta/base/errors.ts';
import { examples } from '../modules/cta/testing/rule-page.ts';
import { asShown, codesOfAll, errorRows, foreignCodes, page, sections } from './client-api.ts';
import { cleanEnvironment } from './executable.ts';
import { startTestKernel, type TestKernel } from './kernel.ts';
import { deltaPath, launchPath } from './served.ts';
import { temporaryDirectory } from './temporary.ts';
import { toolsOf } from './tools.ts';

/*
 * docs/client-api.md is complete and true: it describes every route that an app calls, every field of its bodies and every code, and its
 * commands print what it shows.
 *
 * Mutation note: seen to fail when a section is taken out, when a code is taken out of the table or out of a line "Errors", when a field is
 * renamed in the page, and when a command shows another answer.
 */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Described {
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
let trivet: TestKernel;
let described: ReadonlyMap<string, Described>;

beforeAll(async () => {
  trivet = await startTestKernel({ settings: { guests: 'true' } });
  const { paths } = (await (await trivet.fetch('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Described>>;
  };
  // Routes for agents, operators and tools, for their sign-in, and for whoever reads a shared report.
  const others = /^\/(?:api|mcp|share|healthz|readyz|openapi|oauth|\.well-known\/oauth-)/;
  described = new Map(
    Object.entries(paths)
      .filter(([path]) => !others.test(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, route]) => [`${method} ${path}`, route] as const),
      ),
  );
});
afterAll(() => trivet.stop());

const schemaOf = ({ content }: Content = {}): Schema => content?.['application/json']?.schema ?? {};

test('the page has every route that an app calls, and no other', () => {
  expect(sections.map(({ route }) => route).toSorted()).toEqual([...described.keys()].toSorted());
});

test.each(sections.map((section) => [section.route, section] as const))(
  '%s: every parameter, field of the body and field of the answer is named',
  (route, { text, shown }) => {
    const found = described.get(route);
    const isAreaB = route.includes(' /cta/');
    // The headers and the body of the launch are described once, for the delta too.
    const area = isAreaB ? page.slice(page.indexOf('## Calls to action')) : text;
    const body = Object.keys(schemaOf(found?.requestBody).properties ?? {});
    const parameters = (found?.parameters ?? []).map(({ name }) => name);
    const missing = [...body, ...parameters].filter(
      (name) => !area.includes(`\`${name}\``) && !text.includes(`{${name}}`),
    );
    const answered = Object.keys(schemaOf(found?.responses['200']).properties ?? {});
    const unknown = answered.filter(
      (name) => !Object.hasOwn(shown as object, name) && !text.includes(`\`${name}\``),
    );
    // The page shows only a part of these two responses.
    const inPart = ['get /.well-known/jwks.json', 'get /schemas/cta-rule.json'];
    expect({ missing, unknown: inPart.includes(route) ? [] : unknown }).toEqual({ missing: [], unknown: [] });
  },
);

describe('codes', () => {
  const catalogue: Readonly<Record<string, { readonly status: number }>> = {
    ...coreErrors,
    ...authErrors,
    ...ctaErrors,
  };
  test('each code of the catalogues is in the table with its status, or among those that apps do not get', () => {
    expect([...errorRows.keys(), ...foreignCodes].toSorted()).toEqual(Object.keys(catalogue).toSorted());
    const statuses = [...errorRows.keys()].map((code) => [code, catalogue[code]?.status]);
    expect([...errorRows]).toEqual(statuses as never);
  });
  test('each code of the table is that of a route, and the other way round', () => {
    const named = new Set([...codesOfAll, ...sections.flatMap(({ errors }) => errors)]);
    expect([...named].toSorted()).toEqual([...errorRows.keys()].toSorted());
  });
  test('the sentence below the table names the codes that every route can return', () => {
    const sentence =
      /^Every route can return the codes from `(\w+)` on, except `(\w+)` to `(\w+)`\.$/m.exec(page) ?? [];
    const codes = [...errorRows.keys()];
    const [first = -1, from = -1, to = -1] = sentence.slice(1).map((code) => codes.indexOf(code));
    expect(Math.min(first, from, to)).toBeGreaterThan(0);
    const meant = codes.filter((_, at) => at >= first && (at < from || at > to));
    expect(meant).toEqual(codesOfAll);
  });
});

/** Requests that are refused: each returned code is on the errors line of its route, or is one of the codes common to all routes. */
describe('refusals', () => {
  const user = { 'auth-userid': '7', api_version: '1' };
  const other = { ...user, authorization: 'Bearer nonsense' };
  const asked = {
    responseType: 'token',
    grantType: 'id_token',
    identifier: 'x',
    idProvider: 'dev',
    resources: [],
  };
  const signIn = 'post /v1/auth/social/authenticate';
  const cases: readonly (readonly [
    route: string,
    code: string,
    body?: unknown,
    headers?: Record<string, string>,
  ])[] = [
    [signIn, 'INVALID_JSON', '{'],
    [signIn, 'INVALID_REQUEST', {}],
    [signIn, 'UNSUPPORTED_RESPONSE_TYPE', { ...asked, responseType: 'code' }],
    [signIn, 'UNSUPPORTED_GRANT_TYPE', { ...asked, grantType: 'password' }],
    [signIn, 'UNKNOWN_ID_PROVIDER', { ...asked, idProvider: 'nobody' }],
    [signIn, 'INVALID_ID_TOKEN', asked],
    [signIn, 'PAYLOAD_TOO_LARGE', { ...asked, identifier: 'x'.repeat(17_000) }],
    [signIn, 'UNSUPPORTED_MEDIA_TYPE', asked, { 'content-type': 'text/plain' }],
    ['post /v1/auth/token/refresh', 'INVALID_JSON', '{'],
    ['post /v1/auth/token/refresh', 'INVALID_REQUEST', {}],
    ['post /v1/auth/token/refresh', 'INVALID_REFRESH_TOKEN', { refreshToken: 'x' }],
    ['post /v1/auth/token/revoke', 'INVALID_REQUEST', {}],
    ['get /v1/auth/revocations', 'UNAUTHENTICATED'],
    ['post /v1/auth/guest', 'INVALID_JSON', '{'],
    ['post /v1/auth/guest', 'INVALID_REQUEST', {}],
    ['post /v1/auth/link', 'UNAUTHENTICATED', {}],
    ['get /v1/auth/identities', 'UNAUTHENTICATED'],
    ['delete /v1/auth/identities/{identityId}', 'UNAUTHENTICATED'],
    ['get /v1/auth/sessions', 'UNAUTHENTICATED'],
    ['delete /v1/auth/sessions', 'UNAUTHENTICATED'],
    ['delete /v1/auth/sessions/{sessionId}', 'UNAUTHENTICATED'],
    [`post ${launchPath}`, 'INVALID_REQUEST', '{', user],
    [`post ${launchPath}`, 'INVALID_REQUEST', {}, { api_version: '1' }],
    [`post ${launchPath}`, 'UNAUTHENTICATED', {}, other],
    [`post ${deltaPath}`, 'INVALID_REQUEST', { ctas: 1 }, user],
    [`post ${deltaPath}`, 'UNAUTHENTICATED', {}, other],
    ['get /cta/nudge/preview/{id}', 'INVALID_REQUEST', undefined, { 'x-tenant-id': '?' }],
    ['get /cta/nudge/preview/{id}', 'UNAUTHENTICATED', undefined, { authorization: 'Bearer nonsense' }],
  ];
  // An additional argument of the callback would be the `done` callback.
  test.each(cases.map((one) => [`${one[0]}: ${one[1]}`, one] as const))('%s', async (_, one) => {
    const [route, code, body, headers = {}] = one;
    const [method = '', path = ''] = route.split(' ');
    const response = await trivet.fetch(path, {
      method: method.toUpperCase(),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { error } = (await response.json()) as { error: { code: string } };
    const section = sections.find((one) => one.route === route);
    expect({ code: error.code, status: response.status }).toEqual({ code, status: errorRows.get(code) ?? 0 });
    expect([...(section?.errors ?? []), ...codesOfAll]).toContain(code);
  });

  test('the token of somebody else', async () => {
    const { accessToken } = await trivet.signIn('eve@example.org');
    for (const path of [launchPath, deltaPath]) {
      const { body } = await trivet.post(path, {}, accessToken, user);
      expect(body).toMatchObject({ error: { code: 'FORBIDDEN' } });
      expect(sections.find(({ route }) => route === `post ${path}`)?.errors).toContain('FORBIDDEN');
    }
  });
});

/** As `trivet token create --scopes introspect` makes it. */
async function serviceToken({ kernel: { host } }: TestKernel): Promise<string> {
  const scope = { ...unlimitedScope, toolsets: [], grants: ['introspect'] };
  const given = { userId: 1, name: 'shop', scope, expiresAt: null, madeWith: madeOnMachine };
  return (await host.db.tx((q) => createPersonalToken(host, q, given))).token;
}

test('the commands of the page, in its order, answer what it shows', async () => {
  const fresh = await startTestKernel({ settings: { guests: 'true' } });
  try {
    const { call } = await toolsOf(fresh);
    const { ctaId } = await call('create-cta', { ...examples[0]?.blocks[0] });
    await call('set-cta-status', { ctaId, status: 'LIVE' });
    await call('create-nudge-preview', { id: 'welcome-1', template: '<p>Welcome!</p>' });
    const addresses = ['ann@example.org', 'ann@example.org', 'gus@example.org', 'gus@work.example'];
    const tokens = addresses.map((address) => mintDevIdToken(fresh.kernel.host, address));
    const [first = '', second = '', ofGuest = '', other = ''] = await Promise.all(tokens);
    const mark = '=== next ===';
    const child = Bun.spawn(
      ['bash', '-ec', sections.map(({ commands }) => commands).join(`\necho '${mark}'\n`)],
      {
        cwd: temporaryDirectory('client-api'),
        env: cleanEnvironment({
          PATH: process.env['PATH'] ?? '',
          TRIVET: fresh.origin,
          ID_TOKEN: first,
          SECOND_ID_TOKEN: second,
          GUEST_ID_TOKEN: ofGuest,
          SERVICE: await serviceToken(fresh),
          OTHER_ID_TOKEN: other,
        }),
        stdout: 'pipe',
        stderr: 'pipe',
      },
    );
    const [printed, wrong] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ exitCode: await child.exited, wrong }).toEqual({ exitCode: 0, wrong: '' });
    const answers = printed.split(mark).map((text) => JSON.parse(text) as unknown);
    expect(answers.length).toBe(sections.length);
    for (const [index, { route, shown }] of sections.entries()) {
      expect([route, asShown(answers[index], shown)]).toEqual([route, shown]);
    }
  } finally {
    await fresh.stop();
  }
});
