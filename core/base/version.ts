import manifest from '../../package.json' with { type: 'json' };

/** The version of this executable, as released. */
export const version: string = manifest.version;

/** Set by `npm run build`; absent when running from the sources. */
declare const BUILD_COMMIT: string | undefined;

/** Set by `npm run release`. */
declare const BUILD_TARGET: string | undefined;

/** `trivet version --json`: what this executable was built from and for. `release` is null for a local build. */
export const buildOf = () => ({
  version,
  commit: typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : null,
  bun: Bun.version,
  platform: `${process.platform}-${process.arch}`,
  release: typeof BUILD_TARGET === 'string' ? BUILD_TARGET : null,
});
