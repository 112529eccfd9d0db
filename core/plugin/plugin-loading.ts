import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../base/errors.ts';
import type { Module } from '../module/module.ts';
import { refuseWritableByAll } from '../settings/settings-file.ts';
import { version } from '../base/version.ts';
import { containPlugin } from './plugin-containment.ts';
import { kitVersion, oldestKit, pluginKit, type Plugin } from './plugin-kit.ts';
import { foreignStatement } from './plugin-migrations.ts';
import { watchPlugin, type ShownError } from './plugin-watch.ts';

/**
 * Loads plugins from TypeScript or JavaScript files, also in a compiled executable. Nothing is opened before all of them are loaded: a
 * plugin that throws, loops or ends the process changes no data.
 * @param others the other modules.
 * @param shown formats the error with which the process ends.
 * @throws UsageError that names the file and the mistake.
 */
export async function loadPlugins(
  files: readonly string[],
  others: readonly Module[],
  shown: ShownError,
): Promise<readonly Module[]> {
  const owners = new Map(others.map(({ name }) => [name, 'a module of Trivet']));
  const settings = new Map(
    others.flatMap((module) =>
      Object.keys(module.settings ?? {}).map((name) => [name, module.name] as const),
    ),
  );
  const plugins: Module[] = [];
  for (const file of files) {
    const path = isAbsolute(file) ? file : resolve(process.cwd(), file);
    if (!(await Bun.file(path).exists())) throw new UsageError(`--plugin: there is no file ${path}.`);
    refuseWritableByAll('--plugin', path);
    const module = await watchPlugin(`--plugin: ${path} did not load`, shown, () => moduleOf(path));
    const owner = owners.get(module.name);
    if (owner !== undefined)
      throw new UsageError(
        `Two modules are named "${module.name}": the plugin ${path} and ${owner}. Rename one.`,
      );
    owners.set(module.name, `the plugin ${path}`);
    for (const name of Object.keys(module.settings ?? {})) {
      const other = settings.get(name);
      if (other !== undefined)
        throw new UsageError(
          `Module "${module.name}": the setting "${name}" is already one of "${other}". Name it "${module.name}-…".`,
        );
      settings.set(name, module.name);
    }
    plugins.push(containPlugin(module, path, shown));
  }
  return plugins;
}

/** @throws UsageError when the file does not run, needs another kit, or exports no plugin. */
async function moduleOf(path: string): Promise<Module> {
  const file = await attempted(
    `--plugin: ${path} does not load`,
    async () => (await import(pathToFileURL(path).href)) as { default?: unknown; kit?: unknown },
  );
  // Checked before its function is called: features of a newer kit would be missing there.
  const wrongKit = kitProblem(file.kit);
  if (wrongKit !== undefined) throw new UsageError(`--plugin: ${path} ${wrongKit}`);
  const { default: plugin } = file;
  if (typeof plugin !== 'function') {
    throw new UsageError(
      `--plugin: ${path} must export a function by default: (kit) => kit.defineModule({…}).`,
    );
  }
  const module: unknown = await attempted(`--plugin: ${path} fails while it makes its module`, async () =>
    (plugin as Plugin)(pluginKit),
  );
  if (!isModule(module)) {
    throw new UsageError(
      `--plugin: ${path} makes no module: its function must return kit.defineModule({ name: '…' }).`,
    );
  }
  const foreign = foreignStatement(module);
  if (foreign !== undefined) throw new UsageError(`Module "${module.name}": ${foreign}`);
  return module;
}

const isModule = (value: unknown): value is Module =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';

/** @throws UsageError with the original message. */
async function attempted<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UsageError(`${what}: ${error instanceof Error ? error.message : 'it threw'}`);
  }
}

/**
 * Why a plugin for this kit cannot be loaded; undefined when it can. A plugin that states no kit was written for 0.1.0, which did not
 * require one.
 */
export function kitProblem(
  kit: unknown = 1,
  here: { readonly newest: number; readonly oldest: number } = { newest: kitVersion, oldest: oldestKit },
): string | undefined {
  if (typeof kit !== 'number' || !Number.isSafeInteger(kit) || kit < 1)
    return 'must say which kit it needs as a whole number: export const kit = 1;';
  if (kit > here.newest)
    return `needs kit ${kit}, this Trivet ${version} has kit ${here.newest}: update Trivet.`;
  if (kit < here.oldest)
    return `was written for kit ${kit}, this Trivet ${version} has kit ${here.oldest} and later: update the plugin.`;
  return undefined;
}
