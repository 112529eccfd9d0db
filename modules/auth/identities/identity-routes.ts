import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { isoTime } from '../../../core/base/clock.ts';
import { Fault } from '../../../core/base/errors.ts';
import { closedObject } from '../../../core/base/schema.ts';
import type { Host } from '../../../core/host/host.ts';
import { noStore } from '../../../core/http/answer/answer.ts';
import { readJson } from '../../../core/http/request/body.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { jsonBody } from '../../../core/http/server/openapi.ts';
import { admit, admitUnlessSpent } from '../../../core/http/rate/rate-limit.ts';
import { fail } from '../base/errors.ts';
import { identitiesOfUser } from '../people/identity-store.ts';
import { devProviderName, refuseForwarded } from '../providers/dev-provider.ts';
import { areaAnswer } from '../sessions/area-answer.ts';
import { authLimits } from '../sessions/rate-limits.ts';
import { sessionById } from '../sessions/session-store.ts';
import { signInClientOf } from '../sessions/sign-in.ts';
import { identityWire } from '../sessions/wire-schema.ts';
import { unlinkIdentity } from './identity-removal.ts';
import { linkIdentity } from './link.ts';
import { parseLink } from './link-request.ts';
import { ownSessionOf, requireUnlimited } from './own-session.ts';

const security = [{ bearer: [] }];

/** The endpoints for the identities with which a user signs in (docs/contract.md, Identities). */
export function identityRoutes(app: Elysia, host: Host): void {
  const limits = authLimits(host);
  const wire = identityWire();
  const area = areaAnswer(host);
  app.post(
    '/v1/auth/link',
    async ({ request }) => {
      const client = signInClientOf(request);
      const network = networkOf(client.address);
      // It says whether an ID token is good, as a sign-in does.
      admit(request, limits.authenticate, network);
      admitUnlessSpent(request, limits.failures, network);
      const own = await ownSessionOf(host, request);
      const asked = parseLink(await readJson(request, 64 * 1024));
      if (asked.idProvider === devProviderName) refuseForwarded(host, request);
      try {
        return area.success(await linkIdentity(host, own, asked, client), noStore);
      } catch (error) {
        if (error instanceof Fault && (error.status === 401 || error.status === 403))
          limits.failures.take(network);
        throw error;
      }
    },
    {
      parse: 'none',
      detail: {
        summary: 'Link an identity to the user of the bearer token; a guest becomes a user with it',
        security,
        requestBody: jsonBody(wire.LinkBody),
        responses: area.described(wire.LinkAnswer),
      },
    },
  );

  app.get(
    '/v1/auth/identities',
    async ({ request }) => {
      const { userId, sessionId } = await ownSessionOf(host, request);
      const found = await sessionById(host.db.q, sessionId);
      if (found) requireUnlimited(found.session);
      const rows = await identitiesOfUser(host.db.q, userId);
      const identities = rows.map(({ id, provider, createdAt }) => ({
        identityId: id,
        provider,
        linkedAt: isoTime(createdAt),
      }));
      return area.success({ identities }, noStore);
    },
    {
      parse: 'none',
      detail: {
        summary: 'List the identities with which the user signs in',
        security,
        responses: area.described(wire.IdentitiesAnswer),
      },
    },
  );

  app.delete(
    '/v1/auth/identities/:identityId',
    async ({ request, params }) => {
      const own = await ownSessionOf(host, request);
      const identityId = identityIdOf(params.identityId);
      const { address } = signInClientOf(request);
      return area.success(await unlinkIdentity(host, own, identityId, address), noStore);
    },
    {
      parse: 'none',
      detail: {
        summary: 'Remove an identity from the user; the last one stays',
        security,
        responses: area.described(
          closedObject({ identityId: Type.Integer(), sessionsEnded: Type.Integer() }),
        ),
      },
    },
  );
}

/** Elysia gives null for a path that is not UTF-8. @throws Fault IDENTITY_NOT_FOUND. */
function identityIdOf(text: string | null): number {
  const identityId = /^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : undefined;
  if (identityId === undefined) throw fail.IDENTITY_NOT_FOUND('There is no such identity.');
  return identityId;
}
