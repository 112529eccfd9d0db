import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'bun:test';
import { compiled, runTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

export const trivet = (...args: readonly string[]) => runTrivet(compiled, args);

export const createProject = (data: string, projectName: string) =>
  trivet('call', 'create-project', '-a', 'orgId=1', '-a', `projectName=${projectName}`, '--data', data);

/** The names of the projects in a data directory. */
export async function projectsOf(data: string): Promise<readonly string[]> {
  const { stdout, stderr } = await trivet('call', 'get-projects', '-a', 'orgId=1', '--json', '--data', data);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { projects: { projectName: string }[] }).projects.map(
    (each) => each.projectName,
  );
}

/** A directory with the project "kept", and an archive of it. */
export async function backedUp(): Promise<{ data: string; archive: string }> {
  const data = temporaryDirectory('data');
  await createProject(data, 'kept');
  const archive = join(temporaryDirectory('backup'), 'trivet.tar.gz');
  const made = await trivet('backup', archive, '--data', data, '--verify');
  expect({ exitCode: made.exitCode, stderr: made.stderr }).toEqual({ exitCode: 0, stderr: '' });
  return { data, archive };
}

/** A directory that does not exist yet. */
export const fresh = () => join(temporaryDirectory('restored'), 'data');

/** All files of a directory with their contents, except the lock. */
export const contentOf = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name !== 'trivet.lock' && statSync(join(directory, name)).isFile())
      .sort()
      .map((name) => [name, Bun.hash(readFileSync(join(directory, name))).toString()]),
  );
