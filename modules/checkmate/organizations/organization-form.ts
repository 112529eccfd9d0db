import type { Role } from '../../../core/base/actor.ts';
import { strongest } from '../words/role-word.ts';

/** Trivet does not record who created an organization. */
export const organizationOf = ({
  orgId,
  orgName,
  createdAt,
}: {
  readonly orgId: number;
  readonly orgName: string;
  readonly createdAt: string;
}) => ({ orgId, orgName, createdBy: null, createdOn: createdAt });

interface Member {
  readonly userId: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly roles: ReadonlyArray<{ readonly orgId: number; readonly role: Role }>;
}

/** @param orgId the organization whose role counts; unless given, the strongest one. */
export const shownUser = ({ userId, name, email, roles }: Member, orgId?: number) => ({
  userId,
  userName: name,
  email,
  role: strongest(roles.filter((one) => orgId === undefined || one.orgId === orgId).map(({ role }) => role)),
});

/** The caller. Their token is not repeated: an agent would show it to its model. */
export const shownCaller = (member: Member) => {
  const { userId, userName, email, role } = shownUser(member);
  return { userId, userName, email, profileUrl: null, ssoId: null, token: null, role };
};
