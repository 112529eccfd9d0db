import { resolve } from 'node:path';
import { exit, UsageError } from '../../../core/base/errors.ts';
import type { CommandAnswer, ToolCommandCall } from '../../../core/module/command.ts';
import type { Values } from '../../../core/settings/settings.ts';
import { ciEnvironmentOf, runKeyOf } from '../ci/ci-environment.ts';
import { shardsOf, type TimedFile } from '../rules/file-shard.ts';
import { projectIdOf } from './project-choice.ts';
import { unlessRefused } from './refused-upload.ts';
import { eventOf } from './results-upload.ts';
import { splitSettings } from './results-settings.ts';

/** Prints the files of a shard, one on each line. @throws UsageError, Fault. */
export async function splitFiles({ words, config, env, call }: ToolCommandCall): Promise<CommandAnswer> {
  const settings = config.read(splitSettings);
  const { shard, total } = wantedShard(settings);
  const files = await testFilesOf(words);
  const projectId = await projectIdOf((tool, args) => call(tool, args), settings.project);
  const runKey = settings['run-key'] ?? runKeyOf(ciEnvironmentOf(env, await eventOf(env)));
  const asked = { projectId, files, ...(runKey !== undefined && { exceptRunKey: runKey }) };
  const known = (await unlessRefused(call('get-file-durations', asked))) as {
    readonly files: readonly TimedFile[];
  };
  const shards = shardsOf(known.files, total);
  const unknown = known.files.filter(({ durationMs }) => durationMs === null).length;
  if (shard === undefined) return { data: { shards, unknown }, text: '' };
  const own = shards[shard - 1];
  if (!own) throw new Error('there is no such shard');
  return { data: { ...own, unknown }, text: own.files.join('\n') };
}

function wantedShard({ shard, shards }: Values<typeof splitSettings>): {
  readonly shard: number | undefined;
  readonly total: number;
} {
  if (shard === undefined && shards !== undefined) return { shard: undefined, total: shards };
  const [, first, last] = /^(\d{1,4})\/(\d{1,4})$/.exec(shard ?? '') ?? [];
  const [own, total] = [Number(first), Number(last)];
  if (shard === undefined || !(own >= 1 && own <= total && total <= 1_000))
    throw new UsageError('Give --shard as K/N with K from 1 to N, e.g. --shard 2/5.', exit.usage);
  return { shard: own, total };
}

/** Most files of one call. */
const fileLimit = 10_000;

/** The named files. A path need not exist, so that lists of a test tool can be passed on; a pattern must match. */
async function testFilesOf(words: readonly string[]): Promise<readonly string[]> {
  const found = new Map<string, string>();
  for (const word of words) {
    const isPattern = /[*?[{]/.test(word) && !(await Bun.file(word).exists());
    const paths = isPattern
      ? await Array.fromAsync(new Bun.Glob(word).scan({ onlyFiles: true, dot: false }))
      : [word];
    if (paths.length === 0) throw new UsageError(`No file matches ${word}.`);
    for (const path of paths) if (!found.has(resolve(path))) found.set(resolve(path), path);
  }
  if (found.size === 0)
    throw new UsageError(
      'Name the test files, e.g. trivet results split --shard 2/5 "src/**/*.test.ts"',
      exit.usage,
    );
  if (found.size > fileLimit) throw new UsageError(`More than ${fileLimit} files. Give fewer in one call.`);
  return [...found.values()].toSorted();
}
