import { useMe } from '../api/queries.ts';

const ranks = { reader: 0, member: 1, admin: 2 } as const;

/** Whether the person has at least this role in an organization; in any, unless one is named. */
export function useMay(role: keyof typeof ranks, orgId?: number): boolean {
  const organizations = useMe().data?.organizations ?? [];
  return organizations.some(
    (one) => (orgId === undefined || one.orgId === orgId) && ranks[one.role] >= ranks[role],
  );
}
