import type { DemoChoice } from './demo-choice.ts';
import { ctaRules } from './demo-cta-rules.ts';
import { day, hour, type DemoEvent } from './demo-event.ts';
import {
  checkoutExperiment,
  experimentEvents,
  voucherExperiment,
  type DemoExperiment,
} from './demo-experiments.ts';
import { figureEvents } from './demo-figures.ts';
import { people } from './demo-people.ts';

/** The statuses that a CTA goes through, each with the day of the example on which it does. */
type Steps = ReadonlyArray<readonly [day: number, status: string]>;

interface DemoCta {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly rule: object;
  readonly made: number;
  readonly steps: Steps;
  readonly behaviourTagName?: string;
  /** Days from the present on which it begins. */
  readonly startsIn?: number;
  readonly experiment?: DemoExperiment;
  /** A description that it got later, on a day on which it may be edited. */
  readonly edited?: readonly [day: number, description: string];
}

const ctas: readonly DemoCta[] = [
  {
    name: 'Welcome voucher',
    description: 'Five euros for the first order.',
    tags: ['new customers', 'voucher'],
    rule: ctaRules.welcome,
    made: 3,
    edited: [4, 'Five euros for the first order, from 40 euros.'],
    steps: [[6, 'LIVE']],
    experiment: voucherExperiment,
  },
  {
    name: 'Forgotten cart',
    description: 'Reminds of a cart when the start page is opened again.',
    tags: ['cart'],
    rule: ctaRules.cart,
    behaviourTagName: 'cart-nudges',
    made: 12,
    steps: [
      [14, 'LIVE'],
      [40, 'PAUSED'],
      [43, 'LIVE'],
    ],
  },
  {
    name: 'Free delivery from 50 euros',
    description: 'Says how much is missing.',
    tags: ['cart', 'delivery'],
    rule: ctaRules.delivery,
    behaviourTagName: 'cart-nudges',
    made: 20,
    steps: [[22, 'LIVE']],
  },
  {
    name: 'Rate the app',
    description: 'Asks after the third order that arrived.',
    tags: ['app'],
    rule: ctaRules.rating,
    behaviourTagName: 'once-a-day',
    made: 25,
    steps: [
      [28, 'LIVE'],
      [75, 'PAUSED'],
    ],
  },
  {
    name: 'Summer sale',
    description: 'The banner of the sale.',
    tags: ['sale'],
    rule: ctaRules.sale,
    made: 30,
    steps: [
      [33, 'LIVE'],
      [54, 'CONCLUDED'],
    ],
  },
  {
    name: 'Newsletter in the start page',
    description: 'Was replaced by the one in the profile.',
    tags: ['newsletter'],
    rule: ctaRules.newsletter,
    made: 35,
    steps: [
      [36, 'LIVE'],
      [38, 'TERMINATED'],
    ],
  },
  {
    name: 'Points programme',
    description: 'Invites customers with two orders or more.',
    tags: ['loyalty'],
    rule: ctaRules.points,
    behaviourTagName: 'once-a-day',
    made: 80,
    startsIn: 6,
    steps: [[86, 'SCHEDULED']],
  },
  {
    name: 'Try the new checkout',
    description: 'For a fifth of all, when the acceptance is over.',
    tags: ['checkout', 'experiment'],
    rule: ctaRules.checkout,
    made: 88,
    steps: [],
    experiment: checkoutExperiment,
  },
];

