import type { GivenFile } from '../../base/given-file.ts';
import { fail } from '../../base/errors.ts';
import { isAbort } from '../../base/foreign-errors.ts';

/** Bodies that one person may stream at once, and all together: the server buffers what arrives before it is read. */
const [mostOfPerson, mostOfAll] = [4, 16];

const open = new Map<number, number>();

/**
 * Counts a body that is streamed: by person, who may have any number of tokens. @returns what ends the count.
 * @throws Fault SERVER_BUSY.
 */
export function admitStream(userId: number): () => void {
  const own = open.get(userId) ?? 0;
  const all = [...open.values()].reduce((sum, count) => sum + count, 0);
  if (own >= mostOfPerson || all >= mostOfAll)
    throw fail.SERVER_BUSY('Too many files are being received at once.', { cause: 'bodies', retryAfter: 1 });
  open.set(userId, own + 1);
  return () => {
    const left = (open.get(userId) ?? 1) - 1;
    if (left === 0) open.delete(userId);
    else open.set(userId, left);
  };
}

/**
 * The body of a request as one file, which is read while it arrives. Its name is in `X-File-Name`, percent-encoded or as RFC 8187 has it
 * (`UTF-8''na%C3%AFve.png`).
 * @param arrived is called when the whole body has arrived; if it throws, the file is refused.
 */
export function streamedFile(request: Request, arrived?: () => Promise<void>): GivenFile {
  const encoding = request.headers.get('content-encoding');
  // The size of what arrives is what is limited.
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw fail.UNSUPPORTED_MEDIA_TYPE('The file must be sent without a Content-Encoding.', {
      tip: 'Send the file as it is, without the header "Content-Encoding".',
    });
  const announced = request.headers.get('content-length');
  return {
    name: fileNameOf(request.headers.get('x-file-name')),
    mediaType: request.headers.get('content-type') ?? undefined,
    size: announced === null ? undefined : Number(announced),
    chunks: async function* () {
      yield* bodyOf(request, announced === null ? undefined : Number(announced));
      await arrived?.();
    },
  };
}

async function* bodyOf(request: Request, announced: number | undefined): AsyncGenerator<Uint8Array> {
  let received = 0;
  try {
    for await (const chunk of request.body ?? []) {
      received += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    throw isAbort(error) ? fail.CLIENT_LEFT('The client closed the connection.') : error;
  }
  // A connection that ends early looks like the end of the body.
  if (request.signal.aborted || (announced !== undefined && received < announced))
    throw fail.CLIENT_LEFT('The client closed the connection.');
}

const extended = /^utf-8'[A-Za-z0-9-]{0,35}'(.*)$/i;

/** @throws Fault INVALID_REQUEST for a name that does not decode. */
function fileNameOf(header: string | null): string {
  if (header === null) return 'file';
  const encoded = extended.exec(header)?.[1] ?? header;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw fail.INVALID_REQUEST('X-File-Name must be percent-encoded UTF-8, as encodeURIComponent makes it.', {
      cause: 'X-File-Name',
    });
  }
}
