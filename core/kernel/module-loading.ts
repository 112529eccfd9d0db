import type { Module, OperationFile } from '../module/module.ts';
import type { SettingTable } from '../settings/settings.ts';
import { operationsOf } from '../tools/operation-files.ts';
import type { Operation } from '../tools/operation.ts';
import { withinCut, type ToolCut, type ToolName } from '../tools/executor.ts';

/** The names of the tools of a module. Does not load its parts. */
export const toolNamesOf = ({ tools, alsoIn, operations = [] }: Module): readonly ToolName[] =>
  tools === undefined || operations.length > 0
    ? operations
    : Object.entries(tools).flatMap(([toolset, entries]) =>
        entries
          .flatMap((entry) => (typeof entry === 'string' ? entry : entry.names))
          .map((name) => ({ name, toolset, ...alsoOf(alsoIn, name) })),
      );

/** The other toolset of a tool, as its manifest says. */
function alsoOf(alsoIn: Module['alsoIn'], name: string): { readonly alsoIn?: string } {
  const found = Object.entries(alsoIn ?? {}).find(([, names]) => names.includes(name))?.[0];
  return found === undefined ? {} : { alsoIn: found };
}

/** The settings that modules add. */
export const moduleSettings = (modules: readonly Module[]): SettingTable =>
  Object.assign({}, ...modules.map(({ settings }) => settings ?? {})) as SettingTable;

/** The modules with a tool within the cut. */
export const modulesWithin = (modules: readonly Module[], cut: ToolCut): readonly Module[] =>
  modules.filter((module) =>
    toolNamesOf(module).some((tool) => withinCut(tool, { ...cut, readOnly: false })),
  );

/**
 * The module with its parts. Its operations are in the order of the manifest, which clients see.
 * @param only the tools that are wanted. A module whose operations stand in files loads those that have them, and nothing else: it has
 * no part that a single call needs.
 */
export async function loaded(module: Module, only?: readonly string[]): Promise<Module> {
  if (module.load === undefined) return module;
  const files = [...new Set(Object.values(module.tools ?? {}).flat())].filter(
    (one) => typeof one === 'object',
  );
  const wanted = only && files.filter(({ names }) => names.some((name) => only.includes(name)));
  if (wanted && files.length > 0) {
    const operations = await operationsIn(wanted, module);
    const names = operations.map(({ name, toolset }) => [toolset, name] as const);
    return { ...module, operations, tools: byToolset(names) };
  }
  const parts = await module.load();
  const order = toolNamesOf(module).map(({ name }) => name);
  const all = [...(parts.operations ?? []), ...(await operationsIn(files, module))];
  const operations = all.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  return { ...module, ...parts, ...(all.length > 0 && { operations }) };
}

async function operationsIn(
  files: readonly OperationFile[],
  { ids, alsoIn }: Module,
): Promise<readonly Operation[]> {
  // The same file may be in several places of the order.
  const loads = [...new Set(files.map(({ load }) => load))];
  const operations = operationsOf(await Promise.all(loads.map((load) => load())), ids ?? (async () => ({})));
  return operations.map((one) => ({ ...one, ...alsoOf(alsoIn, one.name) }));
}

function byToolset(
  names: ReadonlyArray<readonly [string, string]>,
): Readonly<Record<string, readonly string[]>> {
  const groups = Map.groupBy(names, ([toolset]) => toolset);
  return Object.fromEntries([...groups].map(([toolset, of]) => [toolset, of.map(([, name]) => name)]));
}
