import type { Actor, Effect } from '../base/actor.ts';
import { didYouMean } from '../text/nearest-word.ts';
import type { GivenFile } from '../base/given-file.ts';
import type { ToolDescription } from './tool-description.ts';

/** The tools that a surface offers. A client can only narrow what the operator allows. */
export interface ToolCut {
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total: number) => void;
  /** Makes a write safe to repeat: under one key it is done once. */
  readonly idempotencyKey?: string;
  /** Files that come with the call. The tool is safe to repeat then. */
  readonly files?: readonly GivenFile[];
  /** The program of an agent, by its own word (core/base/agent-name.ts). */
  readonly client?: string;
}

/** Runs tools for one caller, on a data directory or on another server. MCP and the command line depend only on this. */
export interface Executor {
  /** The tools that the caller may use, in a stable order. */
  tools(): Promise<readonly ToolDescription[]>;
  /** One of them; undefined if it is unknown or the caller may not use it. */
  tool(name: string): Promise<ToolDescription | undefined>;
  /** @throws Fault as the operation does, also over the network. */
  call(tool: string, input: unknown, options: CallOptions): Promise<unknown>;
  close(): Promise<void>;
}

/** The tools of one caller of a server, for routes of modules. */
export interface CallerTools extends Pick<Executor, 'call'> {
  readonly actor: Actor;
  /** Counts a request; call it before the body is read. @throws Fault RATE_LIMITED. */
  countCall(): void;
  /** Whether this server offers a tool, and the credential of the caller may use it. Roles are not asked. */
  offers(tool: string): boolean;
}

/** A tool in a list of names. */
export interface NamedTool extends Pick<ToolDescription, 'name' | 'toolset'> {
  /** Another toolset that also contains the tool. */
  readonly alsoIn?: string;
  readonly effect?: Effect;
}

export function withinCut(tool: NamedTool, cut: ToolCut): boolean {
  return (
    (!cut.toolsets ||
      cut.toolsets.includes(tool.toolset) ||
      (tool.alsoIn !== undefined && cut.toolsets.includes(tool.alsoIn))) &&
    (!cut.tools || cut.tools.includes(tool.name)) &&
    (!cut.readOnly || tool.effect === 'read')
  );
}

/** The word for every toolset. */
const allToolsets = 'all';

/** The toolsets that were asked for: all of them for {@link allToolsets}. */
export const expandToolsets = (
  asked: readonly string[] | undefined,
  known: readonly NamedTool[],
): readonly string[] | undefined =>
  asked?.includes(allToolsets) ? [...new Set(known.map(({ toolset }) => toolset))] : asked;

/** An error message for an unknown name, with the known ones, and for tools of which none is in the toolsets beside them; otherwise null. */
export function faultOfCut({ toolsets, tools }: ToolCut, known: readonly NamedTool[]): string | null {
  const firstUnknown = (kind: string, given: readonly string[], existing: readonly string[]) => {
    const name = given.find((one) => !existing.includes(one));
    if (name === undefined) return null;
    const hint = didYouMean(name, existing);
    return `--${kind}s: there is no ${kind} "${name.slice(0, 64)}".${hint} Known: ${existing.join(', ')}.`;
  };
  const knownToolsets = [...new Set(known.map(({ toolset }) => toolset))];
  const knownTools = known.map(({ name }) => name);
  return (
    firstUnknown('toolset', toolsets ?? [], knownToolsets) ??
    firstUnknown('tool', tools ?? [], knownTools) ??
    (toolsets && tools && !known.some((tool) => withinCut(tool, { toolsets, tools }))
      ? `--tools: none of them is in the toolsets ${toolsets.join(', ')}. Leave out the toolsets: tools need none.`
      : null)
  );
}
