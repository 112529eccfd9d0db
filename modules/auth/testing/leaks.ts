/** The longest piece of a token that a log may contain by chance. */
export const longestPiece = 12;

const pieces = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - longestPiece) }, (_, at) =>
    text.slice(at, at + longestPiece + 1),
  );

/**
 * The first piece of a secret, longer than {@link longestPiece} characters, that stands in one of the texts; null when
 * none does. Each part of a token (header, payload, signature) counts for itself.
 */
export function leaked(secrets: Iterable<string>, texts: Iterable<string>): string | null {
  const heard = new Set<string>();
  for (const text of texts) for (const piece of pieces(text)) heard.add(piece);
  for (const secret of secrets) {
    for (const part of secret.split('.')) {
      const found = pieces(part).find((piece) => heard.has(piece));
      if (found !== undefined) return found;
    }
  }
  return null;
}

/** What of a token's inside must not be told either: who it is about, and what an attacker chose freely. */
const privateMembers = new Set(['sub', 'email', 'name', 'given_name', 'nonce', 'kid', 'jku', 'x5u']);

/** A token with the texts that it says in its inside. */
export function secretsIn(token: string): string[] {
  const found = [token];
  for (const part of token.split('.').slice(0, 2)) {
    try {
      const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
      if (typeof value !== 'object' || value === null) continue;
      for (const [name, text] of Object.entries(value))
        if (typeof text === 'string' && privateMembers.has(name)) found.push(text);
    } catch {
      // Many of these tokens are malformed on purpose.
    }
  }
  return found;
}
