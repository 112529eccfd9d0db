import { Type, type TSchema } from '@sinclair/typebox';
import type { DocumentDecoration, Elysia } from 'elysia';
import { Fault } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer, jsonText } from '../../../core/http/answer/answer.ts';
import { hasBody, mebibyte, readJson, type BodyLimits } from '../../../core/http/request/body.ts';
import { jsonBody, jsonResult } from '../../../core/http/server/openapi.ts';
import type { Counter } from '../../../core/metrics/metric.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { ctaMetrics } from '../base/metrics.ts';
import { previewFor } from '../previews/preview-store.ts';
import { parseSnapshotBody, type ReadBody } from '../state/snapshot-body.ts';
import { admitReader, admitUser } from './caller-check.ts';
import { parseClientHeaders, tenant, type ClientHeaders } from './client-headers.ts';
import { applyDelta, launch } from './launch.ts';
import { ctaWire } from './wire-schema.ts';

/**
 * Contexts are the sixth level of a body ({ctas: [{activeStateMachines: {key: {context: {…}}}}]}). Contexts that are too large are removed
 * before the body is parsed instead of rejecting it: an app whose snapshot is rejected never syncs again.
 */
const bodyLimit: BodyLimits = {
  bytes: mebibyte,
  depth: 1_000,
  tokens: 100_000,
  atOnce: 100_000,
  prune: { member: 'context', level: 6, tokens: 30_000, total: 60_000, depth: 200 },
};

const gatedLaunch = '{"data":{"ctas":null,"behaviourTags":null}}';
const gatedDelta = '{"data":false}';
const done = '{"data":true}';

/** The endpoints of Area B (docs/contract.md, Area B). A trailing slash may be left out. */
export function ctaRoutes(app: Elysia, host: Host): void {
  const wire = ctaWire();
  const detailOf = (summary: string, response: TSchema) =>
    snapshotRoute(summary, wire.SnapshotBodySchema, response);

  /** A client of an old version gets the empty response before any other check, and without reading the database. */
  const gated = async (
    request: Request,
    metric: Counter<readonly ['outcome']>,
    emptyResponse: string,
    work: (client: ClientHeaders) => Promise<string>,
  ): Promise<Response> => {
    const headers = parseClientHeaders(request.headers);
    if (headers.kind === 'gated') {
      host.metrics.count(metric, ['gated']);
      return jsonText(emptyResponse);
    }
    if (headers.kind === 'invalid') throw fail.INVALID_REQUEST(headers.message);
    await admitUser(host, request, headers.client);
    host.metrics.count(metric, ['admitted']);
    return jsonText(await work(headers.client));
  };

  app.post(
    '/cta/active/state-machines/',
    ({ request }) =>
      gated(request, ctaMetrics.launches, gatedLaunch, async (client) =>
        launch(host, client, await bodyOf(host, request)),
      ),
    { parse: 'none', detail: detailOf('Fetch the CTAs of a user at app launch', wire.LaunchAnswerSchema) },
  );

  app.post(
    '/cta/state-machines/snapshot/delta/',
    ({ request }) =>
      gated(request, ctaMetrics.deltas, gatedDelta, async (client) => {
        await applyDelta(host, client, await bodyOf(host, request));
        return done;
      }),
    { parse: 'none', detail: detailOf("Merge a snapshot delta into a user's state", wire.DeltaAnswerSchema) },
  );

  app.get(
    '/cta/nudge/preview/:id',
    async ({ request, params }) => {
      const tenantId = tenant(request.headers);
      if (tenantId === undefined) {
        throw fail.INVALID_REQUEST('Invalid request: header x-tenant-id is not the name of a tenant');
      }
      const maySee = await admitReader(host, request, tenantId);
      // Elysia gives null for an id that is not UTF-8.
      const id: string | null = params.id;
      const data = maySee ? await previewFor(host, tenantId, id) : null;
      return jsonAnswer({ data }, { 'Cache-Control': 'no-store' });
    },
    {
      parse: 'none',
      detail: {
        summary: 'Fetch a nudge preview',
        description: 'Returns {"data":null} for an unknown or expired id.',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          header('x-tenant-id', Type.String({ default: 'default' })),
        ],
        responses: jsonResult(wire.PreviewAnswerSchema),
      },
    },
  );
}

/** Apps send a few CTAs; reading 20 takes less than a millisecond. */
const fewCtas = 20;

/** @throws Fault INVALID_REQUEST, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE. */
async function bodyOf(host: Host, request: Request): Promise<ReadBody> {
  // Every invalid request of Area B has the code INVALID_REQUEST (docs/contract.md, Status codes), including a body that is not JSON.
  const raw = hasBody(request) ? await readJson(request, bodyLimit).catch(notJson) : {};
  const parsed = parseSnapshotBody(raw, host.clock.now());
  if (!parsed.ok) throw fail.INVALID_REQUEST(parsed.message);
  // The merge that follows runs as one step as well.
  if (parsed.ctas.length > fewCtas && turnIsOver()) await nextTurn();
  return parsed;
}

function notJson(error: unknown): never {
  if (!(error instanceof Fault) || error.code !== 'INVALID_JSON') throw error;
  throw fail.INVALID_REQUEST('Invalid request: body is not a JSON document in UTF-8');
}

const header = (name: string, schema: TSchema, required = false) => ({
  name,
  in: 'header' as const,
  required,
  // TypeBox writes the JSON Schema of OpenAPI 3.1; Elysia's types are for 3.0.
  schema: schema as never,
});

const snapshotRoute = (summary: string, body: TSchema, response: TSchema): DocumentDecoration => ({
  summary,
  parameters: [
    header('auth-userid', Type.Integer({ format: 'int64', description: 'The user.' }), true),
    header('x-tenant-id', Type.String({ default: 'default' })),
    header(
      'api_version',
      Type.Integer({ format: 'int64', description: 'Absent or below 1 gets the empty response.' }),
    ),
    header('app_version', Type.String()),
    header('hotupdate_version', Type.String()),
    header('package_name', Type.String()),
    header('tz', Type.String({ description: 'The time zone of the device, e.g. Europe/Rome.' })),
  ],
  requestBody: { ...jsonBody(body), required: false },
  responses: jsonResult(response),
});
