import { readInput } from '../../base/standard-streams.ts';
import type { SettingsInForce } from '../../settings/config.ts';

/**
 * A worker is one of the processes of `serve --processes N`. Its supervisor sets this variable, which contains the shared port and whether
 * the worker prints the startup messages. The name lacks TRIVET_ because it is not a setting.
 */
const variable = '_TRIVET_WORKER';

/** The worker's side of the channel to its supervisor. */
export interface Worker {
  readonly port: number;
  /** It prints the greeting and the warnings of all workers. */
  readonly greets: boolean;
  /** Tells the supervisor that the worker is ready. From then on the worker replies to {@link aliveMessage}. */
  ready(): void;
  /** Calls `take` with the settings of the server whenever its supervisor has accepted others. */
  reconfigured(take: (settings: SettingsInForce) => void): void;
  /** Resolves when the supervisor has ended: nobody could stop this worker later. */
  readonly orphaned: Promise<void>;
  /** Closes the channel, which would keep the process alive. */
  leave(): void;
}

/** The environment variables of a worker. */
export const workerEnvironment = (port: number, greets: boolean): Readonly<Record<string, string>> => ({
  [variable]: `${port}${greets ? ' greets' : ''}`,
});

/** The message of a worker that is ready. */
export const readyMessage = 'ready';

/** The supervisor's question whether the event loop of a worker runs, and the reply of one that is ready. */
export const aliveMessage = 'alive';

/** The supervisor's message about settings that a running server takes. */
export interface NewSettings {
  readonly settings: SettingsInForce;
}

const isNewSettings = (message: unknown): message is NewSettings =>
  typeof message === 'object' && message !== null && 'settings' in message;

/**
 * The settings that the supervisor writes to the stdin of a worker; undefined in other processes. A worker that read the configuration
 * itself would have another database than the rest of its server when the file has been changed since the start. Secrets are among them,
 * so they are in no command line and no environment.
 */
export const settingsOfWorker = async (): Promise<SettingsInForce | undefined> =>
  isWorker() ? (JSON.parse(await readInput()) as SettingsInForce) : undefined;

const isWorker = (): boolean => process.env[variable] !== undefined && process.connected;

/** The worker's side if this process is a worker, otherwise undefined. */
export function worker(): Worker | undefined {
  const [port, greets] = process.env[variable]?.split(' ') ?? [];
  if (port === undefined || !isWorker()) return undefined;
  return {
    port: Number(port),
    greets: greets !== undefined,
    ready: () => {
      process.on('message', (message) => {
        if (message === aliveMessage) process.send?.(aliveMessage);
      });
      process.send?.(readyMessage);
    },
    reconfigured: (take) =>
      void process.on('message', (message: unknown) => {
        if (isNewSettings(message)) take(message.settings);
      }),
    orphaned: new Promise((resolve) => process.once('disconnect', resolve)),
    leave: () => {
      if (process.connected) process.disconnect?.();
    },
  };
}

/** The log fields that distinguish workers. */
export const workerFields = (): Readonly<Record<string, number>> =>
  process.env[variable] === undefined ? {} : { worker: process.pid };
