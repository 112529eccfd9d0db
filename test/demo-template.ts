import { cpSync } from 'node:fs';
import { compiled, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/** The data directory of a server that was started with `--demo`. */
const filled = 'TRIVET_TEST_DEMO';

/** Fills a data directory that tests with `--demo` copy: filling takes 3 s of CPU. @returns what finds it, for the environment. */
export async function demoTemplate(): Promise<Readonly<Record<string, string>>> {
  const directory = temporaryDirectory('demo');
  await (await serveTrivet(compiled, ['--dev', '--demo', '--data', directory])).stop();
  return { [filled]: directory };
}

/** Copies the example into a data directory. @returns false without a template: then `--demo` fills it. */
export function demoData(directory: string): boolean {
  const template = process.env[filled];
  if (template === undefined) return false;
  cpSync(template, directory, { recursive: true });
  return true;
}
