import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../query/engine.ts';
import { migrationEffects } from './migration-effects.ts';
import type { Migration } from './migration.ts';

/** The generated migrations of the built-in modules: `drizzle/` in the checkout, or embedded in the executable. */
export function builtInMigrations(engine: Engine): readonly Migration[] {
  const root = Bun.isStandaloneExecutable
    ? join(import.meta.dir, 'drizzle')
    : join(import.meta.dir, '..', '..', '..', 'drizzle');
  const directory = join(root, engine);
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const tag = file.slice(0, -4);
      const sql = readFileSync(join(directory, file), 'utf8');
      const effect = migrationEffects[tag];
      return { tag, sql, ...(effect && { effect }) };
    });
}
