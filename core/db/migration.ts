/** One SQL migration. Migrations are applied once, in the order of their list. A released text never changes. */
export interface Migration {
  readonly tag: string;
  readonly sql: string;
}
