/** Images that a browser shows in place, by their first bytes (mimesniff.spec.whatwg.org §6.1). */
const images: ReadonlyArray<{ readonly type: string; readonly fits: (first: Uint8Array) => boolean }> = [
  { type: 'image/png', fits: (b) => begins(b, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { type: 'image/jpeg', fits: (b) => begins(b, [0xff, 0xd8, 0xff]) },
  { type: 'image/gif', fits: (b) => begins(b, ascii('GIF87a')) || begins(b, ascii('GIF89a')) },
  { type: 'image/webp', fits: (b) => begins(b, ascii('RIFF')) && begins(b.subarray(8), ascii('WEBPVP')) },
];

const ascii = (text: string): readonly number[] => [...Buffer.from(text, 'latin1')];

const begins = (bytes: Uint8Array, expected: readonly number[]): boolean =>
  expected.every((byte, index) => bytes[index] === byte);

/** type/subtype of RFC 9110 §8.3.1, without parameters. */
const form = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60}$/;

/** What a browser would run or load as part of our origin. They are stored and returned as bytes of no type. */
const active = /html|xml|xsl|svg|script|css|wasm|manifest|pdf|flash|multipart|message\//;

/**
 * The media type under which a file is stored: that of an image only if its first bytes are those of one, whatever was given; another
 * given type unless a browser could run it.
 * @param first at least its first 16 bytes, fewer if it has no more.
 */
export function mediaTypeOf(given: string | undefined, first: Uint8Array): string {
  const image = images.find(({ fits }) => fits(first));
  if (image) return image.type;
  const type = given?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!form.test(type) || active.test(type) || type.startsWith('image/')) return 'application/octet-stream';
  return type;
}

/** Whether a stored media type is that of an image whose bytes were checked. */
export const isImage = (mediaType: string): boolean => images.some(({ type }) => type === mediaType);
