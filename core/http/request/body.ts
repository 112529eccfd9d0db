import { fail } from '../../base/errors.ts';
import { isAbort } from '../../base/foreign-errors.ts';
import { pruneJson, type PruneLimits } from '../../json/json-prune.ts';
import {
  JsonScan,
  parsePieces,
  tokensAtOnce,
  type JsonFault,
  type JsonLimits,
} from '../../json/json-scan.ts';
import { inTurns, nextTurn, turnIsOver } from '../../base/turns.ts';
import { bodyBudget, smallBody } from './body-budget.ts';

export const mebibyte = 1024 * 1024;

export interface BodyLimits extends JsonLimits {
  readonly bytes: number;
  /** Values to leave out instead of refusing them, for routes whose clients cannot repair a request. `bytes` must be small then. */
  readonly prune?: PruneLimits;
}

/** Levels of objects and arrays in a request body. */
export const bodyDepth = 64;

/** The limits of a body that does not contain thousands of records. */
const limitsOf = (bytes: number): BodyLimits => ({ bytes, depth: bodyDepth, tokens: tokensAtOnce });

/** The maximum bytes of a tool's body, which may contain thousands of records. The number of tokens depends on the operation. */
export const toolBodyLimit = 16 * mebibyte;

/** Whether a header names this media type, ignoring parameters and letter case. */
export function isMediaType(header: string | null, type: string): boolean {
  return header?.split(';', 1)[0]?.trim().toLowerCase() === type;
}

/** Whether a request has a body. It is optional when all parameters are. */
export function hasBody({ headers }: Request): boolean {
  return (
    headers.get('content-length') !== '0' &&
    (headers.has('content-length') || headers.has('transfer-encoding'))
  );
}

/** @throws Fault UNSUPPORTED_MEDIA_TYPE. The size of what arrives is what is limited. */
export function requireUncompressed({ headers }: Request): void {
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw fail.UNSUPPORTED_MEDIA_TYPE('The body must be sent without a Content-Encoding.', {
      tip: 'Send the body uncompressed, without the header "Content-Encoding".',
    });
  }
}

/**
 * The JSON document of a request body. Its cost is counted while it arrives: nothing beyond a limit is read. A large but allowed
 * document is parsed in pieces, and between them it yields to other requests.
 * @param limit a number of bytes means a document of at most 64 levels and 40,000 values.
 * @throws Fault UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, SERVER_BUSY, INVALID_JSON (not JSON, or not UTF-8).
 * @example const body = await readJson(request, 64 * 1024);
 */
export async function readJson(request: Request, limit: number | BodyLimits): Promise<unknown> {
  const limits = typeof limit === 'number' ? limitsOf(limit) : limit;
  if (!isMediaType(request.headers.get('content-type'), 'application/json')) {
    throw fail.UNSUPPORTED_MEDIA_TYPE('The body must be sent as application/json.');
  }
  requireUncompressed(request);
  const announced = Number(request.headers.get('content-length') ?? Infinity);
  if (announced <= Math.min(cheapBytes, limits.bytes)) {
    // The server reads no more bytes than were announced.
    const few = await request.bytes().catch(brokenOff);
    return parsed(() => JSON.parse(utf8.decode(few)) as unknown);
  }
  const scan = new JsonScan(limits);
  const received = await readBytes(request, limits, limits.prune ? null : scan);
  const bytes = limits.prune ? pruneJson(received, limits.prune) : received;
  const fault = limits.prune ? scan.take(bytes) : null;
  if (fault) throw refused(fault, limits);
  if (scan.cuts.length === 0 && scan.longTexts.length === 0)
    return parsed(() => JSON.parse(utf8.decode(bytes)) as unknown);
  return parsed(() => inTurns(parsePieces(bytes, scan), request.signal));
}

async function parsed(parse: () => unknown): Promise<unknown> {
  try {
    return await parse();
  } catch {
    throw fail.INVALID_JSON('The body is not a JSON document in UTF-8.');
  }
}

/** A body of this size is never expensive (at most 4 ms) and is not scanned. Most requests are smaller. */
const cheapBytes = 4 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const budget = bodyBudget();

/**
 * The bytes of a request body, at most `limit`.
 * @throws Fault PAYLOAD_TOO_LARGE, SERVER_BUSY.
 */
export const readAll = (request: Request, limit: number): Promise<Uint8Array> =>
  readBytes(request, limitsOf(limit), null);

/** The client has closed its connection. The signal of the request aborts only later. */
function brokenOff(error: unknown): never {
  throw isAbort(error) ? fail.CLIENT_LEFT('The client closed the connection.') : error;
}

async function readBytes(request: Request, limits: BodyLimits, scan: JsonScan | null): Promise<Uint8Array> {
  const tooLarge = () => fail.PAYLOAD_TOO_LARGE(`The body must not be larger than ${limits.bytes} bytes.`);
  const take = (chunk: Uint8Array) => {
    const fault = scan?.take(chunk);
    if (fault) throw refused(fault, limits);
  };
  const announced = request.headers.get('content-length');
  if (announced !== null) {
    if (Number(announced) > limits.bytes) throw tooLarge();
    if (Number(announced) <= smallBody) {
      // The server reads no more bytes than were announced.
      const bytes = await request.bytes().catch(brokenOff);
      take(bytes);
      return bytes;
    }
  }
  // Reserves the whole announced length: the server buffers what arrives, also before it is read (measured: reserving only what was
  // read let 600 bodies of 1 MB take 550 MB, this 115 MB).
  const reserved = announced === null ? 0 : Number(announced);
  const place = budget.place();
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    if (reserved > 0) place.grow(reserved);
    for (;;) {
      const part = await Promise.race([reader?.read().catch(brokenOff), place.lost]);
      if (!part?.value) break;
      size += part.value.byteLength;
      if (size > limits.bytes) throw tooLarge();
      if (size > Math.max(smallBody, reserved)) place.grow(part.value.byteLength);
      take(part.value);
      chunks.push(part.value);
      if (turnIsOver()) await nextTurn(request.signal);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    // Discards the rest instead of buffering it.
    void reader?.cancel().catch(() => {});
    throw error;
  } finally {
    place.release();
  }
}

function refused(fault: JsonFault, { depth, tokens }: BodyLimits) {
  switch (fault) {
    case 'depth':
      return fail.PAYLOAD_TOO_LARGE(`The body must not be nested deeper than ${depth} levels.`, {
        cause: 'depth',
      });
    case 'tokens':
      return fail.PAYLOAD_TOO_LARGE(
        `The body holds too many values: at most ${tokens} commas, colons and opening brackets in all` +
          `${tokens > tokensAtOnce ? `, ${tokensAtOnce} in one item` : ''}.`,
        { cause: 'values' },
      );
    case 'syntax':
      return fail.INVALID_JSON('The body is not a JSON document in UTF-8.');
  }
}
