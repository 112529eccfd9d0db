import { addressKey } from '../../../core/text/letter-case.ts';
import type { Role } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { writeRoleChange } from '../audit/audit-store.ts';
import { rolesOf, setRole } from './member-store.ts';
import { insertUser, localIssuer, localUserNamed, usersWithAddress } from './user-store.ts';

/**
 * The user with the e-mail address of a person who comes from another installation: somebody who signs in with it, or else a local user,
 * who cannot sign in. A new user becomes a member of the organizations; the memberships of a known one stay.
 * @param role null: no member, e.g. because the person has left.
 */
export async function movedPerson(
  q: Query,
  person: {
    readonly email: string;
    readonly name: string;
    readonly role: Exclude<Role, 'admin'> | null;
    readonly orgIds: readonly number[];
  },
  now: number,
): Promise<{ readonly userId: number; readonly isNew: boolean }> {
  const [signsIn] = await usersWithAddress(q, person.email);
  const subject = addressKey(person.email);
  const known = signsIn ?? (await localUserNamed(q, subject));
  if (known) return { userId: known.id, isNew: false };
  const { email, name, role } = person;
  const user = await insertUser(q, now, { issuer: localIssuer, subject, provider: localIssuer, email, name });
  const held = await rolesOf(q, user.id);
  for (const orgId of role === null ? [] : person.orgIds) {
    if (held.has(orgId) || role === null) continue;
    await setRole(q, orgId, user.id, role, now);
    await writeRoleChange(q, now, { userId: user.id, orgId, role }, { surface: 'cli' });
  }
  return { userId: user.id, isNew: true };
}
