/** A warning about something that was saved: its path, and a sentence about its effect. */
export interface Warning {
  readonly path: string;
  readonly message: string;
}
