import { Type, type TSchema } from '@sinclair/typebox';
import type { Host } from '../../../core/host/host.ts';
import { jsonAnswer } from '../../../core/http/answer/answer.ts';
import { jsonResult } from '../../../core/http/server/openapi.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { authSettings } from '../base/settings.ts';

/** The success responses of Area A: bare (docs/contract.md, Authenticate), or with --auth-envelope in `{data, error}`. */
interface AreaAnswer {
  success(data: unknown, headers?: Readonly<Record<string, string>>): Response;
  /** Its schema in the API description. */
  described(schema: TSchema): ReturnType<typeof jsonResult>;
}

export function areaAnswer(host: Host): AreaAnswer {
  if (!host.config.read(authSettings)['auth-envelope']) return { success: jsonAnswer, described: jsonResult };
  return {
    success: (data, headers) => jsonAnswer({ data, error: null }, headers),
    described: (schema) => jsonResult(closedObject({ data: schema, error: Type.Null() })),
  };
}
