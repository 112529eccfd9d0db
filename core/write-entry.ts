/** Where a call came from. */
export type Surface = 'http' | 'mcp' | 'stdio' | 'cli';

/** The ids of the records of a write, by the name of their property. Of a list, the first 20 and the count. */
export type AuditedIds = Readonly<Record<string, AuditedId | readonly AuditedId[]>>;
export type AuditedId = number | string;

/** An audit entry. It contains ids and stable words only: no token, and no text that a user typed. */
export interface WriteEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly actorId: number;
  readonly operation: string;
  readonly ids: AuditedIds;
  readonly surface: Surface;
  /** The key of the credential (`Actor.credential`), never the credential itself. */
  readonly credential: string;
}
