import { onlineManager, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Unreachable } from '../api/call.ts';

/** Whether the last request got a response. A server that restarts is back within seconds, and the queries retry by themselves. */
export function useReachable(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => {
      const ends = [cache.subscribe(listener), onlineManager.subscribe(listener)];
      return () => ends.forEach((end) => end());
    },
    () =>
      onlineManager.isOnline() &&
      !cache
        .getAll()
        .some(
          ({ state }) =>
            state.error instanceof Unreachable || state.fetchFailureReason instanceof Unreachable,
        ),
  );
}
