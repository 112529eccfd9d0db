import type { Fault } from '../errors.ts';

/** Success: the JSON text of `data` as it is. */
export function jsonAnswer(data: unknown, headers?: Readonly<Record<string, string>>): Response {
  return jsonText(JSON.stringify(data), headers);
}

/** Success with JSON that is text already. */
export function jsonText(text: string, headers?: Readonly<Record<string, string>>): Response {
  return new Response(text, { headers: { 'Content-Type': 'application/json', ...headers } });
}

/**
 * The one error body of every path: `{"error":{"code","message","cause"?}}`. Tools add `tip`, so that a client which
 * speaks for a person somewhere else can show the same guidance (docs/decisions/errors.md).
 */
export function faultAnswer(fault: Fault, { withTip }: { readonly withTip: boolean }): Response {
  const error = {
    code: fault.code,
    message: fault.message,
    ...(fault.causeWord === undefined ? {} : { cause: fault.causeWord }),
    ...(withTip ? { tip: fault.tip } : {}),
  };
  // What is wrong now may be right in a second; and nobody on the way should keep who was refused what.
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
  };
  if (fault.retryAfter !== undefined) headers['Retry-After'] = String(Math.ceil(fault.retryAfter));
  if (fault.status === 401) headers['WWW-Authenticate'] = 'Bearer realm="trivet"';
  return new Response(JSON.stringify({ error }), { status: fault.status, headers });
}
