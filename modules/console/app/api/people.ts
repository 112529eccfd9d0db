import { useTool } from './queries.ts';

/** At most this many people are known by name; the others are shown by their id. */
const most = 500;

/** The names of the people in the organizations of the person. */
export function usePeople() {
  const people = useTool('get-all-users', { limit: most });
  const users = people.data?.users ?? [];
  return {
    users,
    /** e.g. "Ada Moss"; "User 7" for a person of elsewhere. */
    nameOf: (userId: number): string => {
      const user = users.find((one) => one.userId === userId);
      return user?.name ?? user?.email ?? `User ${userId}`;
    },
  };
}
