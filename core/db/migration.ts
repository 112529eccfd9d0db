/** One SQL migration, applied once, in order of the list. The text never changes after it was released. */
export interface Migration {
  readonly tag: string;
  readonly sql: string;
}
