import type { Role } from '../../../core/base/actor.ts';
import type { Host } from '../../../core/host/host.ts';
import { writeRoleChange } from '../audit/audit-store.ts';
import { localTokenOwner } from './token-owner.ts';

/** Adds a local user with a name to the first organization, as its owner on the machine may. Such a user cannot sign in. */
export async function addLocalMember(
  { db, clock }: Pick<Host, 'db' | 'clock'>,
  { email, name, role }: { readonly email: string; readonly name: string; readonly role: Role },
): Promise<void> {
  const now = clock.now();
  await db.tx(
    async (q) => {
      const { user, orgId } = await localTokenOwner(q, email, { role, newcomer: role, name }, now);
      await writeRoleChange(q, now, { userId: user.id, orgId, role }, { surface: 'cli' });
    },
    { serializable: 'one local user for one e-mail address' },
  );
}
