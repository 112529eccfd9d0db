import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { callerOf } from '../../../core/http/caller/bearer.ts';
import { readJson } from '../../../core/http/request/body.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { jsonBody } from '../../../core/http/server/openapi.ts';
import { queryOf } from '../../../core/http/request/query.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { run, type Operation } from '../../../core/tools/operation.ts';
import { paging } from '../../../core/tools/page.ts';
import { areaAnswer } from './area-answer.ts';
import { requireText } from './authenticate-request.ts';
import { identity } from './identity.ts';
import { listSessions, revokeSessionOperation } from './session-operations.ts';
import { revokeByToken } from './session-revocation.ts';
import { authWire } from './wire-schema.ts';

const pageParameters = Object.entries(paging).map(([name, schema]) => ({
  name,
  in: 'query' as const,
  schema: schema as never,
}));

const noStore = { 'Cache-Control': 'no-store' };

/** The endpoints that sign a user out, here and on other devices (docs/contract.md, Sessions and personal access tokens). */
export function sessionRoutes(app: Elysia, host: Host): void {
  const area = areaAnswer(host);
  app.post(
    '/v1/auth/token/revoke',
    async ({ request }) => {
      const token = requireText(await readJson(request, 64 * 1024), 'token');
      await revokeByToken(host, token, exchangeOf(request).clientAddress());
      return area.success({}, noStore);
    },
    {
      parse: 'none',
      detail: {
        summary: 'Sign out: revoke the session or the personal access token that a token belongs to',
        description: 'RFC 7009. Returns 200 for an invalid token too: there is nothing left to revoke.',
        requestBody: jsonBody(authWire().RevokeBody),
        responses: area.described(closedObject({})),
      },
    },
  );

  /** Runs an operation for the signed-in user of a request, with the checks, rights and audit entry of a tool call. */
  const forCaller = async (request: Request, operation: Operation, input: object) => {
    const actor = await callerOf(host, identity, request);
    const { signal } = request;
    return area.success(await run(host, operation, input, { actor, surface: 'http', signal }), noStore);
  };
  const security = [{ bearer: [] }];
  const revoked = area.described(closedObject({ revoked: Type.Integer() }));
  app.get('/v1/auth/sessions', ({ request }) => forCaller(request, listSessions, pageFrom(request)), {
    parse: 'none',
    detail: {
      summary: 'List the live sessions of the user; limit and offset page',
      parameters: pageParameters,
      security,
      responses: area.described(listSessions.output),
    },
  });
  app.delete('/v1/auth/sessions', ({ request }) => forCaller(request, revokeSessionOperation, {}), {
    parse: 'none',
    detail: { summary: 'Sign the user out everywhere', security, responses: revoked },
  });
  app.delete(
    '/v1/auth/sessions/:sessionId',
    ({ request, params }) => forCaller(request, revokeSessionOperation, { sessionId: params.sessionId }),
    { parse: 'none', detail: { summary: 'Sign the user out of one session', security, responses: revoked } },
  );
}

/** `?limit=…&offset=…` as numbers; the operation rejects values that are not numbers. */
function pageFrom(request: Request): Record<string, unknown> {
  const numberOf = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : text);
  return Object.fromEntries([...queryOf(request)].map(([name, text]) => [name, numberOf(text)]));
}
