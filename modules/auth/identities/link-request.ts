import { fail } from '../base/errors.ts';
import { refuseLongToken, requireIdToken, requireObject } from '../sessions/authenticate-request.ts';

export interface LinkRequest {
  readonly idProvider: string;
  readonly identifier: string;
  /** What happens if another user has the identity. */
  readonly onConflict: 'fail' | 'switch';
}

/** Checks the body of `POST /v1/auth/link`. @throws Fault INVALID_REQUEST with the field as cause, PAYLOAD_TOO_LARGE. */
export function parseLink(given: unknown): LinkRequest {
  const body = requireObject(given);
  const { identifier, idProvider } = requireIdToken(body);
  refuseLongToken(identifier);
  const { onConflict = 'fail' } = body;
  if (onConflict === 'fail' || onConflict === 'switch') return { idProvider, identifier, onConflict };
  throw fail.INVALID_REQUEST('onConflict must be "fail" or "switch".', { cause: 'onConflict' });
}
