import { fail } from './errors.ts';

/** Roles of a user in one organization, weakest first. */
export const roles = ['reader', 'member', 'admin'] as const;
export type Role = (typeof roles)[number];

/** What an operation does to data. This determines the MCP annotations, read-only mode and whether a call may be retried. */
export type Effect = 'read' | 'create' | 'update' | 'delete';

/** The caller. The identity module has checked all of it against the store for this call. */
export interface Actor {
  readonly userId: number;
  /** The credential: a session's access token, a personal access token, or ownership of the data directory. */
  readonly via: 'session' | 'token' | 'local';
  /** Organization → role. Empty for a user without a membership. */
  readonly roles: ReadonlyMap<number, Role>;
  /** The toolsets this credential may use; null means all. */
  readonly toolsets: readonly string[] | null;
  readonly readOnly: boolean;
  /** The toolsets that this credential may only read with. */
  readonly readToolsets?: readonly string[];
  /**
   * The scopes of a token, e.g. `admin` (grant roles) or `cta:publish`. If absent, everything that the roles allow. A token without `admin`
   * cannot grant roles, whatever the role of its user.
   */
  readonly grants?: readonly string[];
  /** The only project that this credential may see, in modules that have projects; absent: all of its user. */
  readonly projectId?: number;
  /** A user without any identity: no operation, unless its access is for guests, too. */
  readonly isGuest?: true;
  /** Stable per credential: the key of rate limits and of audit rows. Never the credential itself. */
  readonly credential: string;
  /** The program that the person signed in with, by its own word; of sessions only. */
  readonly client?: string;
}

/** What an actor may do, in a form that can be stored and compared. */
export interface Rights extends Pick<
  Actor,
  'toolsets' | 'readOnly' | 'readToolsets' | 'grants' | 'projectId'
> {
  readonly roles: ReadonlyArray<readonly [orgId: number, role: Role]>;
}

export const rightsOf = ({
  roles: held,
  toolsets,
  readOnly,
  readToolsets,
  grants,
  projectId,
}: Actor): Rights => ({
  roles: [...held],
  toolsets,
  readOnly,
  ...(readToolsets === undefined ? {} : { readToolsets }),
  ...(grants === undefined ? {} : { grants }),
  ...(projectId === undefined ? {} : { projectId }),
});

/** Whether `now` allows everything that `then` did. */
export function includes(now: Rights, then: Rights): boolean {
  const roleNow = new Map(now.roles);
  const rolesStay = then.roles.every(([orgId, role]) => {
    const held = roleNow.get(orgId);
    return held !== undefined && atLeast(held, role);
  });
  const { toolsets } = now;
  const toolsetsStay = toolsets === null || then.toolsets?.every((name) => toolsets.includes(name)) === true;
  const writesStay = (now.readToolsets ?? []).every(
    (name) => then.toolsets?.includes(name) !== true || then.readToolsets?.includes(name) === true,
  );
  const grantsStay =
    now.grants === undefined || then.grants?.every((word) => now.grants?.includes(word)) === true;
  const projectStays = now.projectId === undefined || now.projectId === then.projectId;
  return (
    rolesStay && toolsetsStay && writesStay && grantsStay && projectStays && (!now.readOnly || then.readOnly)
  );
}

/** Who may run an operation. `role` means: with at least this role in at least one organization. */
export type Access =
  /** `guests`: also a user without any identity. */
  | { readonly kind: 'user'; readonly guests?: true }
  /** `orGrant`: a grant that also gives a member access. */
  | { readonly kind: 'role'; readonly role: Role; readonly orGrant?: string };

/**
 * Access for every signed-in user, with or without a membership.
 * @example access: signedIn()
 */
export const signedIn = (): Access => ({ kind: 'user' });

/** Like {@link signedIn}, and also for guests. No tool has it. */
export const signedInOrGuest = (): Access => ({ kind: 'user', guests: true });

const roleFor = { read: 'reader', write: 'member', admin: 'admin' } as const;

/**
 * Access for users whose role in some organization allows `right`: `read` for readers, `write` for members, `admin` for
 * administrators. The record itself is checked where it is loaded ({@link roleIn}).
 * @example access: member('write')
 */
export const member = (right: keyof typeof roleFor): Access => ({ kind: 'role', role: roleFor[right] });

/** Like {@link member} for administrators, and also for members whose credential has the grant. */
export const adminOr = (grant: string): Access => ({ kind: 'role', role: 'admin', orGrant: grant });

const atLeast = (role: Role, needed: Role) => roles.indexOf(role) >= roles.indexOf(needed);

/** The part of an operation that decides who may use it. */
interface Restricted {
  readonly access: Access;
  readonly toolset: string;
  /** Another toolset that also contains the operation. */
  readonly alsoIn?: string;
  readonly effect: Effect;
}

/** Whether this actor may use the operation at all: role, toolset and read-only restriction. */
export const mayUse = (actor: Actor, operation: Restricted): boolean => refusalOf(actor, operation) === null;

/** The toolsets of an operation that the credential has. */
export function grantedToolsetsOf(
  { toolsets }: Pick<Actor, 'toolsets'>,
  { toolset, alsoIn }: Pick<Restricted, 'toolset' | 'alsoIn'>,
): readonly string[] {
  const its = alsoIn === undefined ? [toolset] : [toolset, alsoIn];
  return its.filter((one) => toolsets === null || toolsets.includes(one));
}

