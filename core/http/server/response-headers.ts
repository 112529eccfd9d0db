import type { Exchange } from '../request/exchange.ts';
import { rateHeaders } from '../rate/rate-limit.ts';

/**
 * On every response that does not say otherwise: no cache keeps it, and a browser that opens one must not guess its type, run or load
 * anything, show it inside another page, or send its address to others. They do not change a file, which is an attachment. A page of
 * ours brings its own.
 */
const securityHeaders = [
  // What is not said to be storable may contain a secret or a person's data.
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
] as const;

/** Adds what every response has: the id of its request, the rate, and what browsers need to know. */
export function completeHeaders(
  { headers }: Response,
  request: Request,
  { requestId, rate }: Exchange,
  corsOrigins: readonly string[],
): void {
  headers.set('X-Request-Id', requestId);
  if (rate) {
    for (const [name, value] of Object.entries(rateHeaders(rate))) headers.set(name, value);
  }
  for (const [name, value] of securityHeaders) if (!headers.has(name)) headers.set(name, value);
  const origin = request.headers.get('origin');
  if (origin !== null && corsOrigins.includes(origin)) {
    headers.set('Access-Control-Allow-Origin', origin);
    headers.set('Vary', 'Origin');
  }
}
