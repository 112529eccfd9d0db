/**
 * A worker is one of the processes of `serve --processes N`. Its supervisor tells it so by this variable, which has the shared port
 * and whether it prints what a server prints at its start. The name has no TRIVET_: it is no setting.
 */
const variable = '_TRIVET_WORKER';

/** What a worker knows and tells. */
export interface Worker {
  readonly port: number;
  /** It prints the greeting and the warnings of all workers. */
  readonly greets: boolean;
  /** Tells the supervisor that it serves. */
  ready(): void;
  /** Resolves when the supervisor has ended: nobody could stop this process later. */
  readonly orphaned: Promise<void>;
  /** Closes the channel, which would keep the process alive. */
  leave(): void;
}

/** What the supervisor puts into the environment of a worker. */
export const workerEnvironment = (port: number, greets: boolean): Readonly<Record<string, string>> => ({
  [variable]: `${port}${greets ? ' greets' : ''}`,
});

/** What a worker sends when it serves. */
export const readyMessage = 'ready';

/** Whether this process is a worker: undefined for any other. */
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

/** The fields by which the log lines of workers are told apart. */
export const workerFields = (): Readonly<Record<string, number>> =>
  process.env[variable] === undefined ? {} : { worker: process.pid };
