/**
 * What a compact JWS must look like before anything is believed of it.
 *
 * Stricter than the libraries: base64url has one spelling per value here. With the lenient decoders of common libraries a
 * token has several spellings, and whatever remembers tokens (a deny list, a replay cache) can be walked around.
 */
export interface TokenParts {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

const maximumToken = 16 * 1024;

/** Header and payload of a well-formed token, unverified; null for anything else. */
export function tokenParts(token: string): TokenParts | null {
  if (token.length > maximumToken) return null;
  const parts = token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature) return null;
  if (!parts.every(isCanonical)) return null;
  const headerObject = jsonObject(header);
  const payloadObject = jsonObject(payload);
  return headerObject && payloadObject ? { header: headerObject, payload: payloadObject } : null;
}

const isCanonical = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function jsonObject(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(part, 'base64url')));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
