import type { Elysia } from 'elysia';
import { Fault } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer, noStore } from '../../../core/http/answer/answer.ts';
import { bearerOf } from '../../../core/http/caller/bearer.ts';
import { readJson } from '../../../core/http/request/body.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { jsonBody, jsonResult } from '../../../core/http/server/openapi.ts';
import { admit, admitUnlessSpent } from '../../../core/http/rate/rate-limit.ts';
import { keyRing } from '../keys/key-ring.ts';
import { devProviderName, refuseForwarded } from '../providers/dev-provider.ts';
import { verifyAccessToken } from './access-token.ts';
import { areaAnswer } from './area-answer.ts';
import { parseAuthenticate, requireText } from './authenticate-request.ts';
import { authLimits } from './rate-limits.ts';
import { refresh, refreshClaims } from './refresh.ts';
import { liveSession } from './session-store.ts';
import { authenticate, signInClientOf } from './sign-in.ts';
import { authWire } from './wire-schema.ts';

const bodyLimit = 64 * 1024;

/** The endpoints of Area A that create, verify and refresh tokens, and the documents for libraries that verify them. */
export function authRoutes(app: Elysia, host: Host): void {
  const limits = authLimits(host);
  const wire = authWire();
  const area = areaAnswer(host);
  app.post(
    '/v1/auth/social/authenticate',
    async ({ request }) => {
      const client = signInClientOf(request);
      const network = networkOf(client.address);
      admit(request, limits.authenticate, network);
      admitUnlessSpent(request, limits.failures, network);
      const asked = parseAuthenticate(await readJson(request, bodyLimit));
      if (asked.idProvider === devProviderName) refuseForwarded(host, request);
      try {
        return area.success(await authenticate(host, asked, client), noStore);
      } catch (error) {
        if (error instanceof Fault && (error.status === 401 || error.status === 403))
          limits.failures.take(network);
        throw error;
      }
    },
    {
      parse: 'none',
      detail: {
        summary: "Exchange an identity provider's ID token for tokens",
        requestBody: jsonBody(wire.AuthenticateBody),
        responses: area.described(wire.AuthenticateAnswer),
      },
    },
  );

  app.get(
    '/v1/auth/token/verify',
    async ({ request }) => {
      admit(request, limits.verify, networkOf(exchangeOf(request).clientAddress()));
      return area.success({ isAuthTokenValid: await isLive(host, request) }, noStore);
    },
    {
      parse: 'none',
      detail: {
        summary: 'Whether the bearer token is a live access token',
        security: [{ bearer: [] }],
        responses: area.described(wire.VerifyAnswer),
      },
    },
  );

  app.post(
    '/v1/auth/token/refresh',
    async ({ request }) => {
      const body = await readJson(request, bodyLimit);
      const claims = await refreshClaims(host, requireText(body, 'refreshToken'));
      admit(request, limits.refresh, claims.sid);
      return area.success(await refresh(host, claims, signInClientOf(request)), noStore);
    },
    {
      parse: 'none',
      detail: {
        summary: 'Exchange a refresh token for new tokens',
        requestBody: jsonBody(wire.RefreshBody),
        responses: area.described(wire.RefreshAnswer),
      },
    },
  );

  app.get('/.well-known/jwks.json', async () => jsonAnswer(await keyRing(host).published(), publicKeys), {
    parse: 'none',
    detail: { summary: 'The public keys of our tokens', responses: jsonResult(wire.KeySet) },
  });
}

const publicKeys = { 'Cache-Control': 'public, max-age=300' };

/** Anything but a live access token of ours is false, not an error (docs/contract.md, Verify). */
async function isLive(host: Host, request: Request): Promise<boolean> {
  const bearer = bearerOf(request);
  const claimed = bearer ? await verifyAccessToken(host, bearer) : null;
  if (!claimed) return false;
  const session = await liveSession(host.db.q, claimed.sessionId, host.clock.now());
  return session?.userId === claimed.userId;
}
