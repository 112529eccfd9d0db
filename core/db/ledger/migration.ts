/**
 * What a migration means for a running executable that does not know it:
 * - `expand`: it goes on reading and writing (the migration only adds tables, plain indexes, nullable or defaulted columns).
 * - `after TAG`: it goes on if it knows the migration TAG. Since TAG, nothing uses what is removed here.
 * - `contract`: it must not write any more.
 */
export type MigrationEffect = 'expand' | 'contract' | `after ${string}`;

/** One SQL migration. Migrations are applied once, in the order of their list. A released text never changes. */
export interface Migration {
  readonly tag: string;
  readonly sql: string;
  /** `contract` unless given: an undeclared migration may break an older executable. */
  readonly effect?: MigrationEffect;
}
