/** What was saved and yet may surprise: where, and a sentence that says what will happen. */
export interface Warning {
  readonly path: string;
  readonly message: string;
}
