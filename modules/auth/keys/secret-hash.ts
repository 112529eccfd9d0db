/** SHA-256 in hex: what is stored of a secret of at least 128 random bits, such as a personal access token or a code. */
export const secretHash = (secret: string): string =>
  new Bun.CryptoHasher('sha256').update(secret).digest('hex');
