import { UsageError } from '../base/errors.ts';
import type { ReplicaTarget } from './replica-target.ts';

/** Whether a word names a replica rather than a file. */
export const namesReplica = (word: string): boolean => /^(file|s3):\/\//.test(word);

/**
 * Opens the target of an address.
 * @param s3 the text of the file with the address and the keys of an S3 server.
 * @throws UsageError for an address that names no target.
 */
export async function openTarget(url: string, s3: string | undefined): Promise<ReplicaTarget> {
  if (url.startsWith('file://')) {
    if (!url.startsWith('file:///') || url.length < 9)
      throw new UsageError(`${url} names no directory: write file:///path/of/the/directory.`);
    const { directoryTarget } = await import('./directory-target.ts');
    return directoryTarget(Bun.fileURLToPath(url));
  }
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?)\/?)?$/.exec(url) ?? [];
  if (bucket === undefined)
    throw new UsageError(`${url} is no address of a replica: write file:///directory or s3://bucket/prefix.`);
  const { s3Target } = await import('./s3-target.ts');
  return s3Target(url, bucket, prefix, s3);
}
