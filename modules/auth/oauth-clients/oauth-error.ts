import { Fault } from '../../../core/base/errors.ts';
import { asFault } from '../../../core/base/foreign-errors.ts';
import { noStore } from '../../../core/http/answer/answer.ts';
import type { Host } from '../../../core/host/host.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { errorFields } from '../../../core/base/log.ts';

/**
 * The errors of OAuth with their status. Client libraries compare these words, so the body follows RFC 6749 §5.2 and not the format of the
 * other paths (docs/contract.md, Sign-in by browser).
 */
const statuses = {
  // RFC 6749 §4.1.2.1, §5.2
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  access_denied: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  // OpenID Connect Core §3.1.2.6
  interaction_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  // RFC 8707 §2
  invalid_target: 400,
  // RFC 7591 §3.2.2
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  // RFC 8628 §3.5
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
} as const;

export type OauthErrorCode = keyof typeof statuses;

/** An OAuth error. Its message is shown to the developer of the client. */
export class OauthError extends Error {
  readonly code: OauthErrorCode;
  constructor(code: OauthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
  get status(): number {
    return statuses[this.code];
  }
}

/** Handles a request of a client: JSON, with OAuth errors. */
export async function answerClient(
  host: Host,
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof OauthError) return oauthAnswer(error.status, error.code, error.message);
    const fault = faultOf(host, request, error);
    const wait = fault.retryAfter === undefined ? {} : { 'Retry-After': String(Math.ceil(fault.retryAfter)) };
    return oauthAnswer(fault.status, codeOf(fault), fault.message, wait);
  }
}

/** The Fault of an error. An unexpected error is logged. */
export function faultOf(host: Host, request: Request, error: unknown): Fault {
  if (error instanceof Fault) return error;
  host.log.error('request_failed', { requestId: exchangeOf(request).requestId, ...errorFields(error) });
  return asFault(error);
}

function codeOf({ status }: Fault): OauthErrorCode {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

function oauthAnswer(
  status: number,
  error: OauthErrorCode,
  description: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { 'Content-Type': 'application/json', ...noStore, ...more };
  return new Response(JSON.stringify({ error, error_description: description }), { status, headers });
}
