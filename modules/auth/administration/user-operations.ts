import { Type } from '@sinclair/typebox';
import { and, eq, gte, inArray, lt, ne, or, sql } from 'drizzle-orm';
import { member, requireGrant, roleIn, roles, signedIn } from '../../../core/actor.ts';
import { isoTime } from '../../../core/clock.ts';
import type { Query } from '../../../core/db/db.ts';
import { fail } from '../../../core/errors.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { closed, recordId, words } from '../../../core/schema.ts';
import { auditEvents, record } from '../audit/audit-store.ts';
import { pageOfAudit } from '../audit/audit-page.ts';
import { deny } from '../errors.ts';
import { revokeTokensOf } from '../personal-tokens/personal-token-store.ts';
import { audit, members, users } from '../schema.ts';
import { administers, administersAll, rolesOf, setRole } from '../people/user-store.ts';

const toolset = 'auth';
const userId = recordId('The user; get-all-users lists them.');

export const setUserStatus = operation({
  name: 'set-user-status',
  toolset,
  title: 'Disable or enable a user',
  description:
    'A disabled user cannot sign in, every token of theirs is refused at its next use, and personal access tokens end for good. Needs the role admin in all ' +
    'organizations of the user, or in the first organization. You cannot disable yourself.',
  input: Type.Object(
    { userId, status: words(['active', 'disabled'], { description: 'What the user is to be.' }) },
    closed,
  ),
  output: Type.Object({ userId: Type.Integer(), status: Type.String() }, closed),
  access: member('admin'),
  effect: 'update',
  handler: ({ userId: subject, status }, { actor, db, clock }) =>
    db.tx(async (q) => {
      if (!(await administers(q, actor, subject))) throw deny.UNKNOWN_USER(`There is no user ${subject}.`);
      if (subject === actor.userId) {
        throw fail.CONFLICT('You cannot change your own status.', { tip: 'Ask another administrator.' });
      }
      if (status === 'active') requireGrant(actor, 'admin', 'enable a user');
      const changed = await q
        .update(users)
        .set({ status })
        .where(eq(users.id, subject))
        .returning({ id: users.id });
      if (changed.length === 0) throw deny.UNKNOWN_USER(`There is no user ${subject}.`);
      if (status === 'disabled') await revokeTokensOf(q, subject, clock.now(), 'all');
      await record(q, clock.now(), {
        event: 'status_changed',
        userId: subject,
        actorId: actor.userId,
        cause: status,
      });
      return { userId: subject, status };
    }),
});

export const setUserRole = operation({
  name: 'set-user-role',
  toolset,
  title: 'Change the role of a member',
  description:
    'Changes what a member of an organization may do; "none" takes the membership away. People become members by ' +
    'invite-user. The last administrator of an organization stays one.',
  input: Type.Object(
    {
      orgId: recordId('The organization; get-orgs-list names yours.'),
      userId,
      role: words([...roles, 'none'], { description: 'What the member may do.' }),
    },
    closed,
  ),
  output: Type.Object({ orgId: Type.Integer(), userId: Type.Integer(), role: Type.String() }, closed),
  access: member('admin'),
  effect: 'update',
  handler: ({ orgId, userId: subject, role }, { actor, db, clock }) =>
    db.tx(async (q) => {
      if (roleIn(actor, orgId, 'admin') === 'hidden') {
        throw deny.UNKNOWN_ORGANIZATION(`There is no organization ${orgId}.`);
      }
      const held = (await rolesOf(q, subject)).get(orgId);
      if (held === undefined)
        throw deny.UNKNOWN_USER(`User ${subject} is not a member of organization ${orgId}.`);
      if (role !== 'none' && roles.indexOf(role) > roles.indexOf(held))
        requireGrant(actor, 'admin', 'raise the role of a member');
      if (role !== 'admin') await requireAnotherAdmin(q, orgId, subject);
      const now = clock.now();
      if (role === 'none') {
        await q.delete(members).where(and(eq(members.orgId, orgId), eq(members.userId, subject)));
      } else {
        await setRole(q, orgId, subject, role, now);
      }
      await record(q, now, { event: 'role_changed', userId: subject, actorId: actor.userId, cause: role });
      return { orgId, userId: subject, role };
    }),
});

/** @throws Fault LAST_ADMIN. */
async function requireAnotherAdmin(q: Query, orgId: number, subject: number): Promise<void> {
  const others = and(eq(members.orgId, orgId), eq(members.role, 'admin'), ne(members.userId, subject));
  const [another] = await q.select({ id: members.userId }).from(members).where(others).limit(1);
  if (!another) throw deny.LAST_ADMIN(`User ${subject} is the last administrator of organization ${orgId}.`);
}

const optionalId = Type.Union([Type.Integer(), Type.Null()]);
const optionalText = Type.Union([Type.String(), Type.Null()]);
const timeText = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$',
      description: `${description} ISO 8601 in UTC.`,
    }),
  );

export const listAudit = operation({
  name: 'list-audit',
  toolset,
  title: 'List what happened',
  description:
    'Lists the record of sign-ins, tokens, roles, keys and of every write (event "operation": which tool, ids, surface, ' +
    'credential), the newest first: your own; as an administrator also that of the members of your organizations; as an ' +
    'administrator of the first organization all. It never holds a token.',
  input: Type.Object(
    {
      userId: Type.Optional(recordId('Only what happened to this user.')),
      event: Type.Optional(words(auditEvents, { description: 'Only events of this kind.' })),
      operation: Type.Optional(
        Type.String({
          pattern: '^[a-z][a-z0-9-]{0,63}$',
          description: 'Only writes by this tool, e.g. delete-test.',
        }),
      ),
      since: timeText('Only events at this time or later.'),
      until: timeText('Only events before this time.'),
      ...paging,
    },
    closed,
  ),
  output: page(
    'events',
    Type.Object(
      {
        eventId: Type.Integer(),
        at: Type.String(),
        event: Type.String(),
        userId: optionalId,
        actorId: optionalId,
        sessionId: optionalText,
        provider: optionalText,
        cause: optionalText,
        address: optionalText,
        operation: optionalText,
        ids: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
        surface: optionalText,
        credential: optionalText,
      },
      closed,
    ),
  ),
  access: signedIn(),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const { limit, offset } = pageOf(input);
    const administered = [...actor.roles].filter(([, role]) => role === 'admin').map(([orgId]) => orgId);
    const theirMembers = q
      .select({ id: members.userId })
      .from(members)
      .where(administered.length > 0 ? inArray(members.orgId, administered) : sql`1 = 0`);
    const visible = (await administersAll(q, actor))
      ? undefined
      : or(eq(audit.userId, actor.userId), inArray(audit.userId, theirMembers));
    const matching = and(
      visible,
      input.userId === undefined ? undefined : eq(audit.userId, input.userId),
      input.event === undefined ? undefined : eq(audit.event, input.event),
      input.operation === undefined ? undefined : eq(audit.operation, input.operation),
      input.since === undefined ? undefined : gte(audit.at, timeOf('since', input.since)),
      input.until === undefined ? undefined : lt(audit.at, timeOf('until', input.until)),
    );
    const { total, rows } = await pageOfAudit(q, matching, { limit, offset }, signal);
    return {
      total,
      limit,
      offset,
      events: rows.map(({ id, at, ...rest }) => ({ eventId: id, at: isoTime(at), ...rest })),
    };
  },
});

/** @throws Fault INVALID_REQUEST for a day that no calendar has. */
function timeOf(parameter: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw fail.INVALID_REQUEST(`${parameter} is not a time.`, { cause: parameter });
  return time;
}
