import { reportAsApp } from '../../cta/index.ts';
import type { DemoStage } from '../../../core/module/module.ts';
import type { DemoChoice } from './demo-choice.ts';
import { day, hour, type DemoEvent } from './demo-event.ts';

/** Users of the app that meet a CTA on each day that it is live. */
const usersADay = 3;

export interface LiveDays {
  readonly ctaId: () => string;
  readonly what: string;
  /** Epoch ms: from the first on until before the second. */
  readonly from: number;
  readonly to: number;
  readonly choice: DemoChoice;
}

/** What users saw of a live CTA and did with it, every second day: they see it, most close it, some press it, and a few order then. */
export function figureEvents({ ctaId, what, from, to, choice }: LiveDays): readonly DemoEvent[] {
  const events: DemoEvent[] = [];
  for (let at = from + 10 * hour; at < to; at += 2 * day)
    events.push({
      at,
      what,
      run: async ({ host }) => {
        for (let n = 0; n < usersADay; n++) await meet(host, { ctaId: ctaId(), at, choice });
      },
    });
  return events;
}

async function meet(
  host: DemoStage['host'],
  { ctaId, at, choice }: { readonly ctaId: string; readonly at: number; readonly choice: DemoChoice },
): Promise<void> {
  const userId = String(1_001 + Math.floor(choice.next() * 500));
  const mood = choice.next();
  const id = (kind: string) => `${kind}-${ctaId}-${at}`;
  const of = { ctaId, state: '2', groupKey: ctaId };
  const machine = { currentState: '2', createdAt: at - 60_000, lastTransitionAt: at - 60_000 };
  await reportAsApp(
    host,
    { tenantId: 'default', userId },
    {
      snapshot: {
        ctas: [
          {
            ctaId,
            activeStateMachines: { [ctaId]: { ...machine, ...(mood < 0.7 && { currentState: '3' }) } },
            actionDoneAt: [at - 30_000],
            ...(mood < 0.7 && { resetAt: [at - 1_000] }),
          },
        ],
      },
      events: [
        // Some have looked away before it was painted.
        ...(mood < 0.9 ? [{ ...of, id: id('seen'), type: 'impression', at: at - 29_000 }] : []),
        ...(mood < 0.35 ? [{ ...of, id: id('pressed'), type: 'click', at: at - 10_000 }] : []),
        ...(mood >= 0.35 && mood < 0.7 ? [{ ...of, id: id('closed'), type: 'dismiss', at: at - 5_000 }] : []),
        ...(mood < 0.2 ? [{ id: id('order'), type: 'custom', name: 'order_placed', value: 42, at }] : []),
      ],
    },
  );
}
