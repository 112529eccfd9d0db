import type { Environment } from './environment.ts';

/** Runs work later: one time at a time. */
export interface Alarm {
  /** In place of a time that was set before. */
  set(delay: number): void;
  /** Unless one is set: who always asks again must not put it off for ever. */
  ensure(delay: number): void;
  clear(): void;
  /** Nothing runs any more. */
  stop(): void;
}

export function alarm({ later }: Environment, work: () => unknown): Alarm {
  let cancel: (() => void) | undefined;
  let stopped = false;
  const clear = () => {
    if (cancel) cancel();
    cancel = undefined;
  };
  const set = (delay: number) => {
    clear();
    if (!stopped)
      cancel = later(delay, () => {
        clear();
        work();
      });
  };
  return {
    set,
    ensure: (delay) => cancel || set(delay),
    clear,
    stop() {
      stopped = true;
      clear();
    },
  };
}
