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

export function alarm(environment: Environment, work: () => unknown): Alarm {
  let { later } = environment;
  let cancel: (() => void) | undefined;
  const clear = () => {
    if (cancel) cancel();
    cancel = undefined;
  };
  const set = (delay: number) => {
    clear();
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
      clear();
      later = () => () => {};
    },
  };
}
