import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer, noStore } from '../../../core/http/answer/answer.ts';
import { callerOf } from '../../../core/http/caller/bearer.ts';
import { readJson } from '../../../core/http/request/body.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { jsonBody, jsonResult } from '../../../core/http/server/openapi.ts';
import { admit, admitUnlessSpent } from '../../../core/http/rate/rate-limit.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { organizationsOf } from '../people/organization-store.ts';
import { seenRoles } from '../people/seen-roles.ts';
import { userById } from '../people/user-store.ts';
import { extraClaims } from '../claims/claim-rules.ts';
import { sessionById } from '../sessions/session-store.ts';
import { logoutPath } from '../providers/provider-callback.ts';
import { identity } from '../sessions/identity.ts';
import { authLimits } from '../sessions/rate-limits.ts';
import { revokeByToken } from '../sessions/session-revocation.ts';
import { audiencesOf } from './authorize-request.ts';
import { registerClient } from '../oauth-clients/client-registration.ts';
import { requestDevice } from './device-request.ts';
import { endByProvider } from './backchannel-logout.ts';
import { formBody, readForm, requireParameter, type Parameters } from './form.ts';
import { clientOf } from '../oauth-clients/client-lookup.ts';
import { answerClient, OauthError } from '../oauth-clients/oauth-error.ts';
import { oauthLimits } from '../oauth-clients/oauth-limits.ts';
import { grantScope } from './oauth-scope.ts';
import { redeemCode, redeemDeviceCode, redeemRefreshToken } from './token-grant.ts';

const maxMetadata = 16 * 1024;

/** A success response of texts, and of the named numbers, for the API description. */
const answerOf = (texts: readonly string[], numbers: readonly string[] = []) =>
  jsonResult(
    closedObject({
      ...Object.fromEntries(texts.map((name) => [name, Type.String()])),
      ...Object.fromEntries(numbers.map((name) => [name, Type.Integer()])),
    }),
  );

/** The endpoints that programs call: registration, tokens, devices, and who a token belongs to. */
export function clientRoutes(app: Elysia, host: Host): void {
  for (const add of [addRegistration, addTokens, addRevocation, addDeviceRequest, addUserinfo, addLogout])
    add(app, host);
}

const network = (request: Request) => networkOf(exchangeOf(request).clientAddress());

function addRegistration(app: Elysia, host: Host): void {
  const limits = oauthLimits(host);
  app.post(
    '/oauth/register',
    ({ request }) =>
      answerClient(host, request, async () => {
        admit(request, limits.register, network(request));
        const registered = registerClient(host, await readJson(request, maxMetadata));
        return new Response(JSON.stringify(registered), {
          status: 201,
          headers: { 'Content-Type': 'application/json', ...noStore },
        });
      }),
    {
      parse: 'none',
      detail: {
        summary: 'Register a client (RFC 7591); nothing is stored',
        requestBody: jsonBody(Type.Object({ redirect_uris: Type.Array(Type.String()) })),
      },
    },
  );
}

function addTokens(app: Elysia, host: Host): void {
  const limits = oauthLimits(host);
  app.post(
    '/oauth/token',
    ({ request }) =>
      answerClient(host, request, async () => {
        admitUnlessSpent(request, limits.token, network(request));
        try {
          return jsonAnswer(await tokensFor(host, request, await readForm(request)), noStore);
        } catch (error) {
          if (error instanceof OauthError && error.code === 'invalid_grant')
            limits.token.take(network(request));
          throw error;
        }
      }),
    {
      parse: 'none',
      detail: {
        summary: 'Exchange a code, the code of a device or a refresh token for tokens (RFC 6749 §3.2)',
        requestBody: formBody([
          'grant_type',
          'client_id',
          'code',
          'redirect_uri',
          'code_verifier',
          'device_code',
          'refresh_token',
          'scope',
          'resource',
        ]),
        responses: answerOf(['access_token', 'token_type', 'refresh_token', 'scope'], ['expires_in']),
      },
    },
  );
}

function addRevocation(app: Elysia, host: Host): void {
  app.post(
    '/oauth/revoke',
    ({ request }) =>
      answerClient(host, request, async () => {
        const token = requireParameter(await readForm(request), 'token');
        await revokeByToken(host, token, exchangeOf(request).clientAddress());
        return jsonAnswer({}, noStore);
      }),
    {
      parse: 'none',
      detail: {
        summary: 'Sign out: revoke what a token belongs to (RFC 7009)',
        requestBody: formBody(['token', 'client_id']),
        responses: answerOf([]),
      },
    },
  );
}

