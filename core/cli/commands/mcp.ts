import { exit } from '../../base/errors.ts';
import { serveStdio } from '../../mcp/mcp-stdio.ts';
import { defaultToolsets } from '../../mcp/tool-offer.ts';
import { openExecutor, type Invocation } from '../invocation/invocation.ts';

/** `trivet --mcp`: MCP on stdio until the client closes its end. */
export async function runMcp(invocation: Invocation): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  // Tools given by name are offered regardless of their toolset.
  const usual = invocation.cut.tools ? undefined : defaultToolsets(invocation.modules);
  const toolsets = invocation.cut.toolsets ?? usual;
  const executor = await openExecutor(invocation, {
    mode: 'create',
    surface: 'stdio',
    ...(toolsets && { defaultToolsets: toolsets }),
  });
  try {
    await serveStdio(executor, { ...invocation, cut: { ...invocation.cut, toolsets } }, stopping.signal);
  } finally {
    await executor.close();
  }
  return exit.ok;
}
