import type { Environment } from './environment.ts';

/** The listeners of one kind of event. */
export function emitter<T>(environment: Environment) {
  const listeners = new Set<{ readonly call: (value: T) => void }>();
  return {
    /** @returns its own removal. */
    on(listener: (value: T) => void): () => void {
      const entry = { call: listener };
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
    emit(value: T): void {
      for (const { call } of Array.from(listeners)) environment.call(call, value);
    },
  };
}