/** Why the actor may not use the operation, or null. Reasons that the caller can act on come first. */
export function refusalOf(actor: Actor, operation: Restricted) {
  const { access } = operation;
  if (actor.isGuest && !(access.kind === 'user' && access.guests)) return refusalOfGuest();
  const granted = grantedToolsetsOf(actor, operation);
  if (granted.length === 0) {
    return fail.FORBIDDEN(`This token may not use the toolset "${operation.toolset}".`, {
      cause: 'toolset',
      tip: `Create a token whose --scopes include "${operation.toolset}".`,
    });
  }
  if (actor.readOnly && operation.effect !== 'read') {
    return fail.READ_ONLY('This token may only read.');
  }
  if (operation.effect !== 'read' && granted.every((toolset) => actor.readToolsets?.includes(toolset))) {
    const [toolset = operation.toolset] = granted;
    return fail.READ_ONLY(`This token may only read with the toolset "${toolset}".`, {
      cause: 'toolset',
      tip: `Create a token whose --scopes include "${toolset}" instead of "${toolset}:read".`,
    });
  }
  if (access.kind === 'role' && ![...actor.roles.values()].some((role) => reaches(actor, role, access))) {
    const { role, orGrant } = access;
    if (actor.roles.size === 0)
      return fail.FORBIDDEN('You are signed in, and belong to no organization.', {
        cause: 'role',
        tip: invitationHint,
      });
    return fail.FORBIDDEN(`This needs the role "${role}"${orGranted(orGrant)} in an organization.`, {
      cause: 'role',
    });
  }
  return null;
}

/** A guest has no organization, no personal access token and no tool. */
const refusalOfGuest = () =>
  fail.FORBIDDEN('A guest may not do this: link an identity first (POST /v1/auth/link).', {
    cause: 'guest',
    tip: 'Send POST /v1/auth/link with an ID token of the person. The user id stays the same.',
  });

/** For a signed-in user without a membership: signing in creates a user but no membership. */
export const invitationHint =
  'An invitation is needed: ask an administrator for one (invite-user, or the page People of the console), and open its link or give its code to accept-invitation.';

const reaches = (actor: Actor, role: Role, needed: { readonly role: Role; readonly orGrant?: string }) =>
  atLeast(role, needed.role) ||
  (needed.orGrant !== undefined &&
    atLeast(role, 'member') &&
    actor.grants?.includes(needed.orGrant) === true);

const orGranted = (grant: string | undefined) =>
  grant === undefined ? '' : `, or "member" and a token with the scope "${grant}"`;

/**
 * Checks the actor's role in the organization that owns a record.
 * @param orGrant a grant with which a member may do what otherwise needs `right`.
 * @returns `'hidden'` when the actor is not a member of that organization: respond with 404, as for a record that does not exist.
 * @throws Fault FORBIDDEN when the role is known but too weak.
 * @example if (roleIn(actor, note.orgId, 'read') === 'hidden') throw fail.NOTE_NOT_FOUND(`There is no note ${noteId}.`);
 */
export function roleIn(
  actor: Actor,
  orgId: number,
  right: keyof typeof roleFor,
  orGrant?: string,
): 'allowed' | 'hidden' {
  const role = actor.roles.get(orgId);
  if (!role) return 'hidden';
  const needed = roleFor[right];
  if (!reaches(actor, role, { role: needed, ...(orGrant !== undefined && { orGrant }) })) {
    const grant = orGranted(orGrant);
    throw fail.FORBIDDEN(`Your role in organization ${orgId} is "${role}"; this needs "${needed}"${grant}.`, {
      cause: 'role',
    });
  }
  return 'allowed';
}

/** Whether the credential may see a project that its user may see: a token may be for one project. */
export const isForProject = ({ projectId }: Actor, id: number): boolean =>
  projectId === undefined || projectId === id;

/** Whether the actor has a right in a project. @throws Fault FORBIDDEN when the role is too weak. */
export const mayInProject = (
  actor: Actor,
  project: { readonly id: number; readonly orgId: number },
  right: keyof typeof roleFor,
): boolean => isForProject(actor, project.id) && roleIn(actor, project.orgId, right) === 'allowed';

/** The organizations in which {@link roleIn} allows the actor a right. */
export const orgsWith = (actor: Actor, right: keyof typeof roleFor): readonly number[] =>
  [...actor.roles]
    .filter(([, role]) => reaches(actor, role, { role: roleFor[right] }))
    .map(([orgId]) => orgId);

/**
 * A role that a leaked token granted would outlive the token. So granting a role needs a credential with the scope `admin`.
 * @throws Fault FORBIDDEN for a token without it.
 */
export function requireAdminGrant(actor: Actor, what: string): void {
  if (actor.grants === undefined || actor.grants.includes('admin')) return;
  throw fail.FORBIDDEN(`This token may not ${what}: its scopes do not include "admin".`, {
    cause: 'scopes',
    tip: 'Sign in and use the access token of the session, or create a token whose --scopes include "admin".',
  });
}
