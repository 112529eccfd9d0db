import { mayUse, type Actor } from '../base/actor.ts';
import type { Host } from '../host/host.ts';
import type { Surface } from '../base/write-entry.ts';
import { withinCut, type Executor, type ToolCut } from './executor.ts';
import { run, unknownTool, type Operation } from './operation.ts';
import { describe } from './tool-description.ts';

/** Runs tools on this kernel for one actor. */
export function localExecutor(
  { host, operations }: { readonly host: Host; readonly operations: ReadonlyMap<string, Operation> },
  actor: Actor,
  cut: ToolCut,
  surface: Surface = 'cli',
): Executor {
  const offered = () =>
    [...operations.values()].filter((operation) => withinCut(operation, cut) && mayUse(actor, operation));
  return {
    tools: async () => offered().map(describe),
    tool: async (name) => {
      const operation = operations.get(name);
      return operation && withinCut(operation, cut) && mayUse(actor, operation)
        ? describe(operation)
        : undefined;
    },
    call: async (name, input, options) => {
      const operation = operations.get(name);
      if (!operation || !withinCut(operation, cut)) throw unknownTool(name, offered());
      return run(host, operation, input, { actor, surface, ...options });
    },
    close: async () => {},
  };
}
