import { memoryStorage, type TrivetStorage } from '../base/storage.ts';

/** A storage that several instances share, as tabs do. */
export function sharedStorage() {
  const inner = memoryStorage();
  const listeners = new Map<object, (key: string, value: string | null) => void>();
  const tab = (): TrivetStorage => {
    const own = {};
    const tell = (name: string, value: string | null) =>
      listeners.forEach((listener, other) => {
        if (other !== own) queueMicrotask(() => listener(name, value));
      });
    return {
      get: inner.get,
      set: (name, value) => {
        inner.set(name, value);
        tell(name, value);
      },
      remove: (name) => {
        inner.remove(name);
        tell(name, null);
      },
      subscribe: (listener) => {
        listeners.set(own, listener);
        return () => listeners.delete(own);
      },
    };
  };
  return { ...inner, tab };
}
