import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { closedObject, words } from '../../../core/base/schema.ts';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer, noStore } from '../../../core/http/answer/answer.ts';
import { callerOf } from '../../../core/http/caller/bearer.ts';
import { queryOf } from '../../../core/http/request/query.ts';
import { jsonResult } from '../../../core/http/server/openapi.ts';
import { fail } from '../base/errors.ts';
import { answerClient } from '../oauth-clients/oauth-error.ts';
import { formBody, readForm, requireParameter } from '../oauth/form.ts';
import { areaAnswer } from '../sessions/area-answer.ts';
import { revokedReasons } from '../sessions/ended-session-store.ts';
import { identity } from '../sessions/identity.ts';
import { introspect } from './introspection.ts';
import { feedCursorOf, maxWaitSeconds, revocationsSince, waitSecondsOf } from './revocation-feed.ts';

const security = [{ bearer: [] }];

/** Only a token that was made for this on the server: it learns about the tokens of everybody. @throws Fault UNAUTHENTICATED, FORBIDDEN. */
async function requireService(host: Host, request: Request): Promise<void> {
  const { grants } = await callerOf(host, identity, request);
  if (grants?.includes('introspect')) return;
  throw fail.FORBIDDEN('This needs a personal access token of scope "introspect".', {
    cause: 'scopes',
    tip: 'Run on the server: trivet token create --email … --name … --scopes introspect.',
  });
}

/** The endpoints for services that get access tokens of their users (docs/contract.md, Services). */
export function introspectionRoutes(app: Elysia, host: Host): void {
  const area = areaAnswer(host);
  app.post(
    '/oauth/introspect',
    async ({ request }) => {
      await requireService(host, request);
      return answerClient(host, request, async () => {
        const token = requireParameter(await readForm(request), 'token');
        return jsonAnswer(await introspect(host, token), noStore);
      });
    },
    {
      parse: 'none',
      detail: {
        summary: 'Whether an access token is alive, and what it says (RFC 7662); scope "introspect"',
        security,
        requestBody: formBody(['token', 'token_type_hint']),
        responses: jsonResult(Type.Object({ active: Type.Boolean() })),
      },
    },
  );

  app.get(
    '/v1/auth/revocations',
    async ({ request }) => {
      await requireService(host, request);
      const query = queryOf(request);
      const asked = {
        after: feedCursorOf(query.get('after')),
        waitSeconds: waitSecondsOf(query.get('wait')),
      };
      const page = await revocationsSince(host, asked, request.signal);
      // The token may have ended meanwhile.
      if (asked.waitSeconds > 0) await requireService(host, request);
      return area.success(page, noStore);
    },
    {
      parse: 'none',
      detail: {
        summary:
          'Sessions that ended before their time, from a cursor on; waits for the next one; scope "introspect"',
        security,
        parameters: [
          { name: 'after', in: 'query', schema: Type.String() as never },
          {
            name: 'wait',
            in: 'query',
            schema: Type.Integer({ minimum: 0, maximum: maxWaitSeconds }) as never,
          },
        ],
        responses: area.described(
          closedObject({
            items: Type.Array(
              closedObject({
                sid: Type.String(),
                sub: Type.String(),
                at: Type.String(),
                reason: words(revokedReasons, { description: 'Why it ended.' }),
              }),
            ),
            cursor: Type.String({ description: 'For the next request.' }),
          }),
        ),
      },
    },
  );
}
