/**
 * What a compact JWS must look like before anything is believed of it.
 *
 * Stricter than the libraries: base64url has one spelling per value here. With the lenient decoders of common libraries a
 * token has several spellings, and whatever remembers tokens (a deny list, a replay cache) can be walked around.
 */
interface TokenParts {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

const maximumToken = 16 * 1024;

/** Header and payload of a well-formed token, unverified; null for anything else. */
export function tokenParts(token: string): TokenParts | null {
  return partsOf(token, jsonObject);
}

/**
 * The same of a token that somebody else made. Two members of one name are refused (RFC 7515 §4, RFC 7519 §4): where a
 * provider or a gateway reads the first `sub` and we the last, one token names two people. Ours never repeat one.
 */
export function foreignTokenParts(token: string): TokenParts | null {
  return partsOf(token, (text) => {
    const value = jsonObject(text);
    return value && !repeatsMember(text) ? value : null;
  });
}

type ReadObject = (text: string) => Readonly<Record<string, unknown>> | null;

function partsOf(token: string, read: ReadObject): TokenParts | null {
  if (token.length > maximumToken) return null;
  const parts = token.split('.');
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature) return null;
  if (!parts.every(isCanonical)) return null;
  const headerObject = decoded(header, read);
  const payloadObject = decoded(payload, read);
  return headerObject && payloadObject ? { header: headerObject, payload: payloadObject } : null;
}

const isCanonical = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(part: string, read: ReadObject): Readonly<Record<string, unknown>> | null {
  try {
    return read(utf8.decode(Buffer.from(part, 'base64url')));
  } catch {
    return null;
  }
}

/** @throws SyntaxError when it is no JSON. */
function jsonObject(text: string): Readonly<Record<string, unknown>> | null {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

// In a JSON text a string before a colon is a member's name, and brackets inside strings are matched with their string.
const namesAndBraces = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g;

/**
 * Whether an object anywhere in a JSON text has two members of one name. The text must have been parsed before: on one
 * with a string that never ends the search would take quadratic time.
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
