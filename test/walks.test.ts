import { expect, test } from 'bun:test';
import { join } from 'node:path';

/*
 * How many files four requests pass through, and how often they return to a file that they left (test/walks/walks.ts). A reader follows a
 * request this way, so neither number may grow. If one does, pass a value on instead of asking back for it.
 */
const most: Readonly<Record<string, readonly [files: number, returns: number]>> = {
  launch: [46, 53],
  // One of them reads the project that a token is for.
  'status from the console': [50, 35],
  // One of them compares texts for calls to action and people, too.
  'get-tests with a query': [72, 58],
  // Three of them ask whether somebody follows the project, one for the address of the run, and one cuts its name.
  'upload of two cases': [101, 267],
};

test('walks do not become longer', async () => {
  const folder = join(import.meta.dir, 'walks');
  const words = ['--no-env-file', '--preload', join(folder, 'walk-recording.ts'), join(folder, 'walks.ts')];
  const child = Bun.spawn([process.execPath, ...words], { stdout: 'pipe', stderr: 'inherit' });
  const printed = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  const walks = [...printed.matchAll(/^(.+?) +(\d+) files +(\d+) returns$/gm)];
  expect(walks.map(([, name]) => name)).toEqual(Object.keys(most));
  const longer = walks.filter(([, name = '', files, returns]) => {
    const [mostFiles = 0, mostReturns = 0] = most[name] ?? [];
    return Number(files) > mostFiles || Number(returns) > mostReturns;
  });
  expect(longer.map(([line]) => line)).toEqual([]);
}, 60_000);
