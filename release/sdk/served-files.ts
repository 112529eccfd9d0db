import { packOf, type PackedFile } from '../../core/http/answer/file-pack.ts';
import { publishedCases, type KnownCase } from '../../modules/cta/app-sdk/published-cases.ts';
import recorded from '../../modules/cta/device/app-sdk-cases.json';
import derived from '../../modules/cta/device/app-sdk-derived.json';
import { bundledEntry } from './sdk-bundle.ts';
import { pageEntry } from './sdk-entry.ts';

/* What a server gives to pages under `/sdk/`. It is in the package, too, but for the cases. */

/** The whole of `.` for pages. */
export const pageScript = (): Promise<Uint8Array<ArrayBuffer>> =>
  bundledEntry(pageEntry, { format: 'esm', minify: true });

/** As in the attribute `integrity` of a script. */
export const integrityOf = (bytes: Uint8Array): string =>
  `sha384-${new Bun.CryptoHasher('sha384').update(bytes).digest('base64')}`;

export const servedCases = (): string =>
  `${JSON.stringify(
    publishedCases({
      recorded: recorded as unknown as readonly KnownCase[],
      derived: derived as unknown as readonly KnownCase[],
    }),
  )}\n`;

/** The files in one, which becomes part of the executable. */
export async function packedSdk(): Promise<Uint8Array<ArrayBuffer>> {
  const script = await pageScript();
  const encoded = (text: string) => new TextEncoder().encode(text);
  const files: readonly PackedFile[] = [
    { name: 'trivet.js', type: 'text/javascript; charset=utf-8', bytes: script },
    { name: 'trivet.js.sri', type: 'text/plain; charset=utf-8', bytes: encoded(`${integrityOf(script)}\n`) },
    { name: 'cases.json', type: 'application/json', bytes: encoded(servedCases()) },
  ];
  return packOf(files, '');
}
