/** Where a call came from. No audit entry contains `plugin`, because plugins only read. */
export type Surface = 'http' | 'console' | 'mcp' | 'stdio' | 'cli' | 'plugin';

/** The ids of the records of a write, by property name. For a list, the first 20 and the count. */
export type AuditedIds = Readonly<Record<string, AuditedId | readonly AuditedId[]>>;
export type AuditedId = number | string;

/** A value before or after a change. Long texts are truncated; an object has the values of some keys. */
export type ChangedValue =
  | string
  | number
  | boolean
  | null
  | readonly number[]
  | { readonly [key: string]: ChangedValue };

/** A field that a write changed: from one value to another in a single record, or in `count` records. */
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
  /** Nothing changed, e.g. because a call was repeated: no entry is written. */
  readonly unchanged?: true;
}

/** The maximum number of records of a subject for which the entry is written without waiting for a result. */
export const recordsAtOnce = 1_000;

/** What a write is about, for later look-ups. The operation sets it with `Context.wrote`. */
export interface WriteSubject {
  /** What the write was, if not what its operation is called: an update that became a proposal is `propose-test-change`. */
  readonly operation?: string;
  readonly projectId: number;
  readonly runId?: number;
  /** The changed records of one kind. The entry can be found by each of them. */
  readonly records?: { readonly kind: string; readonly ids: readonly number[] };
  readonly changes?: WriteChanges;
}

/** An audit entry. It contains only ids and stable words: no token, and no text that a user typed. */
export interface WriteEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly actorId: number;
  readonly operation: string;
  readonly ids: AuditedIds;
  readonly surface: Surface;
  /** The key of the credential (`Actor.credential`), never the credential itself. */
  readonly credential: string;
  /** The program of an agent, by its own word (core/base/agent-name.ts): a short line, no address and no secret. */
  readonly client?: string | null;
  /** The id by which stores marked the rows of this write, if they did (core/tools/audited-write.ts). */
  readonly writeId?: number | null;
  /** Kept separate from the entry: only the changes may contain texts that a user typed. */
  readonly subject?: WriteSubject;
}

/** A write as passed to `Module.onWrite`: the content of its audit entry, and the organization that it belongs to. */
export interface WriteEvent extends Pick<WriteEntry, 'at' | 'actorId' | 'surface' | 'ids'> {
  /** The name of the operation, e.g. `create-run`. */
  readonly type: string;
  /** null if the write does not belong to a single organization, e.g. create-access-token. */
  readonly orgId: number | null;
  readonly projectId: number | null;
  readonly runId: number | null;
  /** What changed, if the operation reports it. It may contain texts that a user typed. */
  readonly changes: WriteChanges | null;
}

/** One user becomes part of another, e.g. a guest who turned out to be a known person. */
export interface MergedUsers {
  readonly fromUserId: number;
  readonly intoUserId: number;
  /** Epoch milliseconds. */
  readonly at: number;
}
