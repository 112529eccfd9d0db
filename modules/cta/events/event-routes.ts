import { Type } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer } from '../../../core/http/answer/answer.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { hasBody, isMediaType, readAll, requireUncompressed } from '../../../core/http/request/body.ts';
import { jsonBody, jsonResult } from '../../../core/http/server/openapi.ts';
import { fail } from '../base/errors.ts';
import { admitUser } from '../launch/caller-check.ts';
import { parseClientHeaders, type GivenHeaders } from '../launch/client-headers.ts';
import { isTooFast, takeEvents, type EventOutcome } from './client-events.ts';

const maxBytes = 256 * 1024;

/** `navigator.sendBeacon` can set no headers. */
const inQuery: Readonly<Record<string, string>> = {
  'auth-userid': 'u',
  'x-tenant-id': 't',
  api_version: 'v',
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const nothing: EventOutcome = { accepted: 0, duplicate: 0, dropped: 0 };

/** The endpoint for what an app sees of a user (docs/measuring.md). A trailing slash may be left out. */
export function eventRoutes(app: Elysia, host: Host): void {
  app.post(
    '/cta/events/',
    async ({ request }) => {
      const headers = parseClientHeaders(headerOrQuery(request));
      if (headers.kind === 'gated') return jsonAnswer({ data: nothing });
      if (headers.kind === 'invalid') throw fail.INVALID_REQUEST(headers.message);
      await admitUser(host, request, headers.client);
      const mayStore = !isTooFast(host, headers.client);
      const data = await takeEvents(host, headers.client, await bodyOf(request), mayStore);
      if (data === null) throw fail.INVALID_REQUEST('Invalid request: body is not a JSON object');
      return jsonAnswer({ data });
    },
    {
      parse: 'none',
      detail: {
        summary: 'Report what a user saw and did',
        description:
          'A body of application/json or text/plain. What cannot be counted is dropped, never refused. u, t and v in the ' +
          'query stand for the headers auth-userid, x-tenant-id and api_version, for navigator.sendBeacon.',
        parameters: ['u', 't', 'v'].map((name) => ({
          name,
          in: 'query' as const,
          required: false,
          schema: { type: 'string' as const },
        })),
        requestBody: jsonBody(eventBody()),
        responses: jsonResult(
          closedObject({
            data: closedObject({
              accepted: Type.Integer(),
              duplicate: Type.Integer(),
              dropped: Type.Integer(),
            }),
          }),
        ),
      },
    },
  );
}

const headerOrQuery = (request: Request): GivenHeaders => {
  let query: URLSearchParams | undefined;
  return {
    get: (name) => {
      const header = request.headers.get(name);
      const short = inQuery[name];
      if (header !== null || short === undefined) return header;
      query ??= new URL(request.url).searchParams;
      return query.get(short);
    },
  };
};

/** @throws Fault PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST. */
async function bodyOf(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type');
  // A page that is closed can send only what needs no preflight.
  if (!isMediaType(type, 'application/json') && !isMediaType(type, 'text/plain'))
    throw fail.UNSUPPORTED_MEDIA_TYPE('The body must be sent as application/json or text/plain.');
  requireUncompressed(request);
  const bytes = hasBody(request) ? await readAll(request, maxBytes) : new Uint8Array();
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch {
    throw fail.INVALID_REQUEST('Invalid request: body is not a JSON document in UTF-8');
  }
}

const eventBody = () =>
  Type.Object({
    events: Type.Array(
      Type.Object({
        id: Type.String({
          maxLength: 64,
          description: 'Unique for the user: a repeated one is a duplicate.',
        }),
        type: Type.String({ description: 'impression, click, dismiss, conversion, held or custom.' }),
        ctaId: Type.Optional(Type.String()),
        at: Type.Optional(Type.Integer({ description: 'Epoch milliseconds; default now.' })),
        actionId: Type.Optional(Type.String()),
        groupKey: Type.Optional(Type.String()),
        state: Type.Optional(Type.String()),
        variant: Type.Optional(Type.String()),
        element: Type.Optional(Type.String()),
        reason: Type.Optional(Type.String()),
        name: Type.Optional(Type.String({ description: 'Of a custom event.' })),
        value: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
      }),
    ),
  });
