import type { Fault } from '../errors.ts';
import { toolNamesOf } from '../kernel/module-loading.ts';
import type { Module } from '../module.ts';
import { withinCut, type ToolCut, type ToolName } from '../tools/executor.ts';

/** The toolsets that MCP offers by default: those of the modules with instructions for agents. */
export const defaultToolsets = (modules: readonly Module[]): readonly string[] =>
  modules.filter((module) => module.mcpInstructions).map(({ name }) => name);

/** The instructions of each module, if all tools that they name are offered. */
export const instructionsOf = ({ modules, cut }: Offer): string =>
  [
    ...modules.flatMap(({ mcpInstructions: text }) =>
      text === undefined || notOffered(text, { modules, cut }).length > 0 ? [] : [text],
    ),
    'A failed call says after "Tip:" how to repair it.',
  ].join(' ');

export interface Offer {
  readonly modules: readonly Module[];
  readonly cut: ToolCut;
}

/** The tools that a text names but that are not offered. */
function notOffered(text: string, { modules, cut }: Offer): readonly ToolName[] {
  const words = new Set(text.split(/[^a-z-]/));
  return modules.flatMap(toolNamesOf).filter((tool) => words.has(tool.name) && !withinCut(tool, cut));
}

/** The tip. If it names a tool that the agent does not have, it says so. */
export function tipFor({ tip }: Fault, offer: Offer): string {
  const missing = notOffered(tip, offer);
  if (missing.length === 0) return tip;
  const named = missing.map(({ name, toolset }) => `${name} (toolset ${toolset})`).join(', ');
  return `${tip} Not offered here: ${named}; the administrator of this server can add it with --toolsets or --tools.`;
}
