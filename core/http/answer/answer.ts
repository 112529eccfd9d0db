import type { Fault } from '../../base/errors.ts';

/**
 * A success response: status 200, `data` as JSON.
 * @example app.get('/notes/latest', () => jsonAnswer({ text: 'hello' }))
 */
export function jsonAnswer(data: unknown, headers?: Readonly<Record<string, string>>): Response {
  return jsonText(JSON.stringify(data), headers);
}

/** For answers with a token or a secret: no cache may store them (RFC 6749 §5.1). */
export const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** Like {@link jsonAnswer}, for JSON text. */
export function jsonText(text: string, headers?: Readonly<Record<string, string>>): Response {
  return new Response(text, { headers: { 'Content-Type': 'application/json', ...headers } });
}

/**
 * The error body of every path: `{"error":{"code","message","cause"?}}`. Tools add `tip`, so that a client that acts for a user can
 * show the same guidance (docs/decisions/errors.md).
 */
export function faultAnswer(fault: Fault, { withTip }: { readonly withTip: boolean }): Response {
  const error = {
    code: fault.code,
    message: fault.message,
    ...(fault.causeWord === undefined ? {} : { cause: fault.causeWord }),
    ...(withTip ? { tip: fault.tip } : {}),
  };
  // The next response may be a success, and no cache should store which caller was refused.
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
  };
  if (fault.retryAfter !== undefined) headers['Retry-After'] = String(Math.ceil(fault.retryAfter));
  // Otherwise the server would still read the rest of the body.
  if (fault.code === 'SERVER_BUSY') headers['Connection'] = 'close';
  if (fault.status === 401) headers['WWW-Authenticate'] = 'Bearer realm="trivet"';
  return new Response(JSON.stringify({ error }), { status: fault.status, headers });
}
