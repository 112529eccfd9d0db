import type { Actor } from '../../../core/base/actor.ts';
import { Fault } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';

/**
 * The memberships that a credential may see: a token for one project sees that of its organization. Only the module of projects knows which
 * one that is, so it is asked.
 */
export async function seenRoles(host: Host, { roles, projectId }: Actor): Promise<Actor['roles']> {
  if (projectId === undefined) return roles;
  for (const [orgId, role] of roles) {
    try {
      await host.readTool(orgId, 'get-project-detail', { projectId });
      return new Map([[orgId, role]]);
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 404) throw error;
    }
  }
  return new Map();
}
