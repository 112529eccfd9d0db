import manifest from '../../package.json' with { type: 'json' };

/** The version of this executable, as released. */
export const version: string = manifest.version;

/** Given by `npm run build`; from the sources there is none. */
declare const BUILD_COMMIT: string | undefined;

/** Given by `npm run release`. */
declare const BUILD_TARGET: string | undefined;

/** `trivet version --json`: what this executable was built from and for. `release` is null when somebody built it for their machine. */
export const buildOf = () => ({
  version,
  commit: typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : null,
  bun: Bun.version,
  platform: `${process.platform}-${process.arch}`,
  release: typeof BUILD_TARGET === 'string' ? BUILD_TARGET : null,
});
