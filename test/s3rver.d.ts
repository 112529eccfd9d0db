declare module 's3rver' {
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
    run(): Promise<{ readonly address: string; readonly port: number }>;
    close(): Promise<void>;
  }
}