/** The events of marketing: cohorts, behaviour tags, previews and CTAs in all their statuses. */
export function marketingEvents({
  start,
  now,
  choice,
}: {
  readonly start: number;
  readonly now: number;
  readonly choice: DemoChoice;
}): readonly DemoEvent[] {
  const on = (dayOf: number, tool: string, input: object, by: string = people.maria): DemoEvent => ({
    at: start + dayOf * day + 5 * hour,
    what: tool,
    run: ({ call }) => call(tool, input, by),
  });
  const groundwork = [
    // An administrator makes the tenant with the first of them.
    on(
      1,
      'create-cohort',
      {
        cohortName: 'returning-customers',
        kind: 'attributes',
        filters: returning,
        description: 'Two orders or more.',
      },
      people.sven,
    ),
    on(1.1, 'set-user-attributes', { users: customers(choice) }),
    on(2, 'create-cohort', {
      cohortName: 'beta-testers',
      kind: 'list',
      userIds: userIds(60),
      description: 'Signed up for the beta.',
    }),
    on(2, 'create-cohort', {
      cohortName: 'new-checkout',
      kind: 'percentage',
      percentage: 20,
      description: 'A fifth of all.',
    }),
    on(2, 'create-behaviour-tag', {
      behaviourTagName: 'cart-nudges',
      exposureRule: { session: { limit: 2 } },
      ctaRelation: oneAtATime,
    }),
    on(2, 'create-behaviour-tag', {
      behaviourTagName: 'once-a-day',
      exposureRule: { window: { limit: 1, unit: 'days', value: 1 } },
    }),
    on(
      50,
      'create-holdout',
      { name: 'no-marketing', percentage: 2, seed: 'no-marketing-1', scope: 'named' },
      people.sven,
    ),
    on(79, 'create-nudge-preview', {
      id: 'points-banner',
      template: banner('Collect points', 'Your first 100 points are a present.'),
      ttl: 0,
    }),
    on(87, 'create-nudge-preview', {
      id: 'new-checkout',
      template: banner('Three steps less', 'Try the new checkout.'),
      ttl: 0,
    }),
  ];
  return [...groundwork, ...ctas.flatMap((cta) => eventsOf(cta, { start, now, choice }))];
}

function eventsOf(
  { made, steps, startsIn, edited, experiment, ...fields }: DemoCta,
  { start, now, choice }: { readonly start: number; readonly now: number; readonly choice: DemoChoice },
): readonly DemoEvent[] {
  let ctaId = '';
  const at = (dayOf: number) => start + dayOf * day + 7 * hour;
  const what = fields.name;
  return [
    {
      at: at(made),
      what,
      run: async ({ call }) => {
        const starts = startsIn === undefined ? {} : { startTime: now + startsIn * day };
        const plan = experiment ? { experiment: experiment.plan } : {};
        const given = { ...fields, ...starts, ...plan, team: 'Marketing' };
        const answer = await call('create-cta', given, people.maria);
        ctaId = String(answer['ctaId']);
      },
    },
    ...(edited
      ? [
          {
            at: at(edited[0]),
            what,
            run: ({ call }) =>
              call('update-cta', { ctaId, version: 1, description: edited[1] }, people.maria),
          } satisfies DemoEvent,
        ]
      : []),
    ...steps.map(([dayOf, status]): DemoEvent => ({
      at: at(dayOf),
      what,
      run: ({ call }) => call('set-cta-status', { ctaId, status }, people.sven),
    })),
    ...(experiment?.startsOn === undefined
      ? []
      : experimentEvents(experiment, {
          ctaId: () => ctaId,
          what,
          from: at(experiment.startsOn),
          to: now,
          choice,
        })),
    ...steps.flatMap(([dayOf, status], index) => {
      const end = steps[index + 1];
      const live = { ctaId: () => ctaId, what, from: at(dayOf), to: end ? at(end[0]) : now, choice };
      return status === 'LIVE' ? [goalOf(live), ...figureEvents(live)].slice(index === 0 ? 0 : 1) : [];
    }),
  ];
}

const goalOf = ({ ctaId, what, from }: { ctaId: () => string; what: string; from: number }): DemoEvent => ({
  at: from + hour,
  what,
  run: ({ call }) =>
    call('define-cta-goal', { ctaId: ctaId(), name: 'Ordered', on: { event: 'order_placed' } }, people.maria),
});

const returning = {
  operator: 'AND',
  filter: [{ propertyName: 'orders', propertyType: 'number', comparisonType: '>=', comparisonValue: 2 }],
};

const oneAtATime = { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } };

const userIds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => String(1_001 + n * 7));

const customers = (choice: DemoChoice) =>
  Array.from({ length: 500 }, (_, n) => ({
    userId: String(1_001 + n),
    attributes: {
      orders: Math.floor(choice.next() * choice.next() * 12),
      country: choice.among(['DE', 'AT', 'CH', 'FR', 'NL']),
      appVersion: choice.among(['5.1.0', '5.2.3', '5.3.0']),
    },
  }));

const banner = (title: string, text: string): string =>
  JSON.stringify({ kind: 'banner', title, text, button: 'Show me' });
