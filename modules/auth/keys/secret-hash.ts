/** SHA-256 in hex. Only for secrets of at least 128 random bits, such as a personal access token or an invitation code. */
export const secretHash = (secret: string): string =>
  new Bun.CryptoHasher('sha256').update(secret).digest('hex');
