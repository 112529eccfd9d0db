import { exit } from '../errors.ts';
import { serveStdio } from '../mcp/mcp-stdio.ts';
import { defaultToolsets } from '../mcp/tool-offer.ts';
import { openExecutor, type Invocation } from './invocation.ts';

/** `trivet --mcp`: MCP on stdio until the client closes its end. */
export async function runMcp(invocation: Invocation): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const toolsets = invocation.cut.toolsets ?? defaultToolsets(invocation.modules);
  const executor = await openExecutor(invocation, {
    mode: 'create',
    surface: 'stdio',
    defaultToolsets: toolsets,
  });
  try {
    await serveStdio(executor, { ...invocation, cut: { ...invocation.cut, toolsets } }, stopping.signal);
  } finally {
    await executor.close();
  }
  return exit.ok;
}
