import manifest from '../package.json' with { type: 'json' };

/** The version of this executable, as released. */
export const version: string = manifest.version;
