import type { Query } from '../../../core/db/query/db.ts';
import { membersAmong } from '../../auth/index.ts';
import { fail } from '../base/errors.ts';
import { organizationOfProject } from './project-store.ts';

/** Those of some users who are members of the organization of a project, by id. Whoever has left it is nobody here. */
export async function membersOfProject(q: Query, projectId: number, userIds: readonly number[]) {
  const orgId = await organizationOfProject(q, projectId);
  return orgId === undefined ? new Map<number, never>() : membersAmong(q, orgId, userIds);
}

/** @param parameter the list of ids that the caller gave. @throws Fault NOT_A_MEMBER that names them by index. */
export async function requireMembers(
  q: Query,
  projectId: number,
  userIds: readonly number[],
  parameter: string,
): Promise<void> {
  const known = await membersOfProject(q, projectId, userIds);
  const unknown = userIds.flatMap((id, index) =>
    known.get(id)?.status === 'active' ? [] : [`${parameter}[${index}] is ${id}`],
  );
  if (unknown.length === 0) return;
  throw fail.NOT_A_MEMBER(
    `Not active members of the organization: ${unknown.slice(0, 20).join('; ')}. Nothing was written.`,
    { cause: parameter },
  );
}
