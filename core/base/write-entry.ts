/** Where a call came from. A plugin only reads: no audit entry has it. */
export type Surface = 'http' | 'console' | 'mcp' | 'stdio' | 'cli' | 'plugin';

/** The ids of the records of a write, by the name of their property. Of a list, the first 20 and the count. */
export type AuditedIds = Readonly<Record<string, AuditedId | readonly AuditedId[]>>;
export type AuditedId = number | string;

/** A value before or after a change. Texts are cut. */
type ChangedValue = string | number | boolean | null | readonly number[];

/** A field that a write changed: in one record from a value to another, in many as often as `count` says. */
export interface FieldChange {
  readonly field: string;
  readonly from?: ChangedValue;
  readonly to?: ChangedValue;
  readonly count?: number;
}

/** What a write changed: how many records, and their fields. */
export interface WriteChanges {
  readonly count: number;
  readonly fields: readonly FieldChange[];
  /** Everything was as it is: a call was repeated, and leaves no entry. */
  readonly unchanged?: true;
}

/** Records of a subject up to which its entry needs no answer before its last statement is sent. */
export const recordsAtOnce = 1_000;

/** What a write is about, for who looks it up later. The operation says it: `Context.wrote`. */
export interface WriteSubject {
  readonly projectId: number;
  readonly runId?: number;
  /** The records that it changed, of one kind: each of them finds the entry. */
  readonly records?: { readonly kind: string; readonly ids: readonly number[] };
  readonly changes?: WriteChanges;
}

/** An audit entry. Its own members are ids and stable words only: no token, and no text that a user typed. */
export interface WriteEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly actorId: number;
  readonly operation: string;
  readonly ids: AuditedIds;
  readonly surface: Surface;
  /** The key of the credential (`Actor.credential`), never the credential itself. */
  readonly credential: string;
  /** Beside the entry: texts that a user typed stand in its changes only. */
  readonly subject?: WriteSubject;
}

/** A write as a module is told of it (`Module.onWrite`): what its audit entry says, and the organization that it belongs to. */
export interface WriteEvent extends Pick<WriteEntry, 'at' | 'actorId' | 'surface' | 'ids'> {
  /** The name of the operation, e.g. `create-run`. */
  readonly type: string;
  /** null: the write is about no single organization, e.g. create-access-token. */
  readonly orgId: number | null;
  readonly projectId: number | null;
  readonly runId: number | null;
  /** What changed, where the operation says it. It may have texts that a user typed. */
  readonly changes: WriteChanges | null;
}
