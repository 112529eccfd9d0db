import { useQueries } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useMe } from '../api/queries.ts';

const ranks = { reader: 0, member: 1, admin: 2 } as const;

/** Whether the person has at least this role in an organization; in any, unless one is named. On a read-only server everybody only reads. */
export function useMay(role: keyof typeof ranks, orgId?: number): boolean {
  const { organizations = [], isReadOnly = false } = useMe().data ?? {};
  if (isReadOnly && role !== 'reader') return false;
  return organizations.some(
    (one) => (orgId === undefined || one.orgId === orgId) && ranks[one.role] >= ranks[role],
  );
}

/** At most this many projects of an organization are shown at once. */
const mostProjects = 500;

export type Projects = ReturnType<typeof useProjects>;

/** The projects of all organizations of the person; none on a server without test management. */
export function useProjects(enabled = true) {
  const me = useMe().data;
  const organizations = me?.modules.includes('testmgmt') ? me.organizations : [];
  return useQueries({
    queries: organizations.map(({ orgId }) => {
      const input = { orgId, limit: mostProjects };
      return {
        queryKey: ['get-projects', input],
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => call('get-projects', input, signal),
        enabled,
      };
    }),
    combine: (answers) => ({
      projects: answers.flatMap(({ data }) => data?.projects ?? []),
      isLoading: answers.some(({ isPending }) => isPending),
      error: answers.find(({ error }) => error !== null)?.error ?? null,
      refetch: () => answers.forEach(({ refetch }) => void refetch()),
    }),
  });
}
