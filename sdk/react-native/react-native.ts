/*
 * What an app of React Native gives createTrivet. It imports nothing of React Native: the app passes in what it has.
 */

/** Of `@react-native-async-storage/async-storage`. */
export interface AsyncStorageLike {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<void>;
  removeItem(key: string): Promise<void>;
}

/** Of `react-native`. */
export interface AppStateLike {
  addEventListener(type: 'change', listener: (state: string) => void): { remove(): void } | undefined;
}

/**
 * The `storage` of an app.
 * @example createTrivet({ url, storage: asyncStorage(AsyncStorage), lifecycle: appStateLifecycle(AppState) });
 */
export const asyncStorage = (storage: AsyncStorageLike) => ({
  get: (key: string): Promise<string | null> => storage.getItem(key),
  set: (key: string, value: string): Promise<void> => storage.setItem(key, value),
  remove: (key: string): Promise<void> => storage.removeItem(key),
});

/**
 * The `lifecycle` of an app: whether it is in the foreground. On iOS `inactive` (the app switcher, a call) counts as away: the system
 * may end the app without another event.
 */
export const appStateLifecycle =
  (appState: AppStateLike) =>
  (listener: (visible: boolean) => void): (() => void) => {
    const subscription = appState.addEventListener('change', (state) => listener(state === 'active'));
    return () => {
      if (subscription) subscription.remove();
    };
  };
