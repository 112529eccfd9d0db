import type { TableShape } from '../tables/table-reader.ts';

/** The slugs of Qase (https://help.qase.io, "Import test cases from CSV") in the words of Trivet. */
export const qaseValues: NonNullable<TableShape['values']> = {
  priority: { undefined: null, 'not set': null, high: 'High', medium: 'Medium', low: 'Low' },
  type: {
    undefined: null,
    other: 'Other',
    functional: 'Functional',
    smoke: 'Smoke',
    regression: 'Regression',
    security: 'Security',
    usability: 'Usability',
    performance: 'Performance',
    acceptance: 'Acceptance',
    compatibility: 'Compatibility',
    integration: 'Integration',
    exploratory: 'Exploratory',
  },
  automationStatus: {
    'is-not-automated': 'Manual',
    manual: 'Manual',
    'to-be-automated': 'Automatable',
    automated: 'Automated',
  },
};
