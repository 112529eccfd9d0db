import type { TObject, TSchema } from '@sinclair/typebox';
import { fail } from '../../base/errors.ts';
import type { GivenFile } from '../../base/given-file.ts';
import { textHead } from '../../text/text-head.ts';
import { isMediaType, mebibyte, readAll } from './body.ts';
import { queryOf } from './query.ts';

/** The maximum bytes of a body with files. A client may compress them (gzip): the operation limits the uncompressed size. */
const filesBodyLimit = 32 * mebibyte;

/**
 * The maximum number of parts of a form. 31 MiB may contain 450,000 of them, which block all other requests for 240 ms (measured); this
 * many take 2 ms.
 */
const partLimit = 10_000;

export const isMultipart = (request: Request): boolean =>
  isMediaType(request.headers.get('content-type'), 'multipart/form-data');

interface FilesBody {
  /** The fields that are not files. */
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly GivenFile[];
}

/**
 * A body with files: the parts of multipart/form-data (RFC 7578), or a single file, as sent by `curl --data-binary @report.xml`.
 * @throws Fault PAYLOAD_TOO_LARGE, SERVER_BUSY, UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST.
 */
export async function readGivenFiles(request: Request): Promise<FilesBody> {
  const type = request.headers.get('content-type');
  if (isMediaType(type, 'application/json'))
    throw fail.UNSUPPORTED_MEDIA_TYPE('Send the files as multipart/form-data, or one file as it is.', {
      tip: 'Send one file, also of JSON, with the header "Content-Type: application/octet-stream".',
    });
  const bytes = (await readAll(request, filesBodyLimit)) as Uint8Array<ArrayBuffer>;
  if (!isMultipart(request)) return { fields: new Map(), files: [fileOf('file', bytes)] };
  const boundary = boundaryOf(type ?? '');
  refuseManyParts(bytes, boundary);
  let form: { entries(): Iterable<[string, string | File]> };
  try {
    // Parsed with the boundary by which the parts were counted, whatever else the header says.
    const counted = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
    form = await new Response(bytes, { headers: counted }).formData();
  } catch {
    throw fail.INVALID_REQUEST('The body is not multipart/form-data, or not all of it arrived.');
  }
  const fields = new Map<string, string>();
  const files: GivenFile[] = [];
  for (const [name, value] of form.entries()) {
    if (typeof value !== 'string') files.push(fileOf(value.name || name, value));
    else if (fields.has(name)) throw fail.INVALID_REQUEST(`The form has ${name} twice.`, { cause: name });
    else fields.set(name, value);
  }
  return { fields, files };
}

/** The characters of a boundary (RFC 2046 §5.1.1), without those that would end its quotes. */
const boundaryForm = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

/**
 * The boundary of a form. Refuses a header that another parser could read differently: with `xboundary=zz; boundary=b` the parts were
 * counted by the first boundary and parsed by the second.
 * @throws Fault INVALID_REQUEST.
 */
function boundaryOf(type: string): string {
  const boundaries = type
    .split(';')
    .slice(1)
    .flatMap((parameter) => {
      const at = parameter.indexOf('=');
      const isBoundary = parameter.slice(0, Math.max(0, at)).trim().toLowerCase() === 'boundary';
      return isBoundary ? [parameter.slice(at + 1).trim()] : [];
    });
  const boundary = (boundaries[0] ?? '').replace(/^"(.*)"$/s, '$1');
  if (boundaries.length === 1 && boundaryForm.test(boundary)) return boundary;
  throw fail.INVALID_REQUEST(
    'The Content-Type multipart/form-data needs exactly one boundary, as RFC 2046 describes it.',
    { cause: 'boundary' },
  );
}

/** @throws Fault PAYLOAD_TOO_LARGE before the form is read. */
function refuseManyParts(bytes: Uint8Array, boundary: string): void {
  const delimiter = `--${boundary}`;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = -1, parts = 0; (at = body.indexOf(delimiter, at + 1)) >= 0;)
    if (++parts > partLimit)
      throw fail.PAYLOAD_TOO_LARGE(`The form must not have more than ${partLimit} parts.`, {
        cause: 'parts',
      });
}

/** The chunk size of a file: the stream of a Blob would copy all of it first. */
const takenAtOnce = 256 * 1024;

const fileOf = (name: string, whole: Uint8Array | Blob): GivenFile => ({
  name: textHead(name, 255),
  chunks: async function* () {
    const size = whole instanceof Blob ? whole.size : whole.byteLength;
    for (let from = 0; from < size; from += takenAtOnce) {
      const to = from + takenAtOnce;
      yield whole instanceof Blob ? await whole.slice(from, to).bytes() : whole.subarray(from, to);
    }
  },
});

/** Converts the parameters of a query or form from texts. Text that cannot be converted stays, so that the check names the problem. */
export function inputOfTexts(
  texts: Iterable<readonly [string, string]>,
  { properties }: TObject,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, text] of texts) {
    if (Object.hasOwn(input, name))
      throw fail.INVALID_REQUEST(`${name} is given twice.`, { cause: name.slice(0, 64) });
    input[name] = typed(text, properties[name]);
  }
  return input;
}

function typed(text: string, schema: TSchema | undefined): unknown {
  switch (schema?.['type']) {
    case 'integer':
      return /^-?\d{1,16}$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
    default:
      return text;
  }
}

/** The input of an operation from the query and the fields of a form. */
export const inputOfForm = (request: Request, { fields }: FilesBody, schema: TObject) =>
  inputOfTexts([...queryOf(request), ...fields], schema);
