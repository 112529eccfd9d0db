import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Type } from '@sinclair/typebox';
import { and, asc, desc, eq, gt, inArray, isNull, like, lt, or, sql } from 'drizzle-orm';
import { member, roleIn, signedIn } from './actor.ts';
import { isoTime } from './clock.ts';
import * as columns from './db/columns.ts';
import { prepared } from './db/db.ts';
import { defineErrors, fail, UsageError } from './errors.ts';
import { perHost } from './host.ts';
import { jsonAnswer } from './http/answer.ts';
import { callerOf } from './http/bearer.ts';
import { readJson } from './http/body.ts';
import { defineModule, type Module } from './module.ts';
import { recordId, words } from './schema.ts';
import { operation } from './tools/operation.ts';

/** What a plugin builds its module from, so that its file needs no packages of its own. */
export const pluginKit = {
  defineModule,
  operation,
  Type,
  words,
  recordId,
  columns,
  query: { and, asc, desc, eq, gt, inArray, isNull, like, lt, or, sql },
  prepared,
  perHost,
  signedIn,
  member,
  roleIn,
  defineErrors,
  /** {@link defineErrors} by its name in 0.1.0. */
  catalogue: defineErrors,
  fail,
  isoTime,
  http: { jsonAnswer, readJson, callerOf },
};

export type PluginKit = typeof pluginKit;

/** The default export of a plugin file. */
export type Plugin = (kit: PluginKit) => Module;

/**
 * Loads a module from a TypeScript or JavaScript file, also in a compiled executable.
 * @throws UsageError when the file is missing, does not run, or exports no plugin.
 */
export async function loadPlugin(file: string): Promise<Module> {
  const path = isAbsolute(file) ? file : resolve(process.cwd(), file);
  if (!(await Bun.file(path).exists())) throw new UsageError(`--plugin: there is no file ${path}.`);
  let plugin: unknown;
  try {
    ({ default: plugin } = (await import(pathToFileURL(path).href)) as { default?: unknown });
  } catch (error) {
    throw new UsageError(
      `--plugin: ${path} does not load: ${error instanceof Error ? error.message : 'it threw'}`,
    );
  }
  if (typeof plugin !== 'function') {
    throw new UsageError(
      `--plugin: ${path} must export a function by default: (kit) => kit.defineModule({…}).`,
    );
  }
  return (plugin as Plugin)(pluginKit);
}
