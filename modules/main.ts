#!/usr/bin/env bun
/**
 * The entry point. It imports nothing at first: the version is said before any other file loads, and what follows loads one surface
 * (docs/decisions/start.md).
 */
import { version } from '../package.json';

/** Whether only the version was asked for and it is said. A disk that is full is a case for the command line, which reports it. */
async function saidVersion(argv: readonly string[]): Promise<boolean> {
  if (argv.length !== 1 || (argv[0] !== '--version' && argv[0] !== 'version')) return false;
  try {
    await Bun.write(Bun.stdout, `trivet ${version}\n`);
    return true;
  } catch {
    return false;
  }
}

/** How long a process outlives its command, in case something is still being written to stderr. */
const outliveMs = 3_000;

const argv = process.argv.slice(2);
if (!(await saidVersion(argv))) {
  process.exitCode = await (await import('./start.ts')).start(argv);
  // A request to an S3 server that hangs cannot be aborted, and its socket would keep the process for ever; so would a timer of a plugin.
  setTimeout(() => process.exit(), outliveMs).unref();
}
