import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { noStore } from '../../../core/http/answer/answer.ts';
import { readJson } from '../../../core/http/request/body.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { jsonBody } from '../../../core/http/server/openapi.ts';
import { admit, admitUnlessSpent } from '../../../core/http/rate/rate-limit.ts';
import { areaAnswer } from '../sessions/area-answer.ts';
import { authLimits } from '../sessions/rate-limits.ts';
import { signInClientOf } from '../sessions/sign-in.ts';
import { identityWire } from '../sessions/wire-schema.ts';
import { createGuest, parseGuest, requireGuests } from './guest-sign-in.ts';

/** The endpoint with which an app lets somebody begin without signing in (docs/contract.md, Guests). */
export function guestRoutes(app: Elysia, host: Host): void {
  const limits = authLimits(host);
  const wire = identityWire();
  const area = areaAnswer(host);
  app.post(
    '/v1/auth/guest',
    async ({ request }) => {
      requireGuests(host);
      const client = signInClientOf(request);
      const network = networkOf(client.address);
      // Before the body is read. What is refused below is not counted: one app that forgets its guest at each start, or sends what is no
      // request, must not use up what its whole network may have.
      admitUnlessSpent(request, limits.guest, network);
      const asked = parseGuest(await readJson(request, 16 * 1024));
      if (asked.installId !== undefined) admit(request, limits.guestInstall, asked.installId);
      admit(request, limits.guest, network);
      return area.success(await createGuest(host, asked, client), noStore);
    },
    {
      parse: 'none',
      detail: {
        summary: 'Begin as a guest: a user without any identity, who may link one later',
        description: 'Needs --guests. Each call creates a guest.',
        requestBody: jsonBody(wire.GuestBody),
        responses: area.described(wire.GuestAnswer),
      },
    },
  );
}
