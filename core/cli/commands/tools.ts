import { UsageError } from '../../base/errors.ts';
import { modulesWithin } from '../../kernel/module-loading.ts';
import { clientSettings } from '../../settings/settings.ts';
import { faultOfCut, withinCut } from '../../tools/executor.ts';
import { describe, type ToolDescription } from '../../tools/tool-description.ts';
import { openExecutor, loadOperations, print, toolNames, type Invocation } from '../invocation/invocation.ts';

/** `trivet tools`: the tools of this executable, or those that the caller of `--url` or `--as` may use. */
export async function runTools(invocation: Invocation): Promise<number> {
  const { url, as, json } = invocation.config.read(clientSettings);
  const fault = url === undefined ? faultOfCut(invocation.cut, toolNames(invocation)) : null;
  if (fault) throw new UsageError(fault);
  const tools = await (url === undefined && as === undefined
    ? everyTool(invocation)
    : offeredTools(invocation));
  if (json) return print(`${JSON.stringify({ tools })}\n`);
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  const lines = tools.map(
    ({ name, toolset, title }) => `${name.padEnd(width)}  ${toolset.padEnd(9)} ${title}`,
  );
  return print(`${lines.join('\n')}\n`);
}

/** The tools that the modules declare. Needs no data directory. */
const everyTool = async ({ modules, cut }: Invocation): Promise<readonly ToolDescription[]> =>
  (await loadOperations(modulesWithin(modules, cut)))
    .filter((operation) => withinCut(operation, cut))
    .map(describe);

async function offeredTools(invocation: Invocation): Promise<readonly ToolDescription[]> {
  const executor = await openExecutor(invocation, { mode: 'check' });
  try {
    return await executor.tools();
  } finally {
    await executor.close();
  }
}
