#!/usr/bin/env bun
/**
 * The entry point: decides what must be known before any other file loads, then loads one surface. It imports little on purpose:
 * `trivet call` should start in milliseconds.
 */
import { builtIn } from '../modules/built-in.ts';
import { chooseEngine } from './db/engine.ts';
import { peekSetting } from './settings/config.ts';
import { pointConsoleAtStderr } from './standard-streams.ts';

const argv = process.argv.slice(2);

// Elysia reads it while it loads. With any value but production it would show errors to clients.
process.env['NODE_ENV'] = 'production';

if (argv.includes('--mcp')) pointConsoleAtStderr();

const sources = { argv, env: process.env };
chooseEngine(peekSetting('database', sources) === undefined ? 'sqlite' : 'postgres');

const { runCommandLine } = await import('./cli/command-line.ts');
process.exitCode = await runCommandLine(sources, builtIn);
