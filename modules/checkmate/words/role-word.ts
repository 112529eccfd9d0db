import type { Role } from '../../../core/base/actor.ts';

const words = { reader: 'reader', member: 'user', admin: 'admin' } as const satisfies Record<Role, string>;

/** The roles of Checkmate. */
export const roleWords = ['reader', 'user', 'admin'] as const;
type RoleWord = (typeof roleWords)[number];

export const shownRole = (role: Role): RoleWord => words[role];
export const roleOf = (word: RoleWord): Role => (word === 'user' ? 'member' : word);

/** The strongest of some roles: a user of Checkmate has one. */
export const strongest = (held: readonly Role[]): RoleWord =>
  held.includes('admin') ? 'admin' : held.includes('member') ? 'user' : 'reader';
