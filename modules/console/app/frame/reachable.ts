import { onlineManager, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Unreachable } from '../api/call.ts';

interface Answered {
  readonly error: unknown;
  readonly fetchFailureReason: unknown;
}

const isUnanswered = ({ error, fetchFailureReason }: Answered): boolean =>
  error instanceof Unreachable || fetchFailureReason instanceof Unreachable;

/** Whether the last request got a response. The queries of the page that is shown go on asking; those of another are asked when it is shown. */
export function useReachable(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => {
      const ends = [cache.subscribe(listener), onlineManager.subscribe(listener)];
      return () => ends.forEach((end) => end());
    },
    () =>
      onlineManager.isOnline() &&
      !cache.getAll().some((query) => query.isActive() && isUnanswered(query.state)),
  );
}
