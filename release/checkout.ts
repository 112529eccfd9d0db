import { join } from 'node:path';

/** The checkout that is built. */
export const root = join(import.meta.dir, '..');
