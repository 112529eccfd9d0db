import type { Claims } from '../base/schema.ts';

/** The claims that we issue, and those of RFC 7519, 7662, 8176, 9068 and OpenID Connect: nobody else decides about them. */
const ours =
  'iss sub aud exp nbf iat jti sid amr acr azp scope client_id typ is_guest idp auth_time nonce email email_verified name ' +
  'given_name family_name picture firstName lastName profilePicture active token_type username organizations at_hash c_hash ' +
  's_hash cnf act may_act events';

const reserved: ReadonlySet<string> = new Set(ours.split(' '));

export const isReservedClaim = (name: string): boolean => reserved.has(name);

/** Characters of JSON: tokens travel with every request. */
export const maxClaimsLength = 1_000;
const maxNameLength = 128;

/** What is wrong with claims that somebody wants to set, with its path; null: nothing. */
export function mistakeInClaims(claims: Claims): string | null {
  for (const [name, value] of Object.entries(claims)) {
    const path = `claims.${name.slice(0, 64)}`;
    // A namespaced name is a URL, as OpenID Connect Core §5.1.2 recommends.
    if (!/^[A-Za-z][\w:/.-]*$/.test(name) || name.length > maxNameLength)
      return `${path}: a name is at most ${maxNameLength} letters, digits and _ : / . -, and begins with a letter.`;
    if (reserved.has(name))
      return `${path} is reserved: Trivet decides about this claim. Choose another name.`;
    if (value === null) return `${path} is null. Leave the claim out instead.`;
    if (typeof value === 'number' && !Number.isFinite(value)) return `${path} is not a number of JSON.`;
  }
  const { length } = JSON.stringify(claims);
  return length > maxClaimsLength
    ? `claims: ${length} characters of JSON, and at most ${maxClaimsLength} are allowed.`
    : null;
}

/**
 * The claims that the settings of a provider copy from its ID token, in the order of the settings, as long as they are few enough for a
 * token. What makes them too long is left out.
 * @returns null when there are none.
 */
export function copiedClaims(
  payload: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Claims | null {
  let claims: Claims = {};
  for (const name of names) {
    if (!Object.hasOwn(payload, name) || payload[name] === null) continue;
    const next = { ...claims, [name]: payload[name] };
    if (JSON.stringify(next).length <= maxClaimsLength) claims = next;
  }
  return Object.keys(claims).length === 0 ? null : claims;
}

/** The claims of an account after another has become part of it: its own, then those of the other that it lacks, as many as fit. */
export const joinedClaims = (own: Claims | null, other: Claims | null): Claims | null =>
  copiedClaims({ ...other, ...own }, [...Object.keys(own ?? {}), ...Object.keys(other ?? {})]);

/** The claims of a token beyond ours: what an administrator set goes before what a provider says. */
export const extraClaims = (copied: Claims | null, set: Claims | null): Claims => ({ ...copied, ...set });
