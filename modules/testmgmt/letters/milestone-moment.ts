const dayMs = 86_400_000;

/** How long after its last day an overdue milestone is still told of, e.g. when letters were switched on later. */
const overdueToldMs = 7 * dayMs;

type MilestoneMoment = 'due' | 'overdue';

/**
 * What followers are told of an open milestone now.
 * @param dueOn the start of its last day, in UTC (epoch ms).
 */
export function milestoneMoment(dueOn: number, now: number): MilestoneMoment | null {
  const over = dueOn + dayMs;
  if (now < dueOn - dayMs || now >= over + overdueToldMs) return null;
  return now < over ? 'due' : 'overdue';
}

/** The last days for which {@link milestoneMoment} says anything. */
export const toldDays = (now: number) => ({ from: now - dayMs - overdueToldMs, to: now + dayMs });
