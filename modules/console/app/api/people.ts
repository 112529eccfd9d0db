import { useEffect, useRef } from 'react';
import { useMe, useTool } from './queries.ts';
import { t } from '../texts/text.ts';

/** At most this many people are known by name; the others are shown by their id. */
const most = 500;

/**
 * The names of the people in the organizations of the person. A server without test management lists nobody.
 * @param shown ids that a page shows: the list is read again, once, for somebody who joined since.
 */
export function usePeople(shown: readonly number[] = []) {
  const enabled = useMe().data?.modules.includes('testmgmt') ?? false;
  const people = useTool('get-all-users', { limit: most }, { enabled });
  const former = useTool('list-former-members', { limit: most }, { enabled }).data?.users ?? [];
  const users = people.data?.users ?? [];
  const asked = useRef(new Set<number>());
  useEffect(() => {
    if (!people.data) return;
    const news = shown.filter((id) => !asked.current.has(id) && !users.some(({ userId }) => userId === id));
    for (const id of news) asked.current.add(id);
    if (news.length > 0) void people.refetch();
  });
  return {
    users,
    /** Those who have left. */
    former,
    /**
     * e.g. "Ada Moss", also of who has left; "User 7" for a person outside of them.
     * @param said the name that a record has of its author, who may have left.
     */
    nameOf: (userId: number, said: string | null = null): string => {
      const user = users.find((one) => one.userId === userId);
      const left = former.find((one) => one.userId === userId);
      return user?.name ?? user?.email ?? left?.name ?? said ?? t('User {userId}', { userId });
    },
  };
}

/** The names of the authors of changes: null is the clock. */
export function useNames() {
  const me = useMe().data;
  const { nameOf } = usePeople();
  return (userId: number | null, said: string | null = null): string =>
    userId === null ? t('The clock') : userId === me?.userId ? t('You') : nameOf(userId, said);
}

/** The active members of the organization of a project. */
export function useMembers(projectId: number) {
  const orgId = useTool('get-project-detail', { projectId }).data?.orgId;
  const { users } = usePeople();
  return users.flatMap((user) => {
    const role = user.roles.find((one) => one.orgId === orgId)?.role;
    return user.status === 'active' && role !== undefined ? [{ ...user, role }] : [];
  });
}

/** Whoever may be given tests of a project: they may store results. */
export const useTesters = (projectId: number) =>
  useMembers(projectId).filter(({ role }) => role !== 'reader');
