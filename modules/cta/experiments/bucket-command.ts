import { UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { bucketSettings } from '../base/command-settings.ts';
import { canonicalUserId } from '../base/parameters.ts';
import { bucketOf } from '../rules/cohort.ts';

/** Prints the bucket of a user, from nothing but the arguments. @throws UsageError, Fault INVALID_REQUEST for a number beyond 64 bits. */
export function printBucket({ config }: Pick<Host, 'config'>): CommandAnswer {
  const { seed, user } = config.read(bucketSettings);
  if (seed === undefined || user === undefined)
    throw new UsageError('Give --seed and --user: trivet cta bucket --seed spring --user 42');
  const userId = canonicalUserId(user, '--user');
  const bucket = bucketOf(seed, userId);
  return { data: { seed, userId, bucket }, text: String(bucket) };
}
