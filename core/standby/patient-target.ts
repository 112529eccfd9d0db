import type { Clock } from '../base/clock.ts';
import type { ReplicaTarget } from '../replicate/replica-target.ts';

const tries = 4;
const pauseMs = 250;

/** A target whose requests are repeated when they fail: a connection that breaks must not end what somebody waits for. */
export function patientTarget(target: ReplicaTarget, clock: Clock): ReplicaTarget {
  const repeated = async <T>(request: () => Promise<T>): Promise<T> => {
    for (let left = tries - 1; ; left--) {
      try {
        return await request();
      } catch (error) {
        if (left === 0) throw error;
        await clock.wait(pauseMs);
      }
    }
  };
  return {
    name: target.name,
    list: (prefix, after) => repeated(() => target.list(prefix, after)),
    get: (key) => repeated(() => target.get(key)),
    put: (key, bytes) => repeated(() => target.put(key, bytes)),
    remove: (keys) => repeated(() => target.remove(keys)),
  };
}
