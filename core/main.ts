#!/usr/bin/env bun
/**
 * The entry point: decides what must be decided before anything else loads, then loads one surface. Imports here are few
 * on purpose: `trivet call` should start in milliseconds.
 */
import { builtIn } from '../modules/built-in.ts';
import { peekSetting } from './settings/config.ts';
import { chooseEngine } from './db/engine.ts';

const argv = process.argv.slice(2);

// Elysia reads it while it loads: anything but production would show errors to clients.
process.env['NODE_ENV'] = 'production';

if (argv.includes('--mcp')) {
  // stdout carries the protocol: a stray console.log of any dependency would break it.
  const toStderr = (...values: unknown[]) => void process.stderr.write(`${values.map(String).join(' ')}\n`);
  for (const method of ['log', 'info', 'debug', 'warn', 'error'] as const)
    globalThis.console[method] = toStderr;
}

// Whoever reads may leave early (`| head`). Without a listener the next write would end the process with a stack; who
// writes an answer learns of it from the write itself, and a log that nobody reads is no reason to stop serving.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const sources = { argv, env: process.env };
chooseEngine(peekSetting('database', sources) === undefined ? 'sqlite' : 'postgres');

const { runCommandLine } = await import('./cli/command-line.ts');
process.exitCode = await runCommandLine(sources, builtIn);
