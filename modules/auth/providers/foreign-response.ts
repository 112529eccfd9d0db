import { certificateFailure } from '../../../core/base/foreign-errors.ts';

/* Documents of other servers. Their content is under the control of whoever runs the server or may name it (client documents). */

/**
 * One request, whose response is not decompressed: 96 kB of zstd took 3.7 GB before a limit of bytes could count (measured). Redirects are
 * not followed, because they could lead to any address of the local network.
 */
export async function fetchForeign(
  url: string | URL,
  { headers, ...init }: BunFetchRequestInit = {},
): Promise<Response> {
  const asked = new Headers(headers);
  asked.set('accept-encoding', 'identity');
  try {
    return await fetch(url, { ...init, headers: asked, redirect: 'manual', decompress: false });
  } catch (error) {
    const certificate = certificateFailure(error);
    if (!certificate) throw error;
    // Texts for the log and `trivet auth doctor`.
    throw new Error(`${certificate.what}. ${certificate.remedy}`, { cause: error });
  }
}

/** The reason why a body was not read. */
export class ForeignResponseFault extends Error {
  constructor(readonly reason: 'encoding' | 'size') {
    super(reason === 'size' ? 'the answer is too large' : 'the answer has a Content-Encoding');
  }
}

/** The body of a response, at most `limit` bytes. @throws ForeignResponseFault. */
export async function readForeign(response: Response, limit: number): Promise<Buffer<ArrayBuffer>> {
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') {
    void response.body?.cancel().catch(() => {});
    throw new ForeignResponseFault('encoding');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw new ForeignResponseFault('size');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
