/** Something that was saved and may surprise: its path, and a sentence about its effect. */
export interface Warning {
  readonly path: string;
  readonly message: string;
}