function addDeviceRequest(app: Elysia, host: Host): void {
  const limits = oauthLimits(host);
  app.post(
    '/oauth/device_authorization',
    ({ request }) =>
      answerClient(host, request, async () => {
        admit(request, limits.device, network(request));
        const form = await readForm(request);
        const { id: clientId } = await clientOf(host, requireParameter(form, 'client_id'));
        const audience = audienceIn(host, form);
        const scope = grantScope(host, form.one('scope')?.slice(0, 1_000));
        return jsonAnswer(await requestDevice(host, { clientId, scope, audience }), noStore);
      }),
    {
      parse: 'none',
      detail: {
        summary: 'Ask for a code that a person enters in a browser (RFC 8628)',
        requestBody: formBody(['client_id', 'scope', 'resource']),
        responses: answerOf(['device_code', 'user_code', 'verification_uri'], ['expires_in', 'interval']),
      },
    },
  );
}

function addLogout(app: Elysia, host: Host): void {
  const limits = authLimits(host);
  app.post(
    logoutPath,
    ({ request }) =>
      answerClient(host, request, async () => {
        const client = network(request);
        admit(request, limits.logout, client);
        admitUnlessSpent(request, limits.failures, client);
        const token = requireParameter(await readForm(request), 'logout_token');
        try {
          await endByProvider(host, token, exchangeOf(request).clientAddress());
        } catch (error) {
          if (error instanceof OauthError) limits.failures.take(client);
          throw error;
        }
        return jsonAnswer({}, noStore);
      }),
    {
      parse: 'none',
      detail: {
        summary: 'An identity provider ends sessions (OpenID Connect Back-Channel Logout 1.0)',
        requestBody: formBody(['logout_token']),
        responses: answerOf([]),
      },
    },
  );
}

function addUserinfo(app: Elysia, host: Host): void {
  app.get(
    '/oauth/userinfo',
    async ({ request }) => {
      const origin = host.origin();
      const actor = await callerOf(host, identity, request, [origin, `${origin}/mcp`]);
      const { userId, via, credential } = actor;
      const roles = await seenRoles(host, actor);
      const user = await userById(host.db.q, userId);
      const found =
        via === 'session' ? await sessionById(host.db.q, credential.slice('session:'.length)) : undefined;
      const organizations = (await organizationsOf(host.db.q, roles)).map(({ id, name }) => ({
        orgId: id,
        orgName: name,
        role: roles.get(id),
      }));
      const { email = null, emailVerified, name = null } = user ?? {};
      const about = {
        ...(email === null ? {} : { email, email_verified: emailVerified }),
        ...(name === null ? {} : { name }),
      };
      const claims = {
        ...extraClaims(found?.session.claims ?? null, user?.claims ?? null),
        ...(actor.isGuest ? { is_guest: true } : {}),
      };
      return jsonAnswer({ ...claims, sub: String(userId), ...about, organizations }, noStore);
    },
    {
      parse: 'none',
      detail: {
        summary: 'Whose token this is, and the roles of that person',
        security: [{ bearer: [] }],
        responses: jsonResult(
          Type.Object({ sub: Type.String(), organizations: Type.Array(Type.Object({})) }),
        ),
      },
    },
  );
}

/** @throws OauthError invalid_target. */
function audienceIn(host: Host, { resources }: Parameters): readonly string[] {
  const audience = audiencesOf(host, resources);
  if (audience === null) throw new OauthError('invalid_target', 'resource must be this server or its /mcp.');
  return audience;
}

async function tokensFor(host: Host, request: Request, form: Parameters) {
  const grantType = requireParameter(form, 'grant_type');
  const clientId = requireParameter(form, 'client_id');
  // The audience is what the person agreed to; a foreign one is refused here too.
  audienceIn(host, form);
  switch (grantType) {
    case 'authorization_code':
      return redeemCode(host, {
        clientId,
        code: requireParameter(form, 'code'),
        redirectUri: requireParameter(form, 'redirect_uri'),
        verifier: requireParameter(form, 'code_verifier'),
      });
    case 'urn:ietf:params:oauth:grant-type:device_code':
      return redeemDeviceCode(host, { clientId, deviceCode: requireParameter(form, 'device_code') });
    case 'refresh_token': {
      const client = {
        address: exchangeOf(request).clientAddress(),
        userAgent: request.headers.get('user-agent'),
      };
      const given = {
        clientId,
        refreshToken: requireParameter(form, 'refresh_token'),
        scope: form.one('scope'),
      };
      return redeemRefreshToken(host, given, client, (sessionId) =>
        admit(request, authLimits(host).refresh, sessionId),
      );
    }
    default:
      throw new OauthError(
        'unsupported_grant_type',
        'Use authorization_code, refresh_token or the grant of devices.',
      );
  }
}
