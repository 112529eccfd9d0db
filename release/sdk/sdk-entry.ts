/** What an app imports: `trivet-sdk`, `trivet-sdk/auth` and so on (sdk/package.json, "exports"). */
export interface SdkEntry {
  /** As in "exports". */
  readonly subpath: string;
  /** Its files in sdk/dist: `auth.js`, `auth.cjs`, `auth.d.ts`, `auth.d.cts`. */
  readonly name: string;
  readonly source: string;
  /** What an app may import of it besides types. A file may export more, for its neighbours. */
  readonly values: readonly string[];
  /** A line that bundlers of servers read: React's hooks run at the client alone. */
  readonly directive?: string;
  /** The most bytes of it, minified and compressed with gzip -9: the build fails above. */
  readonly budget?: number;
  /** Where the budget should be, if it is above that. */
  readonly aim?: number;
}

/** The whole. */
export const pageEntry: SdkEntry = {
  subpath: '.',
  name: 'trivet',
  source: 'sdk/trivet/trivet.ts',
  values: ['createTrivet', 'memoryStorage'],
  budget: 16_350,
  aim: 9_500,
};

export const sdkEntries: readonly SdkEntry[] = [
  pageEntry,
  {
    subpath: './auth',
    name: 'auth',
    source: 'sdk/auth/auth.ts',
    values: ['createAuth'],
    budget: 5_000,
    aim: 3_500,
  },
  {
    subpath: './cta',
    name: 'cta',
    source: 'sdk/cta/cta.ts',
    values: ['createCta'],
    budget: 13_300,
    aim: 7_000,
  },
  {
    subpath: './react',
    name: 'react',
    source: 'sdk/react/react.tsx',
    directive: "'use client';",
    values: ['TrivetProvider', 'useAction', 'useSession', 'useTrack'],
    budget: 800,
  },
  {
    subpath: './react-native',
    name: 'react-native',
    source: 'sdk/react-native/react-native.ts',
    values: ['appStateLifecycle', 'asyncStorage'],
  },
  {
    subpath: './node',
    name: 'node',
    source: 'sdk/node/verifier.ts',
    values: ['createVerifier'],
    budget: 2_500,
  },
  {
    subpath: './testing',
    name: 'testing',
    source: 'sdk/testing/test-trivet.ts',
    values: ['createTestTrivet'],
  },
];

/** The whole of `.` as one file for pages: in the package and, the same bytes, at `/sdk/trivet.js`. */
export const pageFile = 'trivet.min.js';
