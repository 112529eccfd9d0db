/** A file sent with a call in addition to its input: too large for JSON, or binary. */
export interface GivenFile {
  /** The name that the caller gave. It is not a path on this machine. */
  readonly name: string;
  /** The media type that the caller gave, if any. */
  readonly mediaType?: string | undefined;
  /** Its bytes, if known before they are read. */
  readonly size?: number | undefined;
  /** It must arrive as it is: a client must not compress it. */
  readonly asIs?: true;
  /** Its bytes in chunks. Each call starts from the beginning. Throws when they cannot be read. */
  chunks(): AsyncIterable<Uint8Array>;
}
