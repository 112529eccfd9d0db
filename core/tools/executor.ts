import type { Effect } from '../actor.ts';
import { nearest } from '../nearest-word.ts';
import type { ToolDescription } from './operation.ts';

/** Which tools a surface offers: the operator's cut is an upper bound of the client's. */
export interface ToolCut {
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
  /** Makes a write safe to send again: under one key it is done once. */
  readonly idempotencyKey?: string;
}

/** Runs tools for one caller: on a data directory or on a server somewhere else. MCP and the command line know only this. */
export interface Executor {
  /** The tools the caller may use, in a stable order. */
  tools(): Promise<readonly ToolDescription[]>;
  /** @throws Fault as the operation would, whichever side of the network it runs on. */
  call(tool: string, input: unknown, options: CallOptions): Promise<unknown>;
  close(): Promise<void>;
}

/** A tool as a list of names knows it; its effect is known once its module is loaded. */
export interface ToolName extends Pick<ToolDescription, 'name' | 'toolset'> {
  readonly effect?: Effect;
}

export function withinCut(tool: ToolName, cut: ToolCut): boolean {
  return (
    (!cut.toolsets || cut.toolsets.includes(tool.toolset)) &&
    (!cut.tools || cut.tools.includes(tool.name)) &&
    (!cut.readOnly || tool.effect === 'read')
  );
}

/** A name in a cut that none of these tools has, in a sentence with the names there are; null when all are known. */
export function unknownInCut({ toolsets, tools }: ToolCut, known: readonly ToolName[]): string | null {
  const knownToolsets = [...new Set(known.map(({ toolset }) => toolset))];
  const knownTools = known.map(({ name }) => name);
  for (const name of toolsets ?? []) {
    if (!knownToolsets.includes(name))
      return `--toolsets: there is no toolset "${name.slice(0, 64)}".${meant(name, knownToolsets)} Known: ${knownToolsets.join(', ')}.`;
  }
  for (const name of tools ?? []) {
    if (!knownTools.includes(name))
      return `--tools: there is no tool "${name.slice(0, 64)}".${meant(name, knownTools)} Known: ${knownTools.join(', ')}.`;
  }
  return null;
}

function meant(name: string, known: readonly string[]): string {
  const close = nearest(name, known);
  return close ? ` Did you mean "${close}"?` : '';
}
