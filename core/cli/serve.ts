import { toolRoutes } from '../api/tool-routes.ts';
import { exit, UsageError } from '../errors.ts';
import { asFault } from '../foreign-errors.ts';
import type { Host } from '../host.ts';
import { serveHttp } from '../http/serve.ts';
import { isLoopback } from '../loopback.ts';
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import type { Module } from '../module.ts';
import { coreSettings } from '../settings/settings.ts';
import { isTerminal, writeError } from '../standard-streams.ts';
import { unknownInCut } from '../tools/executor.ts';
import { openKernel, toolNames, type Invocation } from './invocation.ts';

/** Tokens would be sent unencrypted. */
const exposed = (host: string) =>
  `WARNING: listening on ${host}, which others can reach, and without TLS. Put a proxy that speaks TLS before it, or leave ` +
  'out --host.';

/** `trivet` and `trivet serve`: HTTP until SIGTERM or SIGINT. Requests in flight may finish. */
export async function runServe(invocation: Invocation): Promise<number> {
  const { host, dev, migrate, 'public-url': publicUrl } = invocation.config.read(coreSettings);
  if (dev && !isLoopback(host)) {
    throw new UsageError(
      '--dev signs anyone in: it works on a loopback address only. Leave out --dev or --host.',
    );
  }
  const unknown = unknownInCut(invocation.cut, toolNames(invocation));
  if (unknown) throw new UsageError(unknown);
  const kernel = await openKernel(invocation, migrate === 'check' ? 'require' : 'apply');
  const stopping = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  try {
    for (const module of kernel.modules) await refuseUnready(module, kernel.host);
    const server = serveHttp(kernel, invocation.cut, [toolRoutes, mcpRoutes]);
    kernel.listening(publicUrl ?? server.origin);
    for (const module of kernel.modules) {
      const to = { terminal: isTerminal('stderr') };
      for (const line of (await module.greeting?.(kernel.host, to)) ?? []) writeError(`${line}\n`);
    }
    if (!isLoopback(host)) writeError(`${exposed(host)}\n`);
    for (const { warnings } of kernel.modules) {
      for (const line of warnings?.(kernel.host, { loopback: isLoopback(host) }) ?? [])
        writeError(`${line}\n`);
    }
    // Scripts depend on this line: it is the last one, when the server is ready.
    writeError(`trivet listening on ${server.origin}\n`);
    kernel.startJobs();
    await stopping;
    await server.stop();
  } finally {
    await kernel.stop();
  }
  return exit.ok;
}

/** @throws UsageError: a server that cannot work must not replace one that can. */
async function refuseUnready({ ready }: Module, host: Host): Promise<void> {
  try {
    await ready?.(host);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { message, tip } = asFault(error);
    throw new UsageError(`${message} ${tip}`);
  }
}
