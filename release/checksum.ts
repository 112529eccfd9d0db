import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './source.ts';

/** The file that `sha256sum -c` and minisign check. */
export const checksumFile = 'SHA256SUMS';

export const sha256Of = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** Writes the hash of every file of a release. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines: string[] = [];
  for (const name of readdirSync(folder).toSorted())
    if (!name.startsWith(checksumFile))
      lines.push(`${sha256Of(await Bun.file(join(folder, name)).bytes())}  ${name}\n`);
  await Bun.write(join(folder, checksumFile), lines.join(''));
}

/**
 * Signs the hashes with minisign. The comment is signed as well; the default comment contains the time, so another release of the same
 * commit would have another signature.
 * @param key the file of the secret key.
 * @param password of that file, if it is encrypted.
 */
export async function signChecksums(
  folder: string,
  { version, commit }: Source,
  { key, password }: { readonly key: string; readonly password: string | undefined },
): Promise<void> {
  const words = ['-S', '-s', key, '-m', join(folder, checksumFile), '-t', `trivet ${version} ${commit}`];
  const child = Bun.spawn(['minisign', ...words], {
    stdin: new Blob([`${password ?? ''}\n`]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const said = `${await new Response(child.stdout).text()}${await new Response(child.stderr).text()}`;
  if ((await child.exited) !== 0) throw new Error(`minisign failed: ${said}`);
}
