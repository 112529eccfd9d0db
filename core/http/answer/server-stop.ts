import { perHost } from '../../host/host.ts';

/**
 * Streams to end when the server of this host stops. They would otherwise last until their client leaves; the client reopens them at
 * another server. The stream of a running call is not included: it may finish.
 */
export const endsWithServer = perHost(() => {
  const ends = new Set<() => void>();
  let stopping = false;
  return {
    /** Calls `end` when the server stops. A request that was accepted before the stop may arrive here after it: then it is called at once. */
    add: (end: () => void): void => void (stopping ? end() : ends.add(end)),
    delete: (end: () => void): void => void ends.delete(end),
    stop: (): void => {
      stopping = true;
      for (const end of ends) end();
    },
  };
});
