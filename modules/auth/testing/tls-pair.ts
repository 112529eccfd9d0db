import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../test/temporary.ts';

/** A new key and its own certificate for a name. */
export function tlsPair(name: string): { readonly key: string; readonly cert: string } {
  const directory = temporaryDirectory('tls');
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
  const names = ['-addext', `subjectAltName=DNS:${name}`];
  const made = Bun.spawnSync(['openssl', ...words, ...names, '-keyout', key, '-out', cert]);
  if (made.exitCode !== 0) throw new Error(`openssl: ${made.stderr.toString()}`);
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
