import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import type { ChangedValue, FieldChange } from '../../../core/base/write-entry.ts';
import type { Write } from '../../auth/index.ts';

const id = Type.Integer();

const ways = ['session', 'token', 'local'] as const;

/** A write as list-activity returns it: its author, credential and surface, its subject, and the changes. */
export const activityRecord = closedObject({
  activityId: id,
  at: Type.String(),
  userId: nullable(id),
  via: nullable(words(ways, { description: 'The credential.' })),
  tokenId: nullable(id),
  surface: nullable(Type.String()),
  client: nullable(Type.String({ description: 'The program of an agent, by its own word.' })),
  operation: Type.String(),
  projectId: nullable(id),
  runId: nullable(id),
  ids: nullable(Type.Object({}, { additionalProperties: true })),
  count: nullable(id),
  changes: Type.Array(
    closedObject({
      field: Type.String(),
      from: Type.Optional(Type.Unknown()),
      to: Type.Optional(Type.Unknown()),
      count: Type.Optional(id),
    }),
  ),
});

/** The kind of a credential, and the id of a token. The id of a session stays in the audit log, which only administrators read. */
function credentialOf(credential: string | null) {
  const [kind, name] = (credential ?? '').split(':');
  const via = ways.find((way) => way === kind) ?? null;
  return { via, tokenId: via === 'token' && name !== undefined ? Number(name) : null };
}

/** Entries of earlier versions name the column of own fields, and have their values as the text of an object, which may be cut. */
export function shownChange(change: FieldChange): FieldChange {
  if (change.field !== 'fieldValues' && change.field !== 'fields') return change;
  const sides = (['from', 'to'] as const).flatMap((side) => {
    const value = change[side];
    return value === undefined ? [] : [[side, typeof value === 'string' ? objectIn(value) : value] as const];
  });
  return { ...change, field: 'fields', ...Object.fromEntries(sides) };
}

function objectIn(text: string): ChangedValue {
  try {
    const value = JSON.parse(text) as ChangedValue;
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}

export const activityRecordOf = (write: Write) => ({
  activityId: write.id,
  at: isoTime(write.at),
  userId: write.userId,
  ...credentialOf(write.credential),
  surface: write.surface,
  client: write.client,
  operation: write.operation ?? '',
  projectId: write.projectId,
  runId: write.runId,
  ids: write.ids,
  count: write.changes?.count ?? null,
  changes: (write.changes?.fields ?? []).map(shownChange),
});
