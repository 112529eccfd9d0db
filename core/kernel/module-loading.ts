import { withinCut, type ToolCut, type ToolName } from '../tools/executor.ts';
import type { Module } from '../module.ts';

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

export const loaded = async (module: Module): Promise<Module> =>
  module.load === undefined ? module : { ...module, ...(await module.load()) };
