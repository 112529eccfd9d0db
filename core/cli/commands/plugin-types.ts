import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exit, UsageError } from '../../base/errors.ts';
import { writeAnswer } from '../../base/standard-streams.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** `trivet plugin types`: the declarations of the kit, for plugin authors who have only the executable. Opens no data. */
export async function runPluginTypes({ config }: Pick<Invocation, 'config'>): Promise<number> {
  if (config.words.length !== 1 || config.words[0] !== 'types')
    throw new UsageError('trivet plugin has one verb: trivet plugin types.', exit.usage);
  const file = 'trivet-plugin.d.ts';
  const path = Bun.isStandaloneExecutable
    ? join(import.meta.dir, file)
    : join(import.meta.dir, '..', '..', '..', 'examples', 'plugins', file);
  await writeAnswer(readFileSync(path, 'utf8'));
  return exit.ok;
}
