import * as fc from 'fast-check';
import { deltaPath, launchPath, type Served } from '../served.ts';
import { hostile, spoilt, type Pool } from './arguments.ts';
import { bearer, headerValue, json, mediaType, sent } from './requests.ts';
import type { Sent } from './target.ts';

const long = fc.oneof(fc.maxSafeInteger(), fc.nat(1000));
const machine = fc.record(
  {
    currentState: fc.constantFrom('0', '1', ''),
    lastTransitionAt: long,
    createdAt: long,
    context: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
    reset: fc.boolean(),
  },
  { requiredKeys: ['currentState', 'lastTransitionAt', 'createdAt'] },
);
const window = fc.record({
  limit: fc.nat(9),
  unit: fc.constantFrom('days', 'hours', 'weeks'),
  value: fc.nat(9),
});

function snapshotBody(pool: Pool): fc.Arbitrary<unknown> {
  const ctaId = fc.nat(40).map((nth) => pool.draw('ctaId', nth) ?? 'unknown');
  const cta = fc.record(
    {
      ctaId,
      activeStateMachines: fc.dictionary(fc.string({ maxLength: 6 }), machine, { maxKeys: 3 }),
      resetAt: fc.array(long, { maxLength: 5 }),
      actionDoneAt: fc.array(long, { maxLength: 5 }),
    },
    { requiredKeys: ['ctaId', 'activeStateMachines'] },
  );
  const rule = fc.record({
    rule: fc.constantFrom('ANY', 'LIST', 'REST', 'NONE'),
    ctaList: fc.array(ctaId, { maxLength: 3 }),
  });
  const tag = fc.record({
    behaviourTagName: fc.nat(40).map((nth) => pool.draw('behaviourTagName', nth) ?? 'tag'),
    exposureRule: fc.record(
      { session: fc.record({ limit: fc.nat(9) }), window, lifespan: fc.record({ limit: fc.nat(9) }) },
      { requiredKeys: [] },
    ),
    ctaRelation: fc.record(
      { shownCta: rule, hideCta: rule, activeCtas: fc.array(ctaId, { maxLength: 3 }) },
      { requiredKeys: [] },
    ),
  });
  const body = fc.record(
    {
      ctas: fc.uniqueArray(cta, { maxLength: 3, selector: ({ ctaId }) => ctaId }),
      behaviourTags: fc.array(tag, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  const spoiling = fc.record({
    place: fc.nat(80),
    how: fc.constantFrom('replace', 'leave out', 'add', 'rename'),
    value: hostile,
  });
  return fc.oneof(
    body,
    fc.tuple(body, spoiling).map(([value, how]) => spoilt(value, how)),
    hostile,
  );
}

/** Every route other than tools and MCP. */
export function routeRequest(served: Served, pool: Pool, token: () => string): fc.Arbitrary<Sent> {
  const type = { 'content-type': mediaType };
  const authorization = { authorization: fc.constant('').chain(() => bearer(token())) };
  const user = fc.oneof({ weight: 6, arbitrary: fc.nat(50).map(String) }, headerValue);
  const client = {
    ...type,
    'auth-userid': user,
    api_version: fc.oneof({ weight: 8, arbitrary: fc.constant('1') }, headerValue),
    'x-tenant-id': fc.oneof({ weight: 4, arbitrary: fc.constant('default') }, headerValue),
    app_version: headerValue,
    package_name: headerValue,
    hotupdate_version: headerValue,
  };
  const signIn = fc.record(
    {
      responseType: fc.constantFrom('token', 'id_token', 'token id_token', 'code'),
      grantType: fc.constantFrom('authorization_code', 'id_token', 'password'),
      identifier: fc.oneof(
        fc.constant(served.idToken),
        fc.string(),
        fc.nat().map((at) => blurredToken(served.idToken, at)),
      ),
      idProvider: fc.constantFrom('dev', 'google', 'DEV', ''),
      resources: fc.array(fc.string(), { maxLength: 3 }),
    },
    { requiredKeys: ['responseType', 'grantType', 'identifier', 'idProvider'] },
  );
  const spoiling = fc.record({
    place: fc.nat(9),
    how: fc.constantFrom('replace', 'leave out', 'add', 'rename'),
    value: hostile,
  });
  const orSpoilt = (value: fc.Arbitrary<unknown>) =>
    fc.oneof(
      value,
      fc.tuple(value, spoiling).map(([whole, how]) => spoilt(whole, how)),
    );
  const tokenBody = (key: string) =>
    fc.record({ [key]: fc.oneof(fc.constant(served.idToken), fc.string(), hostile) });
  const pieces = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      '%',
      '%00',
      '%ff',
      '%2e%2e',
      '..',
      '.',
      '%2F',
      '',
      'a'.repeat(3000),
      '%F0%9F',
      '__proto__',
      'ä',
    ),
  );
  const anyPath = fc
    .tuple(
      fc.constantFrom(
        '/',
        '//',
        '/v1/auth/',
        '/cta/',
        '/api/tools/',
        '/mcp/',
        '/.well-known/',
        '/cta/nudge/preview/',
        '/v1/auth/sessions/',
      ),
      fc.array(pieces, { maxLength: 4 }),
    )
    .map(([start, rest]) => start + rest.join('/'));
  const query = fc.oneof(
    fc.constant(''),
    fc.constantFrom(
      '?limit=1&offset=0',
      '?limit=-1',
      '?limit=x',
      '?limit=1&limit=2',
      '?%00',
      '?offset=99999999999999999999',
    ),
  );
  return fc.oneof(
    { weight: 4, arbitrary: sent('POST', launchPath, client, json(snapshotBody(pool))) },
    { weight: 4, arbitrary: sent('POST', deltaPath, client, json(snapshotBody(pool))) },
    { weight: 2, arbitrary: sent('POST', '/v1/auth/social/authenticate', type, json(orSpoilt(signIn))) },
    {
      weight: 2,
      arbitrary: sent('POST', '/v1/auth/token/refresh', type, json(orSpoilt(tokenBody('refreshToken')))),
    },
    {
      weight: 1,
      arbitrary: sent(
        'POST',
        '/v1/auth/guest',
        type,
        json(orSpoilt(fc.record({ resources: fc.constant([]) }))),
      ),
    },
    { weight: 1, arbitrary: sent('POST', '/v1/auth/link', authorization, json(orSpoilt(signIn))) },
    { weight: 1, arbitrary: sent('GET', '/v1/auth/identities', authorization) },
    { weight: 1, arbitrary: sent('GET', '/v1/auth/revocations', authorization) },
    {
      weight: 1,
      arbitrary: sent(
        'DELETE',
        pieces.map((text) => `/v1/auth/identities/${text}`),
        authorization,
      ),
    },
    { weight: 1, arbitrary: sent('POST', '/v1/auth/token/revoke', type, json(orSpoilt(tokenBody('token')))) },
    { weight: 1, arbitrary: sent('GET', '/v1/auth/token/verify', authorization) },
    {
      weight: 1,
      arbitrary: sent(
        'GET',
        query.map((text) => `/v1/auth/sessions${text}`),
        authorization,
      ),
    },
    {
      weight: 1,
      arbitrary: sent(
        'DELETE',
        pieces.map((text) => `/v1/auth/sessions/${text}`),
        authorization,
      ),
    },
    {
      weight: 2,
      arbitrary: sent(
        'GET',
        pieces.map((text) => `/cta/nudge/preview/${text}`),
        client,
      ),
    },
    {
      weight: 1,
      arbitrary: sent(
        'GET',
        fc.constantFrom(
          '/healthz',
          '/openapi.json',
          '/docs',
          '/docs/testmgmt',
          '/.well-known/jwks.json',
          '/.well-known/openid-configuration',
          '/schemas/cta-rule.json',
          '/api/tools',
        ),
        authorization,
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD').chain((method) =>
        sent(method, anyPath, {
          ...authorization,
          origin: headerValue,
          'x-request-id': headerValue,
          'x-forwarded-for': headerValue,
        }),
      ),
    },
  );
}

function blurredToken(token: string, at: number): string {
  const index = at % token.length;
  return `${token.slice(0, index)}A${token.slice(index + 1)}`;
}
