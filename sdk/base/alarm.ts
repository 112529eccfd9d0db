import type { Environment } from './environment.ts';

/** Runs work later: one time at a time. */
export interface Alarm {
  /** In place of a time that was set before. */
  set(delay: number): void;
  /** Does nothing if a time is set: otherwise an app that asks again and again would put it off for ever. */
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
