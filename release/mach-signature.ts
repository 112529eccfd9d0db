/*
 * The code signature at the end of a Mach-O executable. macOS on Apple silicon starts nothing without a valid signature, which may be "ad
 * hoc": hashes of the pages without a signer. Bun 1.4.5 writes a valid one for arm64, but for x64 it keeps that of its own executable,
 * whose hashes no longer match (measured; https://github.com/oven-sh/bun/pull/39837 fixed arm64). So the signature is checked and replaced
 * if it is wrong. The layout is that of Apple's cs_blobs.h: numbers in the signature are big-endian, those in the file are not.
 */
const machMagic = 0xfeedfacf;
const segment64 = 0x19;
const codeSignature = 0x1d;
const embeddedSignature = 0xfade0cc0;
const codeDirectory = 0xfade0c02;
const headerBytes = 32;
/** Size of a code directory of version 0x20400, which has the executable segment. */
const directoryBytes = 88;
const hashBytes = 32;
const sha256 = 2;
/** Pages of 4 KiB for both architectures, as Bun and Go sign. */
const pageShift = 12;
/** CS_ADHOC, CS_LINKER_SIGNED: `codesign` replaces such a signature without --force. */
const adHoc = 0x2_0002;
const mainBinary = 1n;

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest();

interface Places {
  /** Offset of the load command that names the signature. */
  readonly command: number;
  readonly signature: { readonly at: number; readonly bytes: number };
  /** Offset of the load command of the segment that ends with the signature. */
  readonly linkEdit: number;
  readonly text: { readonly at: bigint; readonly bytes: bigint };
}

/** @throws when it is not a 64-bit Mach-O executable, or has no space for a signature. */
function placesIn(bytes: Uint8Array): Places {
  const view = viewOf(bytes);
  if (bytes.length < headerBytes || view.getUint32(0, true) !== machMagic)
    throw new Error('This is no 64-bit Mach-O executable.');
  let signature: (Places['signature'] & { readonly command: number }) | undefined;
  let linkEdit: number | undefined;
  let text: Places['text'] | undefined;
  let at = headerBytes;
  for (let left = view.getUint32(16, true); left > 0; left--) {
    const kind = view.getUint32(at, true);
    if (kind === codeSignature)
      signature = { command: at, at: view.getUint32(at + 8, true), bytes: view.getUint32(at + 12, true) };
    if (kind === segment64) {
      const name = new TextDecoder().decode(bytes.subarray(at + 8, at + 24)).replace(/\0.*$/s, '');
      if (name === '__LINKEDIT') linkEdit = at;
      if (name === '__TEXT')
        text = { at: view.getBigUint64(at + 40, true), bytes: view.getBigUint64(at + 48, true) };
    }
    at += view.getUint32(at + 4, true);
  }
  if (!signature || linkEdit === undefined || !text)
    throw new Error('This Mach-O executable has no place for a signature.');
  return { command: signature.command, signature, linkEdit, text };
}

/** The fault in the signature of a Mach-O executable; null when every page has the signed hash. */
export function signatureFault(bytes: Uint8Array): string | null {
  const { signature } = placesIn(bytes);
  const all = bytes.subarray(signature.at, signature.at + signature.bytes);
  if (signature.at + signature.bytes !== bytes.length) return 'the signature is not the end of the file';
  const view = viewOf(all);
  if (all.length < 20 || view.getUint32(0) !== embeddedSignature) return 'there is no signature';
  const at = view.getUint32(16);
  if (view.getUint32(12) !== 0 || view.getUint32(at) !== codeDirectory) return 'there is no code directory';
  const hashes = at + view.getUint32(at + 16);
  const slots = view.getUint32(at + 28);
  const limit = view.getUint32(at + 32);
  if (limit !== signature.at) return `${signature.at - limit} bytes before the signature are not signed`;
  if (view.getUint8(at + 37) !== sha256) return 'the hashes are not SHA-256';
  const page = 2 ** view.getUint8(at + 39);
  if (slots !== Math.ceil(limit / page)) return 'it signs another number of pages';
  for (let i = 0; i < slots; i++) {
    const hash = sha256Of(bytes.subarray(i * page, Math.min((i + 1) * page, limit)));
    const signed = all.subarray(hashes + i * hashBytes, hashes + (i + 1) * hashBytes);
    if (!hash.equals(signed)) return `page ${i} of ${slots} has another hash`;
  }
  return null;
}

/** The same executable with its signature replaced by an ad hoc one. */
export function signedAdHoc(bytes: Uint8Array, identifier: string): Uint8Array {
  const { command, signature, linkEdit, text } = placesIn(bytes);
  const limit = signature.at;
  const slots = Math.ceil(limit / 2 ** pageShift);
  const name = new TextEncoder().encode(`${identifier}\0`);
  const directory = directoryBytes + name.length + slots * hashBytes;
  const length = 20 + directory;

  const signed = new Uint8Array(limit + length);
  signed.set(bytes.subarray(0, limit));
  const file = viewOf(signed);
  // The first page contains these numbers, so they are written before it is hashed.
  file.setUint32(command + 12, length, true);
  const inLinkEdit = BigInt(limit + length) - file.getBigUint64(linkEdit + 40, true);
  file.setBigUint64(linkEdit + 48, inLinkEdit, true);
  file.setBigUint64(linkEdit + 32, (inLinkEdit + 4_095n) & ~4_095n, true);

  const view = viewOf(signed.subarray(limit));
  const words = (at: number, values: readonly number[]) =>
    values.forEach((value, i) => view.setUint32(at + 4 * i, value));
  words(0, [embeddedSignature, length, 1, 0, 20]);
  const hashOffset = directoryBytes + name.length;
  words(20, [codeDirectory, directory, 0x2_0400, adHoc, hashOffset, directoryBytes, 0, slots, limit]);
  view.setUint8(56, hashBytes);
  view.setUint8(57, sha256);
  view.setUint8(59, pageShift);
  view.setBigUint64(84, text.at);
  view.setBigUint64(92, text.bytes);
  view.setBigUint64(100, mainBinary);
  signed.set(name, limit + 20 + directoryBytes);
  const hashes = limit + 20 + hashOffset;
  for (let i = 0; i < slots; i++) {
    const page = signed.subarray(i << pageShift, Math.min((i + 1) << pageShift, limit));
    signed.set(sha256Of(page), hashes + i * hashBytes);
  }
  return signed;
}
