import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { fileAnswer } from '../../../core/tools/file-answer.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { operation } from '../base/operation.ts';
import { tenantOf, tenantParameter, timeOf } from '../base/parameters.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { clientIdOf } from './client-event-store.ts';
import { eventsAfter, newestId, settledBefore, type LoggedEvent } from './event-log-store.ts';

const columns = [
  'cursor',
  'id',
  'userId',
  'ctaId',
  'version',
  'variant',
  'type',
  'source',
  'at',
  'receivedAt',
  'name',
  'details',
] as const;

const lineOf = (event: LoggedEvent) => ({
  cursor: String(event.id),
  id: clientIdOf(event.eventId) ?? `#${event.id}`,
  userId: event.userId,
  ctaId: event.ctaId === 0 ? null : String(event.ctaId),
  version: event.ctaId === 0 ? null : event.version,
  variant: event.variant,
  type: event.type,
  source: event.source,
  at: event.at,
  receivedAt: event.receivedAt,
  name: event.name,
  details: event.details === null ? null : (JSON.parse(event.details) as unknown),
});

/** A field of RFC 4180. A text that a spreadsheet would read as a formula begins with an apostrophe. */
function csvField(value: unknown): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe =
    typeof value === 'string' && /^[=+\-@\t\r]/.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const exportCtaEvents = operation({
  name: 'export-cta-events',
  title: 'Download the events of CTAs',
  description:
    'Returns every stored event of a tenant, oldest first, one in a line: those that apps sent and those derived from the ' +
    'state of users (type action, completion, reached). Give the cursor of the last line you have to go on after it, and limit for a part; each ' +
    'event comes at least once, so drop lines whose cursor you have. userId is null for erased users. Events are kept for ' +
    '--cta-event-keep. get-cta-metrics has the sums.',
  input: closedObject({
    tenantId: tenantParameter,
    from: Type.Optional(timeOf('Only events with this time or a later one.')),
    cursor: Type.Optional(
      Type.String({ pattern: '^[0-9]{1,15}$', description: 'The cursor of the last line that you have.' }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'At most so many new ones; all unless given, over MCP 20.',
      }),
    ),
    format: Type.Optional(
      words(['ndjson', 'csv'], { default: 'ndjson', description: 'The format of the file.' }),
    ),
  }),
  output: closedObject({
    cursor: Type.String(),
    id: Type.String(),
    userId: nullable(Type.String()),
    ctaId: nullable(Type.String()),
    version: nullable(Type.Integer()),
    variant: nullable(Type.String()),
    type: Type.String(),
    source: Type.String(),
    at: Type.Integer(),
    receivedAt: Type.Integer(),
    name: nullable(Type.String()),
    details: nullable(Type.Object({}, { additionalProperties: true })),
  }),
  files: ['application/x-ndjson', 'text/csv'],
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db, signal }) => {
    const { q } = db;
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const isCsv = input.format === 'csv';
    const cursor = Number(input.cursor ?? 0);
    const after = cursor === 0 || db.engine === 'sqlite' ? cursor : await settledBefore(q, tenantId, cursor);
    const upTo = await newestId(q);
    const name = `cta-events-of-${tenantId}.${isCsv ? 'csv' : 'ndjson'}`;
    const mediaType = isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
    return fileAnswer(name, mediaType, async function* () {
      if (isCsv) yield `${columns.join(',')}\r\n`;
      let left = input.limit ?? Infinity;
      for await (const some of eventsAfter(q, { tenantId, from: input.from, after, upTo })) {
        signal.throwIfAborted();
        // What comes again does not count, or a small part would never get past the last minute.
        const again = some.filter(({ id }) => id <= cursor).length;
        yield some
          .slice(0, again + left)
          .map((event) => {
            const line = lineOf(event);
            return isCsv
              ? `${columns.map((column) => csvField(line[column])).join(',')}\r\n`
              : `${JSON.stringify(line)}\n`;
          })
          .join('');
        left -= some.length - again;
        if (left <= 0) return;
        if (turnIsOver()) await nextTurn();
      }
    });
  },
});
