import { perHost, type Host } from '../../../core/host/host.ts';
import {
  applyGroupRoles,
  forgetGroups,
  groupChangesOf,
  usersWithGroupRoles,
  usersWithGroupsBefore,
} from '../people/group-role-store.ts';
import { providers } from '../providers/configured-providers.ts';
import { endLost } from '../sessions/session-revocation.ts';

const usersAtOnce = 100;
const rule = { serializable: 'groups and people give roles to one member' };

/** Whether this process has compared the stored roles with its settings. */
const compared = perHost(() => ({ done: false }));

/**
 * Takes away the roles of groups that count no longer: those whose sign-in is older than `groupsMaxAge`, and, once after the start, those
 * that the settings of this process do not give any more.
 */
export async function endOldGroupRoles(host: Host, signal?: AbortSignal): Promise<void> {
  const state = compared(host);
  if (!state.done) await compareWithSettings(host, signal);
  state.done ||= signal?.aborted !== true;
  for (const { name, groupMapping } of providers(host).values()) {
    if (!groupMapping) continue;
    for (;;) {
      if (signal?.aborted === true) return;
      const now = host.clock.now();
      const before = now - groupMapping.maxAgeMs;
      const found = await usersWithGroupsBefore(host.db.q, name, before, usersAtOnce);
      for (const userId of found)
        await host.db.tx(async (q) => {
          await forgetGroups(q, userId, name, before);
          const roles = await applyGroupRoles(q, host, { userId, provider: name, now });
          await endLost(q, userId, roles, now);
        }, rule);
      if (found.length < usersAtOnce) break;
    }
  }
}

async function compareWithSettings(host: Host, signal: AbortSignal | undefined): Promise<void> {
  for (let after = 0; ;) {
    if (signal?.aborted === true) return;
    const found = await usersWithGroupRoles(host.db.q, after, usersAtOnce);
    for (const userId of found) {
      const now = host.clock.now();
      if ((await groupChangesOf(host.db.q, host, userId, now)).changes.length === 0) continue;
      await host.db.tx(
        async (q) => endLost(q, userId, await applyGroupRoles(q, host, { userId, now }), now),
        rule,
      );
    }
    after = found.at(-1) ?? after;
    if (found.length < usersAtOnce) return;
  }
}
