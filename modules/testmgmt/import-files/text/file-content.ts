import { InvalidImport } from './described-test.ts';

/** How the base64 of a ZIP archive begins. */
const zipInBase64 = 'UEsDB';

export const isWorkbook = (content: string): boolean => content.startsWith(zipInBase64);

/**
 * The bytes of a file as import-tests takes them: a workbook as base64, anything else as text. Runs in a browser too.
 * @throws InvalidImport for an encoding other than UTF-8 and UTF-16 with a byte order mark.
 */
export function contentOfBytes(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new InvalidImport('It is empty.');
  return bytes[0] === 0x50 && bytes[1] === 0x4b ? base64Of(bytes) : textOfBytes(bytes);
}

function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  // A multiple of three, so that the parts join.
  for (let at = 0; at < bytes.length; at += 0x6000)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join('');
}

function textOfBytes(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidImport(
      `It is not ${encoding.toUpperCase()}, so its letters would be lost. Save it as UTF-8 (in Excel: "CSV UTF-8") and import it again.`,
    );
  }
}
