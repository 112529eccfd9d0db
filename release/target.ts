/** A platform for which a release is built, and its artefacts. */
export interface Target {
  /** The name in archives, and in `trivet version --json`. */
  readonly name: string;
  /** Bun's name for it. */
  readonly compile: string;
  /** The npm package that contains Bun's executable for it. */
  readonly runtime: string;
  readonly archive: 'tar.gz' | 'zip';
  /** The architecture of the Debian package, and of the image. */
  readonly debian?: 'amd64' | 'arm64';
}

/**
 * Bun 1.4 has one executable for x64: it needs SSE4.2 and detects AVX2 by itself. The packages `…-baseline` have the same bytes (compared),
 * so there is nothing to choose.
 */
export const targets: readonly Target[] = [
  {
    name: 'linux-x64',
    compile: 'bun-linux-x64',
    runtime: '@oven/bun-linux-x64',
    archive: 'tar.gz',
    debian: 'amd64',
  },
  {
    name: 'linux-arm64',
    compile: 'bun-linux-arm64',
    runtime: '@oven/bun-linux-aarch64',
    archive: 'tar.gz',
    debian: 'arm64',
  },
  {
    name: 'linux-x64-musl',
    compile: 'bun-linux-x64-musl',
    runtime: '@oven/bun-linux-x64-musl',
    archive: 'tar.gz',
  },
  {
    name: 'linux-arm64-musl',
    compile: 'bun-linux-arm64-musl',
    runtime: '@oven/bun-linux-aarch64-musl',
    archive: 'tar.gz',
  },
  {
    name: 'darwin-arm64',
    compile: 'bun-darwin-arm64',
    runtime: '@oven/bun-darwin-aarch64',
    archive: 'tar.gz',
  },
  { name: 'darwin-x64', compile: 'bun-darwin-x64', runtime: '@oven/bun-darwin-x64', archive: 'tar.gz' },
  { name: 'windows-x64', compile: 'bun-windows-x64', runtime: '@oven/bun-windows-x64', archive: 'zip' },
];

const isWindows = ({ name }: Target): boolean => name.startsWith('windows-');

/** The name of the executable inside an archive. */
export const executableName = (target: Target): string => (isWindows(target) ? 'trivet.exe' : 'trivet');

/** The path of the executable in a package of Bun. */
export const runtimePath = (target: Target): string =>
  isWindows(target) ? 'package/bin/bun.exe' : 'package/bin/bun';
