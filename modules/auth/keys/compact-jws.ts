type JsonObject = Readonly<Record<string, unknown>>;

interface TokenParts {
  readonly header: JsonObject;
  readonly payload: JsonObject;
}

const maxTokenLength = 16 * 1024;

/**
 * Header and payload of a well-formed compact JWS, unverified; null for anything else. Stricter than the libraries: each value has
 * one spelling in base64url. Lenient decoders accept several spellings of one token, which bypass a deny list or replay cache.
 */
export function tokenParts(token: string): TokenParts | null {
  return partsOf(token, jsonObject);
}

/**
 * Like {@link tokenParts}, for a token that another server signed. Refuses duplicate member names (RFC 7515 §4, RFC 7519 §4): if a provider
 * or a gateway reads the first `sub` and Trivet the last, one token identifies two users. Our tokens never repeat a name.
 */
export function foreignTokenParts(token: string): TokenParts | null {
  return partsOf(token, (text) => {
    const value = jsonObject(text);
    return value && !repeatsMember(text) ? value : null;
  });
}

function partsOf(token: string, read: (text: string) => JsonObject | null): TokenParts | null {
  if (token.length > maxTokenLength) return null;
  const parts = token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature) return null;
  if (!parts.every(isCanonical)) return null;
  try {
    const [headerObject, payloadObject] = [read(decoded(header)), read(decoded(payload))];
    return headerObject && payloadObject ? { header: headerObject, payload: payloadObject } : null;
  } catch {
    return null;
  }
}

const isCanonical = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws TypeError when it is not UTF-8. */
const decoded = (part: string) => utf8.decode(Buffer.from(part, 'base64url'));

/** @throws SyntaxError when it is not JSON. */
function jsonObject(text: string): JsonObject | null {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

// In JSON a string before a colon is the name of a member. Braces inside a string are matched with their string.
const namesAndBraces = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g;

/**
 * Whether any object of a JSON text has two members of one name. The text must have been parsed before: with an unterminated
 * string the search takes quadratic time.
 */
function repeatsMember(text: string): boolean {
  const open: Array<Set<string>> = [];
  for (const [token, string, colon] of text.matchAll(namesAndBraces)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (string !== undefined && colon !== undefined) {
      const names = open.at(-1);
      // Parsed, because "\u0073ub" is "sub".
      const name = String(JSON.parse(string));
      if (names?.has(name)) return true;
      names?.add(name);
    }
  }
  return false;
}
