/** Where a call came from. */
export type Surface = 'http' | 'mcp' | 'stdio' | 'cli';

/** The records that a write was about: ids by the name of their property. Of a list, the first 20 and how many there were. */
export type AuditedIds = Readonly<Record<string, AuditedId | readonly AuditedId[]>>;
export type AuditedId = number | string;

/** One writing operation that was done. Ids and stable words only: no token, and nothing that people typed. */
export interface WriteEntry {
  /** Epoch ms. */
  readonly at: number;
  readonly actorId: number;
  readonly operation: string;
  readonly ids: AuditedIds;
  readonly surface: Surface;
  /** Which credential, never the credential itself. */
  readonly credential: string;
}
