import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { root } from './checkout.ts';

/** The commit from which a release is made. */
export interface Source {
  readonly version: string;
  readonly commit: string;
  /** The time of that commit, used everywhere in a release, so that another build gets the same bytes. */
  readonly time: Date;
}

/** @throws when something is uncommitted or not in its place: nobody could reproduce that release. */
export async function sourceOf(allowChanges: boolean): Promise<Source> {
  const git = async (...words: string[]) => (await run(['git', ...words], { cwd: root })).trim();
  if (lstatSync(join(root, 'node_modules')).isSymbolicLink())
    throw new Error(
      'node_modules is a link. Where it leads to would be in the executables, so another one would get others: run npm ci here.',
    );
  const changed = await git('status', '--porcelain');
  if (changed !== '' && !allowChanges)
    throw new Error(
      `Not committed:\n${changed}\nA release is made from a commit. To try one: npm run release -- --allow-changes`,
    );
  const commit = await git('rev-parse', 'HEAD');
  const { version } = (await Bun.file(join(root, 'package.json')).json()) as { version: string };
  return {
    version,
    commit: changed === '' ? commit : `${commit}-changed`,
    time: new Date(Number(await git('log', '-1', '--format=%ct')) * 1_000),
  };
}
