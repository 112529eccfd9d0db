import { expect, test } from 'bun:test';
import { signatureFault, signedAdHoc } from './mach-signature.ts';

/*
 * Uses a small executable that is made here. At every release, the signature of the real executables is compared with the one that Bun
 * itself would write (release/try.ts).
 *
 * Mutation note: seen to fail when the last page is hashed with zeros behind it, when the first page is hashed before its numbers are
 * written, and when what lies beyond the limit of the code is not looked at.
 */
const pages = 3;
const codeBytes = pages * 4_096 + 100;

/** A header, __TEXT, __LINKEDIT and the space for a signature; then meaningless bytes, and no signature. */
function executable(): Uint8Array {
  const bytes = Uint8Array.from({ length: codeBytes + 16 }, (_, i) => (i * 7) % 251);
  const view = new DataView(bytes.buffer);
  bytes.fill(0, 0, 32 + 72 * 2 + 16);
  view.setUint32(0, 0xfeedfacf, true);
  view.setUint32(16, 3, true);
  const segment = (at: number, name: string, fileAt: number, fileBytes: number) => {
    view.setUint32(at, 0x19, true);
    view.setUint32(at + 4, 72, true);
    bytes.set(new TextEncoder().encode(name), at + 8);
    view.setBigUint64(at + 40, BigInt(fileAt), true);
    view.setBigUint64(at + 48, BigInt(fileBytes), true);
  };
  segment(32, '__TEXT', 0, 4_096);
  segment(104, '__LINKEDIT', 8_192, codeBytes + 16 - 8_192);
  view.setUint32(176, 0x1d, true);
  view.setUint32(180, 16, true);
  view.setUint32(184, codeBytes, true);
  view.setUint32(188, 16, true);
  return bytes;
}

const changed = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));

test('what is signed is signed whole', () => {
  expect(signatureFault(executable())).toBe('there is no signature');
  const signed = signedAdHoc(executable(), 'trivet');
  expect(signatureFault(signed)).toBeNull();
  expect(signatureFault(signedAdHoc(signed, 'trivet'))).toBeNull();
  expect(signedAdHoc(signed, 'trivet')).toEqual(signed);
});

test.each([
  ['a byte of the header', 20 + 4, 'page 0 of 4 has another hash'],
  ['a byte of the second page', 5_000, 'page 1 of 4 has another hash'],
  ['the last byte of the code', codeBytes - 1, 'page 3 of 4 has another hash'],
  ['the magic of the signature', codeBytes, 'there is no signature'],
  ['the limit of the code', codeBytes + 20 + 35, 'bytes before the signature are not signed'],
])('%s', (_name, at, fault) => {
  const signed = signedAdHoc(executable(), 'trivet');
  expect(signatureFault(changed(signed, at))).toContain(fault);
});

test('bytes behind the signature, and what is no executable', () => {
  const signed = signedAdHoc(executable(), 'trivet');
  expect(signatureFault(Uint8Array.from([...signed, 0]))).toBe('the signature is not the end of the file');
  for (const bytes of [new Uint8Array(), new Uint8Array(100)])
    expect(() => signatureFault(bytes)).toThrow('This is no 64-bit Mach-O executable.');
});

test('the segment grows with the signature, in whole pages of memory', () => {
  const signed = signedAdHoc(executable(), 'trivet');
  const view = new DataView(signed.buffer);
  expect(view.getBigUint64(104 + 48, true)).toBe(BigInt(signed.length - 8_192));
  expect(view.getBigUint64(104 + 32, true) % 4_096n).toBe(0n);
});
