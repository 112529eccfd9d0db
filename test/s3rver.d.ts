declare module 's3rver' {
  export interface StoredObject {
    readonly bucket: string;
    readonly key: string;
    readonly metadata: object;
    readonly content: AsyncIterable<Uint8Array>;
  }

  /** The part of s3rver that the tests use. */
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: ReadonlyArray<{
        readonly name: string;
        readonly configs: readonly string[];
      }>;
    });
    /** Its files. */
    readonly store: {
      getResourcePath(bucket: string, key: string, resource: 'object'): string;
      putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
      putObject(object: StoredObject): Promise<{ readonly size: number; readonly md5: string }>;
      getObject(bucket: string, key: string, range?: object): Promise<unknown>;
    };
    run(): Promise<{ readonly address: string; readonly port: number }>;
    close(): Promise<void>;
  }
}
