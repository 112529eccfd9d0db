import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { storeAssets } from '../modules/console/assets/asset-build.ts';
import { root } from './checkout.ts';
import { run } from './command.ts';
import { packedSdk } from './sdk/served-files.ts';

/** The build flags of every executable; docs/decisions/binary.md gives the reason for each. */
const flags = [
  '--compile',
  '--minify-whitespace',
  '--minify-syntax',
  '--define',
  'process.env.NODE_ENV="production"',
  '--compile-jit-policy=20',
  '--bytecode',
  '--format=esm',
  '--splitting',
  '--sourcemap',
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-dotenv',
  '--asset',
  'drizzle',
  '--asset',
  'examples/plugins/trivet-plugin.d.ts',
  '--asset',
  'dist/console.pack',
  '--asset',
  'dist/sdk.pack',
];

interface Build {
  readonly outfile: string;
  readonly commit: string;
  /** A platform other than this one: its name, Bun's name for it, and Bun's executable for it. */
  readonly release?: { readonly name: string; readonly compile: string; readonly runtime: string };
}

/** The arguments of `bun build`, without the output path. */
const buildArguments = ({ commit, release }: Omit<Build, 'outfile'>): readonly string[] => [
  ...flags,
  '--define',
  `BUILD_COMMIT=${JSON.stringify(commit)}`,
  // Without --target the bundle has the platform of the machine that builds it: Bun inserts process.platform and process.arch.
  ...(release
    ? [
        '--define',
        `BUILD_TARGET=${JSON.stringify(release.name)}`,
        `--target=${release.compile}`,
        `--compile-executable-path=${release.runtime}`,
      ]
    : []),
];

/** The output of `bun build --metafile`, as far as it is used here: which file of which input is in which output. */
export interface Metafile {
  readonly inputs: Readonly<
    Record<string, { readonly imports: ReadonlyArray<{ readonly path: string }> | undefined }>
  >;
  readonly outputs: Readonly<
    Record<
      string,
      { readonly inputs?: Readonly<Record<string, { readonly bytesInOutput: number }>> | undefined }
    >
  >;
}

/** Builds one executable. A running older one is not disturbed, because it is replaced by a rename. */
export async function buildExecutable({ outfile, ...what }: Build): Promise<Metafile> {
  mkdirSync(dirname(outfile), { recursive: true });
  // Next to the executable, Bun also writes the source maps, which the executable already contains.
  const folder = mkdtempSync(join(dirname(outfile), '.build-'));
  try {
    const made = join(folder, basename(outfile));
    const metafile = join(folder, 'metafile.json');
    const place = [`--outfile=${made}`, `--metafile=${metafile}`];
    const ofConsole = await storeAssets(join(root, 'dist', 'console.pack'));
    await Bun.write(join(root, 'dist', 'sdk.pack'), await packedSdk());
    await run([process.execPath, 'build', ...buildArguments(what), ...place, 'modules/main.ts'], {
      cwd: root,
    });
    renameSync(made, outfile);
    const ofServer = (await Bun.file(metafile).json()) as Metafile;
    return {
      inputs: { ...ofConsole.inputs, ...ofServer.inputs },
      outputs: { ...ofConsole.outputs, ...ofServer.outputs },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
