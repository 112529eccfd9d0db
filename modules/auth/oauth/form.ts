import { Type } from '@sinclair/typebox';
import type { DocumentDecoration } from 'elysia';
import { fail } from '../../../core/base/errors.ts';
import { isMediaType, readAll } from '../../../core/http/request/body.ts';
import { OauthError } from '../oauth-clients/oauth-error.ts';

/** The maximum bytes of a form: a code, a verifier and a client id, which contains its redirect addresses. */
const maxBytes = 16 * 1024;

/** The parameters of a request. Each occurs once; only `resource` may be repeated (RFC 6749 §3.1, RFC 8707 §2). */
export interface Parameters {
  /** The value; undefined when it is missing or empty, which is equivalent (RFC 6749 §3.1). */
  readonly one: (name: string) => string | undefined;
  readonly resources: readonly string[];
}

/** @throws OauthError invalid_request for a repeated parameter, of which two programs may read different values. */
export function parametersOf(given: URLSearchParams): Parameters {
  const seen = new Set<string>();
  for (const name of given.keys()) {
    if (seen.has(name) && name !== 'resource')
      throw new OauthError('invalid_request', 'A parameter is given twice.');
    seen.add(name);
  }
  return {
    one: (name) => given.get(name) || undefined,
    resources: given.getAll('resource').filter((one) => one !== ''),
  };
}

/** The parameters in the body of a POST. Those of the address are ignored. @throws Fault, OauthError invalid_request. */
export async function readForm(request: Request): Promise<Parameters> {
  if (!isMediaType(request.headers.get('content-type'), 'application/x-www-form-urlencoded'))
    throw fail.UNSUPPORTED_MEDIA_TYPE('The body must be sent as application/x-www-form-urlencoded.');
  const bytes = await readAll(request, maxBytes);
  return parametersOf(new URLSearchParams(Buffer.from(bytes).toString('utf8')));
}

/** @throws OauthError invalid_request when it is missing. */
export function requireParameter({ one }: Parameters, name: string): string {
  const value = one(name);
  if (value === undefined) throw new OauthError('invalid_request', `${name} is required.`);
  return value;
}

/** A request body of parameters, for the API description. */
export const formBody = (names: readonly string[]): NonNullable<DocumentDecoration['requestBody']> => {
  const schema = Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())])));
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema: schema as never } } };
};
