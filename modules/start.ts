import { builtIn } from './built-in.ts';
import { chooseEngine } from '../core/db/query/engine.ts';
import { settingsOfWorker } from '../core/cli/invocation/worker.ts';
import { peekSetting } from '../core/settings/config.ts';
import { pointConsoleAtStderr } from '../core/base/standard-streams.ts';

/**
 * How long a process counts as starting. The executable is built with a policy by which the code of a start stays in the interpreter
 * (package.json): compiling what runs once costs a fifth of the time. Whoever runs for longer wants compiled code.
 */
const startMs = 250;

/** Decides what must be known before any other file loads, then runs the command line. @returns the exit code. */
export async function start(argv: readonly string[]): Promise<number> {
  setTimeout(() => Bun.unsafe.setJITPolicy(1), startMs).unref();

  // Elysia reads it while it loads. With any value but production it would show errors to clients.
  process.env['NODE_ENV'] = 'production';

  if (argv.includes('--mcp')) pointConsoleAtStderr();

  const sources = { argv, env: process.env, inForce: await settingsOfWorker() };
  chooseEngine(peekSetting('database', sources) === undefined ? 'sqlite' : 'postgres');

  const { runCommandLine } = await import('../core/cli/line/command-line.ts');
  return runCommandLine(sources, builtIn);
}
