/**
 * Where the SDK keeps what must survive the end of a process: the session, the rules and what was not sent yet. Values are text. Each
 * method may answer at once or with a promise; localStorage answers at once, AsyncStorage does not.
 */
export interface TrivetStorage {
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  set(key: string, value: string): unknown;
  remove(key: string): unknown;
  /**
   * Reports changes that others make, e.g. another tab; null: removed. A storage without it belongs to this instance alone.
   * @returns its own removal.
   */
  subscribe?(listener: (key: string, value: string | null) => void): () => void;
}

/** A storage that ends with the process. */
export function memoryStorage(): TrivetStorage {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key) ?? null,
    set: (key, value) => {
      values.set(key, value);
    },
    remove: (key) => {
      values.delete(key);
    },
  };
}

/** The localStorage of a page. @throws what the browser throws where a page may have none. */
export function pageStorage(): TrivetStorage {
  const area = localStorage;
  return {
    get: (key) => area.getItem(key),
    set: (key, value) => area.setItem(key, value),
    remove: (key) => area.removeItem(key),
    subscribe: (listener) => {
      const heard = ({ key, newValue, storageArea }: StorageEvent) => {
        if (storageArea === area && key !== null) listener(key, newValue);
      };
      addEventListener('storage', heard);
      return () => removeEventListener('storage', heard);
    },
  };
}
