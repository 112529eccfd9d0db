/** The statuses of a CTA. Apps receive only LIVE ones; PAUSED ones are hidden, and their user state is kept. */
export const ctaStatuses = ['DRAFT', 'SCHEDULED', 'LIVE', 'PAUSED', 'CONCLUDED', 'TERMINATED'] as const;
export type CtaStatus = (typeof ctaStatuses)[number];

/** The statuses that a CTA may change to from each status. The last two are final. */
export const nextStatuses: Readonly<Record<CtaStatus, readonly CtaStatus[]>> = {
  DRAFT: ['LIVE', 'SCHEDULED', 'TERMINATED'],
  SCHEDULED: ['LIVE', 'PAUSED', 'DRAFT'],
  LIVE: ['PAUSED', 'CONCLUDED', 'TERMINATED'],
  PAUSED: ['LIVE', 'SCHEDULED', 'CONCLUDED', 'TERMINATED'],
  CONCLUDED: [],
  TERMINATED: [],
};

/** When a CTA runs: from `startTime` until just before `endTime`, in epoch milliseconds; null means open. */
interface Period {
  readonly startTime: number | null;
  readonly endTime: number | null;
}

export interface CtaSchedule extends Period {
  readonly status: CtaStatus;
}

/**
 * The status of a stored CTA at a moment: by the clock alone, SCHEDULED becomes LIVE at its start, and LIVE becomes CONCLUDED at its end.
 * The change may be stored later ({@link clockStatusChanges}), but clients see it at once.
 */
export function statusAt({ status, startTime, endTime }: CtaSchedule, now: number): CtaStatus {
  const running = status === 'SCHEDULED' && now >= (startTime ?? -Infinity) ? 'LIVE' : status;
  return running === 'LIVE' && now >= (endTime ?? Infinity) ? 'CONCLUDED' : running;
}

/** One change of status, and when it took effect: epoch milliseconds. */
export interface StatusChange {
  readonly from: CtaStatus;
  readonly to: CtaStatus;
  readonly at: number;
}

/** The status changes made by the clock that are not stored yet, each with its due time. */
export function clockStatusChanges(cta: CtaSchedule, now: number): readonly StatusChange[] {
  const { status, startTime, endTime } = cta;
  const is = statusAt(cta, now);
  if (is === status) return [];
  const begun: StatusChange = { from: 'SCHEDULED', to: 'LIVE', at: startTime ?? now };
  const ended: StatusChange = { from: 'LIVE', to: 'CONCLUDED', at: endTime ?? now };
  return [...(status === 'SCHEDULED' ? [begun] : []), ...(is === 'CONCLUDED' ? [ended] : [])];
}

/** Whether a CTA may be edited: not while apps receive it or soon will, and not after its end. */
export const isEditable = (status: CtaStatus): boolean => status === 'DRAFT' || status === 'PAUSED';

/** For people and for programs, which give times in epoch milliseconds. */
const shownTime = (at: number): string => `${new Date(at).toISOString()} (${at})`;

/** Why a CTA may not change to the status `to` now: the field that forbids it and a sentence; null if the change is allowed. */
export function illegalStatusChange(
  cta: CtaSchedule,
  to: CtaStatus,
  now: number,
): { readonly field: 'status' | 'startTime' | 'endTime'; readonly message: string } | null {
  const from = statusAt(cta, now);
  const legal = nextStatuses[from];
  if (!legal.includes(to)) {
    const way = legal.length === 0 ? 'that is final' : `from there it may become ${legal.join(', ')}`;
    return { field: 'status', message: `It is ${from}${from === to ? ' already' : ''}; ${way}.` };
  }
  const { startTime, endTime } = cta;
  if (to === 'SCHEDULED' && (startTime === null || startTime <= now)) {
    return {
      field: 'startTime',
      message: `It can be SCHEDULED only with a startTime in the future; ${startTime === null ? 'it has none' : `its own was ${shownTime(startTime)}`}.`,
    };
  }
  if (to === 'LIVE' && startTime !== null && startTime > now) {
    return {
      field: 'startTime',
      message: `It starts at ${shownTime(startTime)}: until then it can be SCHEDULED.`,
    };
  }
  if ((to === 'LIVE' || to === 'SCHEDULED') && endTime !== null && endTime <= now) {
    return {
      field: 'endTime',
      message: `Its endTime ${shownTime(endTime)} has passed, so it cannot become ${to}.`,
    };
  }
  return null;
}
