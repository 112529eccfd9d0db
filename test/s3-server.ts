import { chmodSync, writeFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import S3rver from 's3rver';
import { temporaryDirectory } from './temporary.ts';

/** A real S3 server on loopback, with one bucket. */
export interface S3Server {
  /** The file of `--replicate-keys-file`. */
  readonly keys: string;
  readonly url: string;
  /** The same server behind another port, which a test can make fail, hang or deny. */
  stop(): Promise<void>;
  /** The same server at an address of its own: another file of `--replicate-keys-file`. */
  behind(through: Through): string;
}

type Through = (request: Request) => Promise<Response> | undefined;

/** Starts it. @param through changes or answers requests before they reach it; undefined lets one pass. */
export async function startS3(through?: Through): Promise<S3Server> {
  const directory = temporaryDirectory('s3');
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'bucket', configs: [] }],
  });
  storeAtOnce(server.store);
  const { port } = await server.run();
  const proxies: Array<ReturnType<typeof proxyOf>> = [];
  const keysOf = (toPort: number): string => {
    const keys = join(directory, `keys-${toPort}.toml`);
    writeFileSync(
      keys,
      `endpoint = "http://127.0.0.1:${toPort}"\nregion = "us-east-1"\naccess-key-id = "S3RVER"\nsecret-access-key = "S3RVER"\n`,
    );
    chmodSync(keys, 0o600);
    return keys;
  };
  const behind = (given: Through): string => {
    const proxy = proxyOf(port, given);
    proxies.push(proxy);
    return keysOf(proxy.port ?? 0);
  };
  return {
    keys: through ? behind(through) : keysOf(port),
    url: 's3://bucket/trivet',
    behind,
    stop: async () => {
      for (const proxy of proxies) await proxy.stop(true);
      await server.close();
    },
  };
}

/**
 * An object is read as it was or as it is, as from any S3 server: this one writes into the file that others read, and one that takes over
 * once read half a claim.
 */
function storeAtOnce(store: S3rver['store']): void {
  const getObject = store.getObject.bind(store);
  const parts = temporaryDirectory('s3-parts');
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const bytes = Buffer.concat(await Array.fromAsync(content));
    const md5 = new Bun.CryptoHasher('md5').update(bytes).digest('hex');
    const part = join(parts, String(count++));
    await writeFile(part, bytes);
    const path = store.getResourcePath(bucket, key, 'object');
    await mkdir(dirname(path), { recursive: true });
    await inTurn(async () => {
      await rename(part, path);
      await store.putMetadata(bucket, key, metadata, md5);
    });
    return { size: bytes.length, md5 };
  };
  // It looks at the size, then opens the file: the size must be that of this file.
  store.getObject = (bucket, key, range) => inTurn(() => getObject(bucket, key, range));
}

const proxyOf = (port: number, through: Through) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // Whoever sent the request was killed meanwhile.
    error: () => new Response('', { status: 503 }),
    fetch: async (request) => {
      const answered = through(request);
      if (answered) return answered;
      const url = new URL(request.url);
      const body = request.body ? await request.arrayBuffer() : undefined;
      // The signature covers the name of the host that the client used.
      return fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, {
        method: request.method,
        headers: request.headers,
        ...(body === undefined ? {} : { body }),
        decompress: false,
      });
    },
  });
