/** Asymmetric signatures that an ID token may have. Never `none`, never HS*: a public key must not be used as a secret. */
export const idTokenAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

/** Accepted unless the configuration names others: what providers really use. */
export const usualAlgorithms: readonly IdTokenAlgorithm[] = ['RS256', 'ES256'];

/** The choices of `signing-algorithm`. */
export const signingAlgorithms = ['ES256', 'RS256', 'EdDSA'] as const;
