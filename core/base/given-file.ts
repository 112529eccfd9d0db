/** A file that comes with a call, beside its input: too large or too binary for JSON. */
export interface GivenFile {
  /** As the caller names it. It is no path here. */
  readonly name: string;
  /** Its bytes in chunks, from the beginning each time it is called. Throws when they cannot be read. */
  chunks(): AsyncIterable<Uint8Array>;
}
