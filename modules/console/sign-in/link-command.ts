import { isoTime } from '../../../core/base/clock.ts';
import { exit, UsageError } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import { consoleSignInPath, linkOwner, signInLink } from '../../auth/index.ts';
import { consoleLinkSettings } from '../base/settings.ts';

/** `trivet console link --email E`, or `--user-id N`. Whoever owns the machine may let anybody in. */
export async function createLink(host: Host): Promise<CommandAnswer> {
  const { email, 'user-id': userId } = host.config.read(consoleLinkSettings);
  if (email === undefined && userId === undefined)
    throw new UsageError('--email is required: whom does the link sign in?', exit.usage);
  const { user, isNew } = await host.db.tx((q) => linkOwner(q, { email, userId }, host.clock.now()), {
    serializable: 'one local user for one e-mail address',
  });
  const { url, expiresAt } = await signInLink(host, { userId: user.id, path: consoleSignInPath });
  return {
    data: { url, expiresAt: isoTime(expiresAt) },
    text: url,
    ...(isNew && { note: `Nobody had the address: user ${user.id} is a new administrator.` }),
  };
}
