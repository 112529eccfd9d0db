import { expect, test } from 'bun:test';
import { createTrivet } from '../trivet/trivet.ts';
import { appStateLifecycle, asyncStorage, type AppStateLike } from './react-native.ts';

/** As React Native has it. */
function appState() {
  const listeners = new Set<(state: string) => void>();
  const state: AppStateLike = {
    addEventListener: (_type, listener) => {
      listeners.add(listener);
      return { remove: () => void listeners.delete(listener) };
    },
  };
  return { state, listeners, become: (next: string) => listeners.forEach((listener) => listener(next)) };
}

test.each([
  ['active', true],
  ['inactive', false],
  ['background', false],
  ['unknown', false],
])('%s: in sight %p', (state, isVisible) => {
  const app = appState();
  const seen: boolean[] = [];
  const remove = appStateLifecycle(app.state)((visible) => seen.push(visible));
  app.become(state);
  remove();
  app.become('active');
  expect([seen, app.listeners.size]).toEqual([[isVisible], 0]);
});

test('AsyncStorage is a storage: nothing is asked before the first use, and all of it is text', async () => {
  const asked: string[] = [];
  const values = new Map<string, string>();
  const storage = asyncStorage({
    getItem: (key) => {
      asked.push(key);
      return Promise.resolve(values.get(key) ?? null);
    },
    setItem: (key, value) => {
      expect(typeof value).toBe('string');
      values.set(key, value);
      return Promise.resolve();
    },
    removeItem: (key) => Promise.resolve(void values.delete(key)),
  });
  const app = appState();
  const trivet = createTrivet({
    url: 'http://trivet.invalid',
    storage,
    lifecycle: appStateLifecycle(app.state),
    fetch: () => Promise.reject(new TypeError('offline')),
    onError: () => {},
  });
  expect([asked, app.listeners.size]).toEqual([[], 0]);
  trivet.cta.setUser('7');
  await trivet.cta.launch();
  expect(asked.length).toBeGreaterThan(0);
  app.become('background');
  trivet.dispose();
  expect(app.listeners.size).toBe(0);
});
