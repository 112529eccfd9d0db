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
  /** Tells the supervisor that the worker is ready. */
  ready(): void;
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

/** The worker's side if this process is a worker, otherwise undefined. */
export function worker(): Worker | undefined {
  const [port, greets] = process.env[variable]?.split(' ') ?? [];
  if (port === undefined || !process.connected) return undefined;
  return {
    port: Number(port),
    greets: greets !== undefined,
    ready: () => void process.send?.(readyMessage),
    orphaned: new Promise((resolve) => process.once('disconnect', resolve)),
    leave: () => {
      if (process.connected) process.disconnect?.();
    },
  };
}

/** The log fields that distinguish workers. */
export const workerFields = (): Readonly<Record<string, number>> =>
  process.env[variable] === undefined ? {} : { worker: process.pid };
