import { fail } from '../errors.ts';

export const mebibyte = 1024 * 1024;

/** Bodies of tools may hold thousands of records. */
export const toolBodyLimit = 16 * mebibyte;

/** Whether a header names this media type: parameters and letter case do not matter. */
export function isMediaType(header: string | null, type: string): boolean {
  return header?.split(';', 1)[0]?.trim().toLowerCase() === type;
}

/** Whether a request brings a body: where everything in it may be left out, so may the body itself. */
export function hasBody({ headers }: Request): boolean {
  return (
    headers.get('content-length') !== '0' &&
    (headers.has('content-length') || headers.has('transfer-encoding'))
  );
}

/**
 * The JSON document of a request.
 * @param limit bytes; nothing beyond it is read.
 * @throws Fault UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, INVALID_JSON (not JSON, or not UTF-8).
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  if (!isMediaType(request.headers.get('content-type'), 'application/json')) {
    throw fail.UNSUPPORTED_MEDIA_TYPE('The body must be sent as application/json.');
  }
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw fail.UNSUPPORTED_MEDIA_TYPE('The body must be sent without a Content-Encoding.');
  }
  const bytes = await readBytes(request, limit);
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch {
    throw fail.INVALID_JSON('The body is not a JSON document in UTF-8.');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () => fail.PAYLOAD_TOO_LARGE(`The body must not be larger than ${limit} bytes.`);
  const announced = request.headers.get('content-length');
  if (announced !== null) {
    if (Number(announced) > limit) throw tooLarge();
    // The server reads no more than was announced, so this is bounded.
    return await request.bytes();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
