import { compactVerify } from 'jose';
import { copiedClaims } from '../claims/claim-rules.ts';
import type { Claims } from '../base/schema.ts';
import { foreignTokenParts } from '../keys/compact-jws.ts';
import type { IdTokenAlgorithm } from '../base/signing-algorithms.ts';
import { groupsIn, type GroupMapping } from './group-mapping.ts';
import type { KeyPlace, KeySource } from './jwks.ts';

/** An identity provider, and the requirements for its ID tokens. */
export interface IdProvider {
  readonly name: string;
  readonly issuer: string;
  /** Other spellings of the issuer in its tokens; the users are the same. */
  readonly issuerAliases?: readonly string[];
  readonly audiences: readonly string[];
  readonly algorithms: readonly IdTokenAlgorithm[];
  /** Domains of verified e-mail addresses that may sign in; null: any. */
  readonly allowedDomains: readonly string[] | null;
  /** Verified e-mail addresses, in lower case, that may sign in in addition to those domains; null: any. */
  readonly allowedEmails: readonly string[] | null;
  readonly requireNonce: boolean;
  /** Whether each ID token can be used only once. */
  readonly singleUse: boolean;
  /** Claims that our tokens get, too; none unless given. */
  readonly copyClaims?: readonly string[];
  /** The roles that its groups and domains give; null: it decides nothing about roles. */
  readonly groupMapping: GroupMapping | null;
  readonly keys: KeySource;
  /** Where the provider publishes its keys; null: they are derived on the local machine. */
  readonly place: KeyPlace | null;
  /** How people sign in with it in a browser; null: they cannot. */
  readonly browser: BrowserSignIn | null;
}

/** The OAuth client registered for Trivet at a provider; `dev` is the provider of the local machine. */
export type BrowserSignIn =
  | 'dev'
  | { readonly clientId: string; readonly clientSecret: string | undefined; readonly scope: string };

/** The check that an ID token failed. */
export type IdTokenCause =
  | 'malformed'
  | 'signature'
  | 'alg'
  | 'kid'
  | 'crit'
  | 'typ'
  | 'iss'
  | 'aud'
  | 'azp'
  | 'sub'
  | 'exp'
  | 'nbf'
  | 'iat'
  | 'nonce'
  | 'replayed';

/** The user of an ID token, from its claims. */
export interface IdTokenUser {
  readonly issuer: string;
  readonly subject: string;
  /** When the token expires, epoch seconds. */
  readonly expiresAt: number;
  /** The client id the token was issued to. */
  readonly clientId: string;
  readonly nonce: string | null;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly picture: string | null;
  /** The claims that the settings of the provider copy; null: none. */
  readonly claims: Claims | null;
  /** Its groups and its domain that give a role ({@link groupsIn}); null: the provider decides nothing about roles. */
  readonly groups: readonly string[] | null;
  /** The session at the provider (`sid`); null: the token names none. */
  readonly providerSid: string | null;
}

type Verified =
  | { readonly ok: true; readonly identified: IdTokenUser }
  | { readonly ok: false; readonly cause: IdTokenCause };

/**
 * Verifies an ID token (OpenID Connect Core §3.1.3.7): form, algorithm, claims, key, then signature. Headers that contain or name
 * a key (`jku`, `jwk`, `x5u`, `x5c`) are not read at all.
 * @param nowSeconds epoch seconds. @param tolerance seconds.
 * @throws Fault ID_PROVIDER_UNAVAILABLE when the keys are not available.
 */
export async function verifyIdToken(
  token: string,
  provider: IdProvider,
  { nowSeconds, tolerance }: { readonly nowSeconds: number; readonly tolerance: number },
): Promise<Verified> {
  const parts = foreignTokenParts(token);
  if (!parts) return { ok: false, cause: 'malformed' };
  const { crit, b64, typ } = parts.header;
  if (crit !== undefined || b64 !== undefined) return { ok: false, cause: 'crit' };
  if (!isIdTokenType(typ) || parts.payload['events'] !== undefined) return { ok: false, cause: 'typ' };
  // Claims first: a token that is not for this server must not cause a request to the provider.
  const refused = () => invalidClaim(parts.payload, provider, nowSeconds, tolerance);
  const cause = await faultOfSignature(token, parts.header, provider, refused);
  return cause ? { ok: false, cause } : { ok: true, identified: identified(parts.payload, provider) };
}

/**
 * Verifies the signature of a token of a provider: allowed algorithm, then `refused` for its claims, then the key that its header names.
 * @throws Fault ID_PROVIDER_UNAVAILABLE when the keys are not available.
 */
