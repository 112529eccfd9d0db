import { resolve } from 'node:path';
import { engine } from '../../db/query/engine.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Log } from '../../base/log.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { Config } from '../../settings/config.ts';
import { coreSettings } from '../../settings/settings.ts';
import { shortKeeps } from '../../settings/time-setting.ts';
import { isTerminal, writeError } from '../../base/standard-streams.ts';
import { version } from '../../base/version.ts';
import { localOrigin } from '../invocation/invocation.ts';

/*
 * The lines that a server writes to stderr when it starts and stops: sentences on a terminal, otherwise log lines for programs. The line
 * "trivet listening on …" is the same for both.
 */

/** Tokens would be sent unencrypted. */
const exposed = (host: string) =>
  `WARNING: listening on ${host}, which others can reach, and without TLS. Put a proxy that speaks TLS before it, or leave ` +
  'out --host.';

/** The lines before the server is ready. */
export async function greet({ modules, host }: Kernel): Promise<void> {
  const address = host.config.read(coreSettings).host;
  const loopback = isLoopback(address);
  const to = { terminal: isTerminal('stderr') };
  const say = (level: 'info' | 'warn', event: string, message: string, module?: string) => {
    if (to.terminal) writeError(`${message}\n`);
    // On a terminal an empty line separates the sentences.
    else if (message !== '') host.log[level](event, { ...(module !== undefined && { module }), message });
  };
  for (const { name, greeting } of modules)
    for (const line of (await greeting?.(host, to)) ?? []) say('info', 'greeting', line, name);
  if (!loopback) say('warn', 'listening_without_tls', exposed(address));
  for (const { name, settings = {}, warnings } of modules) {
    const lines = [
      ...shortKeeps(settings, host.config.read(settings)),
      ...(warnings?.(host, { loopback }) ?? []),
    ];
    for (const line of lines) say('warn', 'settings_warning', line, name);
  }
}

/** The signal that ended a server, or why it ended without one. */
type StopCause = NodeJS.Signals | 'orphaned' | 'promoted';

/** Resolves with the signal that ends this process. */
export const stopSignal = (): Promise<StopCause> =>
  new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(signal));
  });

/** What {@link announceReady} has announced. */
export interface Announcement {
  /** The path of the server's file without its ending; undefined without a writable data directory. */
  readonly stem: string | undefined;
  readonly stopped: (cause: StopCause) => void;
}

/** On PostgreSQL a server may have no directory. It makes none: in a container it would be gone with the next one. */
const unannounced =
  'Commands such as trivet reload do not find this server. Make a data directory that it can write, or send SIGHUP to its process.';

/**
 * Announces that a server is ready, and records its address in the data directory.
 * @param origin e.g. `http://127.0.0.1:8787`, as the address was given.
 * @returns a function that announces the stop, and where the address is recorded, if it is.
 */
export async function announceReady(
  { config, log }: { readonly config: Config; readonly log: Log },
  origin: string,
): Promise<Announcement> {
  const { host, data, 'public-url': publicUrl, processes } = config.read(coreSettings);
  const { announceServer } = await import('../../db/sqlite/running-server.ts');
  const reached = publicUrl ?? localOrigin(host, Number(new URL(origin).port || 80));
  const directory = resolve(data);
  const announced = announceServer(directory, reached, Date.now());
  const logged = !isTerminal('stderr');
  if (!announced && logged) log.warn('server_not_announced', { directory, remedy: unannounced });
  else if (!announced)
    writeError(`WARNING: ${directory} is not there or cannot be written. ${unannounced}\n`);
  if (logged)
    log.info('server_started', {
      version,
      address: origin,
      engine: engine(),
      ...(processes > 1 && { processes }),
    });
  // Scripts depend on this line: it is the last one, and means that the server is ready.
  writeError(`trivet listening on ${origin}\n`);
  return {
    stem: announced?.stem,
    stopped: (cause) => {
      announced?.release();
      if (logged) log.info('server_stopped', { signal: cause });
    },
  };
}
