import { isCalendarDay } from '../../../core/base/calendar-day.ts';
import { Type } from '@sinclair/typebox';
import { signedIn } from '../../../core/base/actor.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { pageOfAudit } from '../audit/audit-page-store.ts';
import { auditRecordOf } from '../audit/audit-record.ts';
import { auditEvents } from '../audit/audit-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { administersAll } from '../people/administrator.ts';

const optionalId = nullable(Type.Integer());
const optionalText = nullable(Type.String());
const timeText = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$',
      description: `${description} ISO 8601 in UTC.`,
    }),
  );

export const listAudit = operation({
  name: 'list-audit',
  title: 'List the audit log',
  description:
    'Lists the audit log of sign-ins, tokens, roles, keys and all writes (event "operation": the tool, ids, surface, ' +
    'credential), the newest first: your own entries; as an administrator also those of the members of your organizations, ' +
    'in whichever organization they did it; as an administrator of the first organization all. It never contains a token.',
  input: closedObject({
    userId: Type.Optional(recordId('Only entries of this user.')),
    event: Type.Optional(words(auditEvents, { description: 'Only entries of this event.' })),
    operation: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9-]{0,63}$',
        description: 'Only writes by this tool, e.g. delete-test.',
      }),
    ),
    since: timeText('Only entries at this time or later.'),
    until: timeText('Only entries before this time.'),
    ...paging,
  }),
  output: page(
    'events',
    closedObject({
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
      ids: nullable(Type.Object({}, { additionalProperties: true })),
      surface: optionalText,
      credential: optionalText,
      client: nullable(Type.String({ description: 'The program of an agent, by its own word.' })),
    }),
  ),
  access: signedIn(),
  effect: 'read',
  handler: async (input, { actor, db: { q }, signal }) => {
    const paged = pageOf(input);
    const adminOf = [...actor.roles].filter(([, role]) => role === 'admin').map(([orgId]) => orgId);
    const filter = {
      visibleTo: (await administersAll(q, actor)) ? null : { userId: actor.userId, adminOf },
      userId: input.userId,
      event: input.event,
      operation: input.operation,
      since: timeOf('since', input.since),
      until: timeOf('until', input.until),
    };
    const { total, rows } = await pageOfAudit(q, filter, paged, signal);
    const events = rows.map(auditRecordOf);
    return { total, ...paged, events };
  },
});

/** @throws Fault INVALID_REQUEST for an invalid date. */
function timeOf(parameter: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = isCalendarDay(text.slice(0, 10)) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw fail.INVALID_REQUEST(`${parameter} is not a time.`, { cause: parameter });
  return time;
}
