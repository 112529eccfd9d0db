import { armOf, reportAsApp } from '../../cta/index.ts';
import type { DemoStage } from '../../../core/module/module.ts';
import { day, hour, type DemoEvent } from './demo-event.ts';
import type { LiveDays } from './demo-figures.ts';
import { people } from './demo-people.ts';

export interface DemoExperiment {
  readonly plan: Parameters<typeof armOf>[0];
  /** The day of the example on which it starts; left out: it is only planned. */
  readonly startsOn?: number;
  /** How many of a hundred users of a variant order. */
  readonly orders: Readonly<Record<string, number>>;
}

/** Runs long enough to be decided. */
export const voucherExperiment: DemoExperiment = {
  plan: {
    key: 'voucher-text',
    // With this seed, the first guests of an example get the text that sdk/README.md shows.
    seed: 'voucher-text-18',
    coverage: 0.8,
    variants: [
      { key: 'five-euros', weight: 0.5 },
      {
        key: 'free-delivery',
        weight: 0.5,
        actions: [
          {
            actionId: 'voucher',
            type: 'POPUP',
            template: { title: 'Welcome!', text: 'Your first delivery is free.', code: 'FREE1' },
          },
        ],
      },
    ],
  },
  startsOn: 62,
  orders: { 'five-euros': 55, 'free-delivery': 63 },
};

/** Is planned: a control shows what the question achieves at all. */
export const checkoutExperiment: DemoExperiment = {
  plan: {
    key: 'new-checkout',
    seed: 'new-checkout-1',
    coverage: 0.5,
    holdout: 'no-marketing',
    variants: [
      { key: 'invited', weight: 0.5 },
      { key: 'nothing', weight: 0.5, control: true },
    ],
  },
  orders: {},
};

/** The users on a day of the experiment: those who take part meet the CTA. */
const usersADay = 39;

/** The start of an experiment, and its users: each meets the CTA once. */
export function experimentEvents(
  experiment: DemoExperiment,
  { ctaId, what, from, to, choice }: LiveDays,
): readonly DemoEvent[] {
  const events: DemoEvent[] = [
    { at: from, what, run: ({ call }) => call('start-experiment', { ctaId: ctaId() }, people.sven) },
  ];
  let userId = 20_000;
  for (let at = from + 9 * hour; at < to - hour; at += day) {
    const first = userId;
    userId += usersADay;
    events.push({
      at,
      what,
      run: async ({ host }) => {
        for (let user = first; user < first + usersADay; user++)
          await meet(host, experiment, {
            ctaId: ctaId(),
            userId: String(user),
            at,
            mood: choice.next() * 100,
          });
      },
    });
  }
  return events;
}

interface Meeting {
  readonly ctaId: string;
  readonly userId: string;
  readonly at: number;
  /** 0 to 100. */
  readonly mood: number;
}

async function meet(
  host: DemoStage['host'],
  { plan, orders }: DemoExperiment,
  { ctaId, userId, at, mood }: Meeting,
): Promise<void> {
  const variant = armOf(plan, userId)?.key;
  // The others would make the example slower and be in no figure of the experiment.
  if (variant === undefined) return;
  const isOrder = mood < (orders[variant] ?? 0);
  const of = { ctaId, state: '2', groupKey: ctaId, variant };
  await reportAsApp(
    host,
    { tenantId: 'default', userId },
    {
      snapshot: {
        ctas: [
          {
            ctaId,
            activeStateMachines: {
              [ctaId]: { currentState: '2', createdAt: at - 60_000, lastTransitionAt: at - 60_000 },
            },
            actionDoneAt: [at - 30_000],
          },
        ],
      },
      events: [
        { ...of, id: `tried-${ctaId}`, type: 'impression', at: at - 29_000 },
        ...(isOrder
          ? [
              { ...of, id: `pressed-${ctaId}`, type: 'click', at: at - 20_000 },
              { id: `ordered-${ctaId}`, type: 'custom', name: 'order_placed', value: 42, at: at - 1_000 },
            ]
          : []),
      ],
    },
  );
}
