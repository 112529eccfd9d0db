import type { Exchange } from '../request/exchange.ts';

/**
 * The default headers of every response: no cache stores it, and a browser that opens it must not guess its type, run or load anything,
 * show it in a frame, or send its address to others. They do not affect a file, which is an attachment. Our own pages set their own
 * headers.
 */
const securityHeaders = [
  // Unless declared cacheable, a response may contain a secret or personal data.
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
] as const;

/** What a page of another origin may read besides the body: a browser hides the rest, also how long to wait and what to quote. */
const exposed = [
  'Content-Disposition',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Trivet-Next-Offset',
  'Trivet-Total',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/** Adds the headers of every response: the request id, the rate limit, and the security headers for browsers. */
export function completeHeaders(
  { headers }: Response,
  request: Request,
  { requestId, rate }: Exchange,
  corsOrigins: readonly string[],
): void {
  headers.set('X-Request-Id', requestId);
  if (rate) {
    headers.set('RateLimit-Limit', String(rate.limit));
    headers.set('RateLimit-Remaining', String(rate.remaining));
    headers.set('RateLimit-Reset', String(Math.max(0, Math.ceil(rate.resetMs / 1000))));
  }
  for (const [name, value] of securityHeaders) if (!headers.has(name)) headers.set(name, value);
  const origin = request.headers.get('origin');
  // A route that is open to every origin says so itself.
  if (origin !== null && corsOrigins.includes(origin) && !headers.has('Access-Control-Allow-Origin')) {
    headers.set('Access-Control-Allow-Origin', origin);
    headers.set('Access-Control-Expose-Headers', exposed);
    headers.append('Vary', 'Origin');
  }
}
