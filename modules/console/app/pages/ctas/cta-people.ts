import { useMe, useTool } from '../../api/queries.ts';

/** The names of the people who changed something. A server without test management lists nobody. */
export function useNames() {
  const me = useMe().data;
  const people = useTool(
    'get-all-users',
    { limit: 500 },
    { enabled: me?.modules.includes('testmgmt') ?? false },
  );
  return (userId: number | null): string => {
    if (userId === null) return 'The clock';
    if (userId === me?.userId) return 'You';
    const user = people.data?.users.find((one) => one.userId === userId);
    return user?.name ?? user?.email ?? `User ${userId}`;
  };
}
