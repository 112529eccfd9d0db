import { exit, UsageError } from '../../base/errors.ts';
import { print, toolNames, operationOf, type Invocation } from '../invocation/invocation.ts';
import { candidates, type CompletionWorld } from './completion-candidates.ts';
import { scripts } from './completion-scripts.ts';
import type { AnyCommand } from './command-list.ts';
import { completionSettings } from '../invocation/command-settings.ts';

/** `trivet completion bash|zsh|fish` prints a script for the shell; the script asks `trivet completion candidates`. */
export async function runCompletion(
  invocation: Invocation,
  commands: readonly AnyCommand[],
): Promise<number> {
  const [what, ...others] = invocation.config.words;
  const { line } = invocation.config.read(completionSettings);
  if (what === 'candidates' && line !== undefined && others.length === 0) {
    const found = await candidates(line, worldOf(invocation, commands));
    return print(found.map((one) => `${one}\n`).join(''));
  }
  const script = what === undefined || others.length > 0 ? undefined : scripts.get(what);
  if (script === undefined)
    throw new UsageError(`Name a shell: trivet completion ${[...scripts.keys()].join('|')}.`, exit.usage);
  return print(script);
}

/** The completions, loaded on demand. */
function worldOf({ modules }: Invocation, commands: readonly AnyCommand[]): CompletionWorld {
  return {
    commands,
    tools: toolNames({ modules }).map(({ name }) => name),
    toolsets: [...new Set(toolNames({ modules }).map(({ toolset }) => toolset))],
    parametersOf: async (tool) => {
      const operation = await operationOf({ modules }, tool);
      return (operation?.input.properties ?? {}) as Readonly<Record<string, { readonly type?: unknown }>>;
    },
    completed: async (tool, parameter, text) => {
      const found: string[] = [];
      for (const { completions } of modules)
        if (completions) found.push(...(await completions())(tool, parameter, text));
      return found;
    },
  };
}
