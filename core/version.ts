import manifest from '../package.json' with { type: 'json' };

/** The version of this executable, as released. */
export const version: string = manifest.version;

/** Given by `npm run build`; from the sources there is none. */
declare const BUILD_COMMIT: string | undefined;

/** What this executable was built from and for: `trivet version --json`. */
export const buildOf = () => ({
  version,
  commit: typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : null,
  bun: Bun.version,
  platform: `${process.platform}-${process.arch}`,
});
