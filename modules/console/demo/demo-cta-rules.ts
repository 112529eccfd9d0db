/** A transition whose event must have an amount that fits. */
const whenAmount = (comparisonType: string, comparisonValue: number) => ({
  operator: 'AND',
  filter: [{ propertyName: 'amount', propertyType: 'number', comparisonType, comparisonValue }],
});

/** The rules of the CTAs of the example: each is a state machine with several states. */
export const ctaRules = {
  welcome: {
    priority: 10,
    stateTransition: {
      home_opened: { '0': [{ transitionTo: '1' }] },
      article_opened: { '1': [{ transitionTo: '2' }] },
      popup_closed: { '2': [{ transitionTo: '3' }] },
    },
    stateToAction: { '2': 'voucher' },
    resetStates: ['3'],
    frequency: { lifeSpan: { limit: 2 } },
    actions: [
      {
        actionId: 'voucher',
        type: 'POPUP',
        template: { title: 'Welcome!', text: 'Five euros for your first order.', code: 'HELLO5' },
      },
    ],
  },
  cart: {
    priority: 1,
    stateTransition: {
      cart_changed: { '0': [{ transitionTo: '1', filters: whenAmount('>', 0) }] },
      app_closed: { '1': [{ transitionTo: '2' }] },
      home_opened: { '2': [{ transitionTo: '3' }] },
      cart_opened: { '3': [{ transitionTo: '4' }] },
      order_placed: { '1': [{ transitionTo: '4' }], '2': [{ transitionTo: '4' }] },
    },
    stateToAction: { '3': 'reminder' },
    resetStates: ['4'],
    contextParams: ['amount'],
    frequency: { window: { limit: 1, unit: 'days', value: 2 } },
    actions: [
      {
        actionId: 'reminder',
        type: 'NUDGE_UI',
        template: { screen: 'home', text: 'Your cart is waiting: {{amount}}' },
      },
    ],
  },
  delivery: {
    priority: 2,
    stateTransition: {
      cart_opened: {
        '0': [
          { transitionTo: '1', filters: whenAmount('<', 30) },
          { transitionTo: '2', filters: whenAmount('<', 50) },
        ],
        '1': [{ transitionTo: '2', filters: whenAmount('>=', 30) }],
      },
      tooltip_closed: { '2': [{ transitionTo: '3' }] },
    },
    stateToAction: { '2': 'missing' },
    resetStates: ['3'],
    frequency: { session: { limit: 1 } },
    actions: [
      { actionId: 'missing', type: 'TOOLTIP', template: { text: 'From 50 euros delivery is free.' } },
    ],
  },
  rating: {
    priority: 20,
    stateTransition: {
      order_delivered: {
        '0': [{ transitionTo: '1' }],
        '1': [{ transitionTo: '2' }],
        '2': [{ transitionTo: '3' }],
      },
      home_opened: { '3': [{ transitionTo: '4' }] },
      popup_closed: { '4': [{ transitionTo: '5' }] },
    },
    stateToAction: { '4': 'ask' },
    resetStates: ['5'],
    cohortEligibility: { includes: ['beta-testers'] },
    frequency: { window: { limit: 1, unit: 'days', value: 90 }, lifeSpan: { limit: 3 } },
    actions: [{ actionId: 'ask', type: 'POPUP', template: { title: 'Do you like the app?', stars: 5 } }],
  },
  sale: {
    priority: 5,
    stateTransition: {
      home_opened: { '0': [{ transitionTo: '1' }] },
      banner_opened: { '1': [{ transitionTo: '2' }] },
      banner_closed: { '1': [{ transitionTo: '3' }] },
    },
    stateToAction: { '1': 'banner', '2': 'list' },
    resetStates: ['3'],
    frequency: { window: { limit: 2, unit: 'days', value: 1 } },
    actions: [
      {
        actionId: 'banner',
        type: 'NUDGE_UI',
        template: { screen: 'home', text: 'Summer sale: up to 40 percent' },
      },
      { actionId: 'list', type: 'NUDGE_ACTION', template: { open: 'sale' } },
    ],
  },
  newsletter: {
    priority: 30,
    stateTransition: {
      home_opened: { '0': [{ transitionTo: '1' }] },
      banner_closed: { '1': [{ transitionTo: '2' }] },
    },
    stateToAction: { '1': 'banner' },
    resetStates: ['2'],
    frequency: { session: { limit: 1 }, lifeSpan: { limit: 3 } },
    actions: [{ actionId: 'banner', type: 'NUDGE_UI', template: { screen: 'home', text: 'Get our news' } }],
  },
  points: {
    priority: 8,
    stateTransition: {
      profile_opened: { '0': [{ transitionTo: '1' }] },
      points_opened: { '1': [{ transitionTo: '2' }] },
      popup_closed: { '1': [{ transitionTo: '3' }], '2': [{ transitionTo: '3' }] },
    },
    stateToAction: { '1': 'invite', '2': 'terms' },
    resetStates: ['3'],
    cohortEligibility: { includes: ['returning-customers'] },
    frequency: { lifeSpan: { limit: 2 } },
    actions: [
      { actionId: 'invite', type: 'POPUP', template: { title: 'Collect points', preview: 'points-banner' } },
      { actionId: 'terms', type: 'NUDGE_ACTION', template: { open: 'points/terms' } },
    ],
  },
  checkout: {
    priority: 3,
    stateTransition: {
      checkout_opened: { '0': [{ transitionTo: '1' }] },
      new_checkout_chosen: { '1': [{ transitionTo: '2' }] },
      order_placed: { '2': [{ transitionTo: '3' }] },
      popup_closed: { '1': [{ transitionTo: '4' }], '3': [{ transitionTo: '4' }] },
    },
    stateToAction: { '1': 'offer', '3': 'question' },
    resetStates: ['4'],
    cohortEligibility: { includes: ['new-checkout'] },
    frequency: { window: { limit: 1, unit: 'days', value: 7 } },
    actions: [
      { actionId: 'offer', type: 'POPUP', template: { title: 'Three steps less', preview: 'new-checkout' } },
      { actionId: 'question', type: 'POPUP', template: { title: 'How was it?' } },
    ],
  },
} as const;