export async function faultOfSignature<Cause extends string>(
  token: string,
  { alg, kid }: Readonly<Record<string, unknown>>,
  { algorithms, keys }: Pick<IdProvider, 'algorithms' | 'keys'>,
  refused: () => Cause | null,
): Promise<Cause | 'alg' | 'kid' | 'signature' | null> {
  const allowed = algorithms.find((algorithm) => algorithm === alg);
  if (!allowed) return 'alg';
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > 512)) return 'kid';
  const cause = refused();
  if (cause) return cause;
  const key = await keys.find({ kid, alg: allowed });
  if (!key) return 'kid';
  try {
    await compactVerify(token, key, { algorithms: [allowed] });
  } catch {
    return 'signature';
  }
  return null;
}

/**
 * RFC 8725 §3.11: a provider signs logout tokens, access tokens and others with the same keys for the same client. Their `typ` ends
 * in `+jwt`; older ones have a claim `events` (RFC 8417). ID tokens have neither.
 */
const isIdTokenType = (typ: unknown) =>
  typ === undefined || (typeof typ === 'string' && !/\+jwt$/i.test(typ));

export const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** The first invalid claim, or null. */
export function invalidClaim(
  payload: Readonly<Record<string, unknown>>,
  provider: Pick<IdProvider, 'issuer' | 'issuerAliases' | 'audiences' | 'requireNonce'>,
  nowSeconds: number,
  tolerance: number,
): IdTokenCause | null {
  const { iss, aud, azp, sub, exp, nbf, iat, nonce } = payload;
  if (iss !== provider.issuer && !provider.issuerAliases?.some((alias) => alias === iss)) return 'iss';
  const audience = typeof aud === 'string' ? [aud] : aud;
  if (!Array.isArray(audience) || !audience.every((one) => typeof one === 'string')) return 'aud';
  if (!audience.some((one) => provider.audiences.includes(one))) return 'aud';
  // A token with several audiences must name the client it was issued to.
  if (azp === undefined ? audience.length > 1 : !provider.audiences.includes(azp as string)) return 'azp';
  if (typeof sub !== 'string' || sub.length === 0 || sub.length > 255 || !isPlain(sub)) return 'sub';
  if (!isTime(exp) || exp + tolerance <= nowSeconds) return 'exp';
  if (nbf !== undefined && (!isTime(nbf) || nbf - tolerance > nowSeconds)) return 'nbf';
  if (!isTime(iat) || iat - tolerance > nowSeconds) return 'iat';
  if (nonce === undefined ? provider.requireNonce : typeof nonce !== 'string' || nonce.length > 512)
    return 'nonce';
  return null;
}

export const isPlain = (text: string) => text.isWellFormed() && !text.includes('\u0000');

function identified(payload: Readonly<Record<string, unknown>>, provider: IdProvider): IdTokenUser {
  const word = (name: string, max = 255) => {
    const value = payload[name];
    return typeof value === 'string' && value !== '' && value.length <= max && isPlain(value) ? value : null;
  };
  const name = word('name');
  const named = [word('given_name'), word('family_name')] as const;
  // Some providers send only the whole name; apps greet users by the given name (docs/contract.md, Tokens).
  const [givenName, familyName] = named[0] === null && named[1] === null ? partsOfName(name) : named;
  const { aud, email_verified: verified } = payload;
  const email = word('email', 320);
  // Apple sends the string "true".
  const emailVerified = verified === true || verified === 'true';
  const { groupMapping } = provider;
  const audience = typeof aud === 'string' ? [aud] : (aud as string[]);
  return {
    issuer: provider.issuer,
    subject: String(payload['sub']),
    expiresAt: Number(payload['exp']),
    clientId: word('azp') ?? audience.find((one) => provider.audiences.includes(one)) ?? '',
    nonce: word('nonce', 512),
    email,
    emailVerified,
    name,
    givenName,
    familyName,
    picture: word('picture', 2048),
    claims: copiedClaims(payload, provider.copyClaims ?? []),
    groups: groupMapping && groupsIn(groupMapping, payload, emailVerified ? email : null),
    providerSid: word('sid'),
  };
}

/** A whole name, split at its last space; a single word is the given name. */
export function partsOfName(name: string | null): readonly [given: string | null, family: string | null] {
  const words = name?.trim().split(/\s+/u) ?? [];
  const [last] = words.slice(-1);
  if (last === undefined || last === '') return [null, null];
  return words.length === 1 ? [last, null] : [words.slice(0, -1).join(' '), last];
}
