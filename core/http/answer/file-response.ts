import { headersOfPart, type FileAnswer, type StoredFile } from '../../tools/file-answer.ts';

/** A success response that streams a file. A failure breaks the connection, so that a partial file does not look complete. */
export const fileResponse = (file: FileAnswer): Response =>
  new Response(streamOf(file.chunks()), {
    headers: {
      'Content-Type': file.mediaType,
      'Content-Disposition': `attachment; filename="${asciiName(file.name)}"`,
      ...(file.part && headersOfPart(file.part)),
    },
  });

/** One chunk is read when the client has taken the one before. */
function streamOf(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await chunks.return?.()),
  });
}

const asciiName = (name: string) => name.replaceAll(/[^\w.-]/g, '_');

/** The characters that RFC 8187 §3.2.1 allows unencoded and encodeURIComponent leaves. */
const extendedName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * A stored file, or the part of it that the request asks for (RFC 9110 §14). Only an image is shown in place: everything else is a
 * download, and a browser that opens it anyway runs nothing of it (`sandbox`).
 */
export function storedFileResponse(file: FileAnswer, stored: StoredFile, request: Request): Response {
  const { size, etag, isImage } = stored;
  const tag = `"${etag}"`;
  const headers: Record<string, string> = {
    'Content-Type': file.mediaType,
    'Content-Disposition': `${isImage ? 'inline' : 'attachment'}; filename="${asciiName(file.name)}"; filename*=UTF-8''${extendedName(file.name)}`,
    'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Accept-Ranges': 'bytes',
    ETag: tag,
    // Who may not read it any more must not get it from a cache. With no-cache the Back button of Chromium shows it without asking.
    'Cache-Control': 'no-store',
  };
  const known = request.headers.get('if-none-match');
  if (known !== null && known.split(',').some((one) => one.trim() === tag || one.trim() === '*'))
    return new Response(null, { status: 304, headers });
  // A range is for GET only (RFC 9110 §14.2).
  const asked = request.method === 'HEAD' ? null : request.headers.get('range');
  const sameFile = request.headers.get('if-range') ?? tag;
  const range = asked === null || sameFile !== tag ? null : rangeOf(asked, size);
  if (range === null)
    return new Response(streamOf(file.chunks()), {
      headers: { ...headers, 'Content-Length': String(size) },
    });
  if (range === 'outside')
    return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } });
  const { from, to } = range;
  return new Response(streamOf(stored.part(from, to)), {
    status: 206,
    headers: {
      ...headers,
      'Content-Length': String(to - from),
      'Content-Range': `bytes ${from}-${to - 1}/${size}`,
    },
  });
}

const oneRange = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** One range of a file; null: the whole file, e.g. for several ranges, which a server may ignore (RFC 9110 §14.2). */
function rangeOf(
  header: string,
  size: number,
): { readonly from: number; readonly to: number } | 'outside' | null {
  const [, first = '', last = ''] = oneRange.exec(header) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'outside' : { from: size - length, to: size };
  }
  const from = Number(first);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  if (last !== '' && Number(last) < from) return null;
  return from >= size ? 'outside' : { from, to };
}
