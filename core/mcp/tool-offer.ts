import type { Fault } from '../base/errors.ts';
import { toolNamesOf } from '../kernel/module-loading.ts';
import type { Module } from '../module/module.ts';
import { withinCut, type ToolCut, type NamedTool } from '../tools/executor.ts';

/** The toolsets that MCP offers by default. */
export const defaultToolsets = (modules: readonly Module[]): readonly string[] =>
  modules.flatMap(({ defaultToolset = [] }) => defaultToolset);

/** The instructions of each module whose named tools are all offered, and the toolsets that are not offered. */
export function instructionsOf(offer: ToolOffer): string {
  const writesToo = { ...offer, cut: { ...offer.cut, readOnly: false } };
  const others = [...new Set(notOffered(undefined, writesToo).map(({ toolset }) => toolset))];
  return [
    ...offer.modules.flatMap(({ mcpInstructions: text }) =>
      text === undefined || notOffered(text, offer).length > 0 ? [] : [text],
    ),
    ...(others.length === 0
      ? []
      : [`Toolsets with tools that are not offered here: ${others.join(', ')} (${howToOffer(offer)}).`]),
    'A failed call says after "Tip:" how to repair it.',
  ].join(' ');
}

export interface ToolOffer {
  readonly modules: readonly Module[];
  readonly cut: ToolCut;
}

/**
 * How a client gets more tools: by its address or its command, within what the operator allows. Toolsets add nothing to tools that were chosen
 * by name.
 */
const howToOffer = ({ cut }: ToolOffer): string =>
  cut.tools
    ? 'the name of a tool in ?tools= at /mcp, in --tools for a command'
    : '?toolsets=NAME or all at /mcp, --toolsets for a command';

/** The tools that a text names but that are not offered; without a text, all tools that are not offered. */
function notOffered(text: string | undefined, { modules, cut }: ToolOffer): readonly NamedTool[] {
  const words = text === undefined ? undefined : new Set(text.split(/[^a-z-]/));
  return modules
    .flatMap(toolNamesOf)
    .filter((tool) => (words === undefined || words.has(tool.name)) && !withinCut(tool, cut));
}

/** A text that adds the toolset to each named tool that the agent does not have, and which of them a reading agent cannot get. */
function withToolsets(text: string, offer: ToolOffer): string {
  const missing = notOffered(text, offer);
  const named = missing
    .filter((tool) => isWithinEffects(tool, offer))
    .map(({ name, toolset }) => `${name} (toolset ${toolset})`);
  const writing = missing.filter((tool) => !isWithinEffects(tool, offer)).map(({ name }) => name);
  return [
    text,
    ...(named.length === 0
      ? []
      : [
          `Not offered here: ${named.join(', ')}; ${howToOffer(offer)} adds it, if the administrator of this server allows it.`,
        ]),
    ...(writing.length === 0
      ? []
      : [`Not offered here, where only tools that read are: ${writing.join(', ')}.`]),
  ].join(' ');
}

/** Whether another choice of toolsets would offer a tool: not a tool that writes, where only reading is allowed. */
const isWithinEffects = (tool: NamedTool, { cut }: ToolOffer): boolean =>
  withinCut(tool, { ...cut, tools: undefined, toolsets: undefined });

export const tipFor = ({ tip }: Fault, offer: ToolOffer): string => withToolsets(tip, offer);

/** For an existing tool that is not offered: its toolset. */
export function elsewhere(name: string, offer: ToolOffer): string | undefined {
  const tool = notOffered(undefined, offer).find((one) => one.name === name);
  if (tool === undefined) return undefined;
  return isWithinEffects(tool, offer)
    ? `The tool "${name}" is in the toolset "${tool.toolset}", which is not offered here: ${howToOffer(offer)} adds it, if the administrator of this server allows it.`
    : `The tool "${name}" writes, and only tools that read are offered here.`;
}
