import { exit, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { devIdTokenSettings } from '../base/command-settings.ts';
import { requireMasterKey } from '../keys/master-key-check.ts';
import { devTokenSeconds, mintDevIdToken } from './dev-provider.ts';

/** Mints an ID token that a server started with `--dev` on the same data directory accepts. @throws UsageError. */
export async function createDevIdToken(host: Host): Promise<CommandAnswer> {
  const { email } = host.config.read(devIdTokenSettings);
  if (email === undefined) throw new UsageError('--email is required: who signs in?', exit.usage);
  await requireMasterKey(host);
  const idToken = await mintDevIdToken(host, email);
  return { data: { idToken, idProvider: 'dev', expiresIn: devTokenSeconds }, text: idToken };
}
