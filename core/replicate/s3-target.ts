import { Type } from '@sinclair/typebox';
import { UsageError } from '../base/errors.ts';
import { isMissingObject, isRefusedByBucket } from '../base/foreign-errors.ts';
import { check, closedObject } from '../base/schema.ts';
import type { Listed } from './replica-listing.ts';
import type { ReplicaTarget } from './replica-target.ts';

const S3File = closedObject({
  endpoint: Type.Optional(Type.String({ pattern: '^https?://[^\\s/]+' })),
  region: Type.Optional(Type.String()),
  'access-key-id': Type.String({ minLength: 1 }),
  'secret-access-key': Type.String({ minLength: 1 }),
  'session-token': Type.Optional(Type.String()),
});

/** How long one request may take. A server that hangs counts as away, and what was sent is sent again. */
const requestMs = 30_000;
const removedAtOnce = 16;
/** Waits before a failed read is repeated: a busy server returns 500 or 503 for a moment, which must not end a restore. */
const readAgainMs = [200, 600, 1_500];

/**
 * A replica in a bucket of an S3 server.
 * @param text of the file with its address and keys, TOML.
 * @throws UsageError when the text is missing or wrong.
 */
export function s3Target(
  url: string,
  bucket: string,
  prefix: string,
  text: string | undefined,
): ReplicaTarget {
  const { endpoint, region, ...keys } = readS3File(text);
  const client = new Bun.S3Client({
    bucket,
    accessKeyId: keys['access-key-id'],
    secretAccessKey: keys['secret-access-key'],
    ...(keys['session-token'] === undefined ? {} : { sessionToken: keys['session-token'] }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
  });
  const base = prefix === '' ? '' : `${prefix}/`;

  const list = async (from: string, after?: string): Promise<readonly Listed[]> => {
    const found: Listed[] = [];
    let token: string | undefined;
    do {
      const where = {
        ...(after === undefined || token !== undefined ? {} : { startAfter: `${base}${after}` }),
        ...(token === undefined ? {} : { continuationToken: token }),
      };
      const page = await read(() => client.list({ prefix: `${base}${from}`, maxKeys: 1_000, ...where }));
      for (const { key, size } of page.contents ?? [])
        found.push({ key: key.slice(base.length), bytes: Number(size ?? 0) });
      token = page.isTruncated ? page.nextContinuationToken : undefined;
    } while (token !== undefined);
    return found.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  };

  return {
    name: url,
    list,
    get: async (key) => {
      try {
        return new Uint8Array(await read(() => client.file(`${base}${key}`).arrayBuffer()));
      } catch (error) {
        if (isMissingObject(error)) return undefined;
        throw error;
      }
    },
    put: async (key, bytes) => {
      await limited(client.write(`${base}${key}`, bytes));
    },
    remove: async (keys) => {
      for (let at = 0; at < keys.length; at += removedAtOnce)
        await Promise.all(
          keys.slice(at, at + removedAtOnce).map((key) => limited(client.delete(`${base}${key}`))),
        );
    },
  };
}

function readS3File(text: string | undefined) {
  const form =
    'Name a file with --replicate-keys-file that has these lines: endpoint = "https://…" (unless it is AWS), region = "…", ' +
    'access-key-id = "…", secret-access-key = "…".';
  if (text === undefined) throw new UsageError(`An address s3://… needs keys. ${form}`);
  let value: unknown;
  try {
    value = Bun.TOML.parse(text);
  } catch {
    throw new UsageError(`The file of --replicate-keys is no TOML. ${form}`);
  }
  const checked = check(S3File, value);
  if (!checked.ok) throw new UsageError(`The file of --replicate-keys is not complete. ${form}`);
  return checked.value;
}

/** Whether a repeated request is of no use. One that hung has taken its time already. */
const isFinal = (error: unknown) =>
  error instanceof NoAnswer || isMissingObject(error) || isRefusedByBucket(error);

/** Repeats a request that failed, unless it would fail again. */
async function read<T>(request: () => Promise<T>): Promise<T> {
  for (const waitMs of readAgainMs)
    try {
      return await limited(request());
    } catch (error) {
      if (isFinal(error)) throw error;
      await Bun.sleep(waitMs);
    }
  return limited(request());
}

class NoAnswer extends Error {}

/** @throws NoAnswer when the request has not ended within its time. */
async function limited<T>(request: Promise<T>): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => over.reject(new NoAnswer(`the server did not answer within ${requestMs / 1000} s`)),
    requestMs,
  );
  try {
    return await Promise.race([request, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
