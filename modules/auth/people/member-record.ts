import { Type } from '@sinclair/typebox';
import { roles } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import type { Member } from './member-store.ts';

const id = Type.Integer();
const optionalName = nullable(Type.String());

/** A {@link Member} as returned by tools. */
export const memberRecord = closedObject({
  userId: id,
  name: optionalName,
  email: optionalName,
  status: words(['active', 'disabled'], { description: 'A disabled user cannot sign in.' }),
  createdAt: Type.String(),
  lastSignInAt: optionalName,
  roles: Type.Array(
    closedObject({ orgId: id, role: words(roles, { description: 'What the user may do.' }) }),
  ),
});

export const memberRecordOf = ({ id, name, email, status, createdAt, lastSignInAt, roles }: Member) => ({
  userId: id,
  name,
  email,
  status,
  createdAt: isoTime(createdAt),
  lastSignInAt: isoTime(lastSignInAt),
  roles: [...roles],
});
