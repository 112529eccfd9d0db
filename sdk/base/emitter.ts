import type { Environment } from './environment.ts';

/** The listeners of one kind of event. */
export interface Emitter<T> {
  /** @returns its own removal. */
  on(listener: (value: T) => void): () => void;
  emit(value: T): void;
}

export function emitter<T>(environment: Environment): Emitter<T> {
  const listeners = new Set<{ readonly call: (value: T) => void }>();
  return {
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
