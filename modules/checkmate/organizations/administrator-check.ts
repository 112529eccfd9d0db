import type { Work } from '../wire/api-route.ts';
import { fail } from '../base/errors.ts';

/**
 * Some routes are for administrators in Checkmate, although the operation behind them is for members.
 * @throws Fault FORBIDDEN.
 */
export function requireAdministrator(work: Work, orgId: number): void {
  if (work.actor.roles.get(orgId) !== 'admin')
    throw fail.FORBIDDEN('In the API of Checkmate this is for administrators of the organization.', {
      tip: 'Ask one of them, or use the operation of Trivet at POST /api/tools.',
    });
}

/** The same for what belongs to a project. @throws Fault FORBIDDEN, PROJECT_NOT_FOUND. */
export async function requireProjectAdministrator(work: Work, projectId: number): Promise<void> {
  const { orgId } = await work.call('get-project-detail', { projectId });
  requireAdministrator(work, orgId);
}
