import type { Addressee, Host } from '../../../core/host/host.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { letterAddress } from '../../auth/index.ts';
import { isFollower } from '../following/follow-store.ts';
import { membersOfProject } from '../projects/project-people.ts';

/** Where a letter about a project goes; null if the person may not see the project now, follows it no more, or has no address. */
export async function followerAddress(q: Query, projectId: number, to: Addressee): Promise<string | null> {
  if (!('userId' in to)) return null;
  const { userId } = to;
  if (!(await isFollower(q, projectId, userId))) return null;
  if ((await membersOfProject(q, projectId, [userId])).get(userId)?.status !== 'active') return null;
  return letterAddress(q, userId);
}

/** A page of a project in the console. */
export const projectAddress = (host: Pick<Host, 'origin'>, projectId: number, path: string): string =>
  `${host.origin()}/console/projects/${projectId}/${path}`;

export const reasonOf = (project: string): string =>
  `You get this letter because you follow the project ${project}.`;
