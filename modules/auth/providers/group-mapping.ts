import { addressKey } from '../../../core/text/letter-case.ts';
import type { Static } from '@sinclair/typebox';
import { roles, type Role } from '../../../core/base/actor.ts';
import type { providerConfig } from '../base/settings.ts';

/** A role in an organization; `orgId` null: the first one. */
interface GivenRole {
  readonly role: Role;
  readonly orgId: number | null;
}

/** What the settings of a provider say about its groups and domains. */
export interface GroupMapping {
  /** The claim of its ID tokens that lists the groups. */
  readonly claim: string;
  /** The role of each word of {@link groupsIn}. */
  readonly roles: ReadonlyMap<string, GivenRole>;
  /** For how long after a sign-in they count. */
  readonly maxAgeMs: number;
}

type ProviderConfig = Static<typeof providerConfig>;

const ofGroup = (name: string) => `group:${name}`;
const ofDomain = (name: string) => `domain:${addressKey(name)}`;
const usualClaim = 'groups';
const usualMaxAge = 90 * 86_400;

/** The mapping of a provider; null when its settings have none: then it decides nothing about roles. */
export function groupMappingOf(config: ProviderConfig): GroupMapping | null {
  if (config.groups === undefined && config.domains === undefined) return null;
  const given = (name: (text: string) => string, table: ProviderConfig['groups'] = {}) =>
    Object.entries(table).map(
      ([key, value]) =>
        [name(key), typeof value === 'string' ? { role: value, orgId: null } : value] as const,
    );
  return {
    claim: config.groupsClaim ?? usualClaim,
    roles: new Map([...given(ofGroup, config.groups), ...given(ofDomain, config.domains)]),
    maxAgeMs: (config.groupsMaxAge ?? usualMaxAge) * 1000,
  };
}

/**
 * The groups and the domain of a person that give a role, as words. A claim that is absent or no list lists no group: a provider that
 * leaves the claim out for who is in none must not leave a role behind.
 * @param email the verified address.
 */
export function groupsIn(
  mapping: GroupMapping,
  payload: Readonly<Record<string, unknown>>,
  email: string | null,
): readonly string[] {
  const claimed = Object.hasOwn(payload, mapping.claim) ? payload[mapping.claim] : [];
  const names: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed];
  const words = names.filter((name) => typeof name === 'string').map(ofGroup);
  // Programs disagree on which of several @ separates name and domain.
  const [, domain, more] = email?.split('@') ?? [];
  if (domain !== undefined && more === undefined) words.push(ofDomain(domain));
  return [...new Set(words)].filter((word) => mapping.roles.has(word)).toSorted();
}

/** The higher of two roles. */
export const higherRole = (one: Role, other: Role | null | undefined): Role =>
  other !== undefined && other !== null && roles.indexOf(other) > roles.indexOf(one) ? other : one;

/** The role by organization that words of {@link groupsIn} give by a mapping; the highest one counts. */
export function rolesOfGroups(
  mapping: GroupMapping,
  words: readonly string[],
  firstOrgId: number,
): ReadonlyMap<number, Role> {
  const given = new Map<number, Role>();
  for (const word of words) {
    const found = mapping.roles.get(word);
    if (!found) continue;
    const orgId = found.orgId ?? firstOrgId;
    given.set(orgId, higherRole(found.role, given.get(orgId)));
  }
  return given;
}

/** A membership as stored: `auth_members`. */
export interface HeldRole {
  readonly orgId: number;
  readonly role: Role;
  readonly groupRole: Role | null;
  readonly handRole: Role | null;
}

/** A change of one membership; `role` null: it ends. */
interface RoleChange {
  readonly orgId: number;
  readonly role: Role | null;
  readonly groupRole: Role | null;
  readonly handRole: Role | null;
  /** What the member may do is another thing than before. */
  readonly isOther: boolean;
}

/** The changes that bring memberships to what groups give. What was given by hand stays. */
export function groupRoleChanges(
  held: readonly HeldRole[],
  given: ReadonlyMap<number, Role>,
): readonly RoleChange[] {
  const changes: RoleChange[] = [];
  const before = new Map(held.map((one) => [one.orgId, one]));
  for (const orgId of new Set([...before.keys(), ...given.keys()])) {
    const had = before.get(orgId);
    const groupRole = given.get(orgId) ?? null;
    if ((had?.groupRole ?? null) === groupRole) continue;
    // Without a role of groups, the role itself is the one that was given by hand.
    const byHand = had === undefined ? null : had.groupRole === null ? had.role : had.handRole;
    const role = groupRole === null ? byHand : higherRole(groupRole, byHand);
    const handRole = groupRole === null ? null : byHand;
    changes.push({ orgId, role, groupRole, handRole, isOther: role !== (had?.role ?? null) });
  }
  return changes;
}
