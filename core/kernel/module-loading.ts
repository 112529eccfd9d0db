import type { Module } from '../module.ts';
import { withinCut, type ToolCut, type ToolName } from '../tools/executor.ts';

/** The names of the tools of a module. Does not load its parts. */
export const toolNamesOf = ({ tools, operations = [] }: Module): readonly ToolName[] =>
  tools === undefined || operations.length > 0
    ? operations
    : Object.entries(tools).flatMap(([toolset, names]) => names.map((name) => ({ name, toolset })));

/** The modules with a tool within the cut. */
export const modulesWithin = (modules: readonly Module[], cut: ToolCut): readonly Module[] =>
  modules.filter((module) =>
    toolNamesOf(module).some((tool) => withinCut(tool, { ...cut, readOnly: false })),
  );

/** The module with its parts. Its operations are in the order of the manifest, which clients see. */
export async function loaded(module: Module): Promise<Module> {
  if (module.load === undefined) return module;
  const parts = await module.load();
  const order = toolNamesOf(module).map(({ name }) => name);
  const operations = parts.operations?.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  return { ...module, ...parts, ...(operations && { operations }) };
}
