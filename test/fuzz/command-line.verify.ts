import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { compiled, runTrivet } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran, scaled, seed } from '../verify/scale.ts';
import { argumentsFor, blurred, idPool } from './arguments.ts';
import type { Tool } from './requests.ts';

/*
 * Random command lines: verbs, flags and values that are nearly right, and arguments of tools on stdin. Each ends within seconds with one
 * of the exit codes; an error is on stderr and nothing on stdout; no stack trace is ever shown.
 *
 * Mutation note: seen to fail when runCommandLine rethrows a failure instead of reporting it (a stack on stderr).
 */
const codes = [0, 1, 2, 3, 4, 64];
const data = temporaryDirectory('fuzz');
const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replaceAll('\u0000', ''));
const value = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '99999999999',
    '@/etc/passwd',
    '@/nowhere',
    '=',
    'a=b',
    '--',
    '-',
    '{"projectId":1}',
    '[]',
    '{',
    'projectId=1',
    '1e3',
    'true',
  ),
  text,
);
// Only verbs that end by themselves: none that listens or waits for a network.
const verb = fc.constantFrom(
  ['call'],
  ['call', 'get-projects'],
  ['call', 'create-test'],
  ['tools'],
  ['token'],
  ['token', 'create'],
  ['token', 'list'],
  ['token', 'revoke'],
  ['dev', 'id-token'],
  ['keys', 'list'],
  ['help'],
  ['version'],
  ['doctor'],
  ['nothing'],
);
const flag = fc.constantFrom(
  '--args',
  '-a',
  '--argument',
  '--as',
  '--json',
  '--email',
  '--name',
  '--expires',
  '--scopes',
  '--role',
  '--id',
  '--toolsets',
  '--tools',
  '--read-only',
  '--log-level',
  '--modules',
  '--config',
  '--idempotency-key',
  '--port',
  '--host',
  '--access-ttl',
  '--database-durability',
  '--help',
  '--version',
  '--__proto__',
  '--token',
  '--master-key',
  '--',
  '-x',
  '---',
);
const word = fc.oneof(
  { weight: 3, arbitrary: flag.map((each) => [each]) },
  { weight: 3, arbitrary: fc.tuple(flag, value).map(([name, given]) => [name, given]) },
  { weight: 1, arbitrary: fc.tuple(flag, value).map(([name, given]) => [`${name}=${given}`]) },
  { weight: 1, arbitrary: value.map((each) => [each]) },
);
const commandLine = fc
  .tuple(verb, fc.array(word, { maxLength: 4 }))
  .map(([words, more]) => [...words, ...more.flat()]);

async function judged(args: readonly string[], stdin?: string): Promise<number> {
  const ended = runTrivet(compiled, args, {
    cwd: data,
    env: { TRIVET_DATA: data },
    ...(stdin === undefined ? {} : { stdin }),
  });
  const answer = await Promise.race([ended, Bun.sleep(30_000)]);
  if (!answer) throw new Error('did not end within 30 s');
  expect(codes).toContain(answer.exitCode);
  if (answer.exitCode !== 0) expect(answer.stderr).not.toBe('');
  if (answer.exitCode !== 0 && args[0] === 'call') expect(answer.stdout).toBe('');
  expect(answer.stderr).not.toMatch(/\n\s+at |panic|Bun v\d|SQLITE_/);
  return answer.exitCode;
}

test('words', async () => {
  const count = scaled(120, 3_000);
  const ended = new Map<number, number>();
  const note = (code: number) => void ended.set(code, (ended.get(code) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(fc.tuple(commandLine, commandLine), async (both) => {
      for (const code of await Promise.all(both.map((args) => judged(args)))) note(code);
    }),
    { seed, numRuns: count / 2, endOnFailure: true },
  );
  expect([...ended.keys()].length).toBeGreaterThanOrEqual(3);
  ran(
    count,
    `command lines; exit codes ${[...ended].map(([code, times]) => `${code}: ${times}`).join(', ')}`,
  );
});

test('arguments on stdin', async () => {
  const count = scaled(60, 1_500);
  const shown = await runTrivet(compiled, ['tools', '--json'], { cwd: data });
  const { tools } = JSON.parse(shown.stdout) as { tools: Tool[] };
  const input = fc
    .constantFrom(...tools)
    .chain(({ name, inputSchema }) =>
      fc.tuple(
        fc.constant(name),
        blurred(argumentsFor(inputSchema, idPool()).map((each) => JSON.stringify(each) ?? '')),
      ),
    );
  await fc.assert(
    fc.asyncProperty(fc.tuple(input, input), async (both) => {
      await Promise.all(
        both.map(([name, bytes]) => judged(['call', name, '--args', '-'], bytes.toString('latin1'))),
      );
    }),
    { seed, numRuns: count / 2, endOnFailure: true },
  );
  ran(count, 'calls on the command line');
});
