import type { Module } from '../module/module.ts';
import type { SettingTable } from '../settings/settings.ts';
import { operationsOf } from '../tools/operation-files.ts';
import { withinCut, type ToolCut, type NamedTool } from '../tools/executor.ts';

/** The names of the tools of a module. Does not load its parts. */
export const toolNamesOf = ({ operationFiles, operations = [] }: Module): readonly NamedTool[] =>
  operationFiles === undefined || operations.length > 0
    ? operations
    : inClientOrder(operationFiles.flatMap(({ tools }) => tools));

/** Tools are grouped by toolset, with those of the module's first toolset first. */
function inClientOrder<T extends NamedTool>(tools: readonly T[]): readonly T[] {
  return [...Map.groupBy(tools, ({ toolset }) => toolset).values()].flat();
}

/** The settings that modules add. */
export const moduleSettings = (modules: readonly Module[]): SettingTable =>
  Object.assign({}, ...modules.map(({ settings }) => settings ?? {})) as SettingTable;

/** The modules with at least one offered tool. */
export const modulesWithin = (modules: readonly Module[], cut: ToolCut): readonly Module[] =>
  modules.filter((module) =>
    toolNamesOf(module).some((tool) => withinCut(tool, { ...cut, readOnly: false })),
  );

/**
 * The module with its parts. Its operations are in the order that clients see.
 * @param only the wanted tools: a module whose calls need no parts loads only the files that contain them.
 */
export async function loadModule(module: Module, only?: readonly string[]): Promise<Module> {
  if (module.load === undefined) return module;
  const { operationFiles = [], callsNeedNoParts = false } = module;
  const files = operationFiles.filter(
    ({ tools }) => only === undefined || tools.some(({ name }) => only.includes(name)),
  );
  const namespaces = await Promise.all(files.map(({ load }) => load()));
  const found = operationsOf(namespaces, module.ids ?? (async () => ({})));
  const order = toolNamesOf(module).map(({ name }) => name);
  const operations = found.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const parts = only !== undefined && callsNeedNoParts ? {} : await module.load();
  return { ...module, ...parts, ...(operations.length > 0 && { operations }) };
}
