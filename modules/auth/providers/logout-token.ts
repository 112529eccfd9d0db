import { foreignTokenParts } from '../keys/compact-jws.ts';
import { faultOfSignature, isPlain, isTime, type IdProvider } from './id-token.ts';

/** The check that a logout token failed. */
type LogoutCause =
  | 'malformed'
  | 'crit'
  | 'typ'
  | 'alg'
  | 'kid'
  | 'signature'
  | 'iss'
  | 'aud'
  | 'exp'
  | 'iat'
  | 'jti'
  | 'events'
  | 'nonce'
  | 'sub'
  | 'sid';

/** What a provider ends: the sessions of a person (`subject`), or one session there (`sid`). At least one of them is given. */
export interface Logout {
  readonly subject: string | null;
  readonly sid: string | null;
  /** Unique at the provider: the same token a second time is a replay. */
  readonly jti: string;
  /** When the token expires, epoch seconds. */
  readonly expiresAt: number;
}

type Verified =
  | { readonly ok: true; readonly provider: IdProvider; readonly logout: Logout }
  | { readonly ok: false; readonly provider: IdProvider | null; readonly cause: LogoutCause };

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** The longest life of a logout token, in seconds. The specification recommends two minutes; for as long its `jti` is stored. */
const maxSeconds = 86_400;

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6) of one of these providers. Like an ID token, except that it must
 * have the event and must not have a nonce: neither of the two can be taken for the other.
 * @param nowSeconds epoch seconds. @param tolerance seconds.
 * @throws Fault ID_PROVIDER_UNAVAILABLE when the keys are not available.
 */
export async function verifyLogoutToken(
  token: string,
  providers: readonly IdProvider[],
  { nowSeconds, tolerance }: { readonly nowSeconds: number; readonly tolerance: number },
): Promise<Verified> {
  const parts = foreignTokenParts(token);
  if (!parts) return { ok: false, provider: null, cause: 'malformed' };
  const { header, payload } = parts;
  const ofIssuer = providers.filter(
    ({ issuer, issuerAliases }) =>
      payload['iss'] === issuer || issuerAliases?.some((alias) => alias === payload['iss']),
  );
  // Two entries may name one provider, with different clients.
  const provider = ofIssuer.find((one) => isFor(payload, one)) ?? ofIssuer[0];
  if (!provider) return { ok: false, provider: null, cause: 'iss' };
  const refuse = (cause: LogoutCause) => ({ ok: false, provider, cause }) as const;
  if (header['crit'] !== undefined || header['b64'] !== undefined) return refuse('crit');
  if (!isLogoutType(header['typ'])) return refuse('typ');
  const cause = await faultOfSignature(token, header, provider, () =>
    invalidLogout(payload, provider, nowSeconds, tolerance),
  );
  return cause ? refuse(cause) : { ok: true, provider, logout: logoutOf(payload) };
}

/** RFC 8725 §3.11. The specification recommends `logout+jwt`; older providers send `JWT`, or no type. */
const isLogoutType = (typ: unknown) =>
  typ === undefined || (typeof typ === 'string' && /^(application\/)?(logout\+)?jwt$/i.test(typ));

const isFor = ({ aud }: Readonly<Record<string, unknown>>, { audiences }: Pick<IdProvider, 'audiences'>) => {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return named.every((one) => typeof one === 'string') && named.some((one) => audiences.includes(one));
};

const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 255 && isPlain(value);

/** The first invalid claim of a logout token, or null. The issuer is checked before. */
function invalidLogout(
  payload: Readonly<Record<string, unknown>>,
  provider: Pick<IdProvider, 'audiences'>,
  nowSeconds: number,
  tolerance: number,
): LogoutCause | null {
  const { exp, iat, jti, events, nonce, sub, sid } = payload;
  if (!isFor(payload, provider)) return 'aud';
  if (!isTime(iat) || iat - tolerance > nowSeconds) return 'iat';
  if (!isTime(exp) || exp + tolerance <= nowSeconds || exp > nowSeconds + tolerance + maxSeconds)
    return 'exp';
  if (!isWord(jti)) return 'jti';
  if (typeof events !== 'object' || events === null || !Object.hasOwn(events, logoutEvent)) return 'events';
  const event: unknown = (events as Record<string, unknown>)[logoutEvent];
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return 'events';
  if (nonce !== undefined) return 'nonce';
  if (sub === undefined && sid === undefined) return 'sub';
  if (sub !== undefined && !isWord(sub)) return 'sub';
  return sid !== undefined && !isWord(sid) ? 'sid' : null;
}

const logoutOf = ({ sub, sid, jti, exp }: Readonly<Record<string, unknown>>): Logout => ({
  subject: typeof sub === 'string' ? sub : null,
  sid: typeof sid === 'string' ? sid : null,
  jti: String(jti),
  expiresAt: Number(exp),
});
